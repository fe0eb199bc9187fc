// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf_source/perf_source.h"

#include "daemon/perf_source/perf_source_internal.h"
#include "daemon/system/thread_list.h"
#include "lib/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of attempts to open the events of a process, if the process's threads change
 * during each attempt.
 */
#define THREAD_TRIES 5
/* After a scan of /proc, no other scan begins for SCAN_PAUSE times the duration of that scan. */
#define SCAN_PAUSE 4
/* Maximum number of initial scans. A scan is repeated if side-band was lost during the scan. */
#define SCAN_TRIES 5
/*
 * HOLD_NS and HOLD_BYTES limit the time and memory for which samples of profiled processes wait for
 * their code tables. TABLES_WAIT_MS limits how long the last drain waits for tables when all
 * processes have ended.
 */
#define HOLD_NS	       UINT64_C(2000000000)
#define HOLD_BYTES     ((size_t)32 << 20)
#define TABLES_WAIT_MS 2000
/* The rings are read at this interval during a scan of /proc. */
#define READ_BETWEEN_NS 2000000u

static void source_apply(struct perf_consumer *consumer, const struct perf_item *item)
{
	struct perf_source *source =
		(struct perf_source *)(void *)((char *)consumer -
					       offsetof(struct perf_source, consumer));

	perf_state_apply(source->state, item);
}

static void source_early(struct perf_consumer *consumer, const struct perf_item *item)
{
	struct perf_source *source =
		(struct perf_source *)(void *)((char *)consumer -
					       offsetof(struct perf_source, consumer));

	perf_state_early(source->state, item);
}

/* Lists the threads for which events are opened; one element -1: all tasks. */
static int source_threads(const struct perf_source *source, struct thread_list *list)
{
	if (source->config.target == SOURCE_TASKS)
		return thread_list_read(list, source->proc_path, source->pids,
					source->config.nr_pids);
	list->tids = malloc(sizeof(*list->tids));
	if (!list->tids)
		return -ENOMEM;
	list->tids[0] = -1;
	list->nr_tids = list->room_tids = 1;
	return 0;
}

static struct perf_cpu_plan source_plan(struct perf_source *source,
					const struct thread_list *threads)
{
	struct perf_cpu_plan plan = {
		.open = &source->open, .ids = &source->ids, .feed = source->feed};

	if (threads) {
		plan.tids = threads->tids;
		plan.nr_tids = threads->nr_tids;
	}
	return plan;
}

static void source_close_cpus(struct perf_source *source)
{
	for (unsigned int i = 0; i < source->cpu_watch.nr_cpus; i++)
		perf_cpu_close(&source->cpus[i], source->feed);
}

static int source_watch_cpu(struct perf_source *source, const struct perf_cpu *cpu)
{
	int error = drain_watch_add(&source->watch, cpu->side.fds[0]);

	if (!error && cpu->nr_events)
		error = drain_watch_add(&source->watch, cpu->events[0].fd);
	if (!error && cpu->switches.nr_fds)
		error = drain_watch_add(&source->watch, cpu->switches.fds[0]);
	return error;
}

static int source_open_cpu(struct perf_source *source, unsigned int cpu,
			   const struct thread_list *threads, bool *no_memory, struct diag *diag)
{
	struct perf_cpu_plan plan = source_plan(source, threads);
	int error;

	source->cpus[cpu].cpu = cpu;
	error = perf_cpu_open(&source->cpus[cpu], &plan, no_memory, diag);
	return error ? error : source_watch_cpu(source, &source->cpus[cpu]);
}

static int source_open_online(struct perf_source *source, const struct thread_list *threads,
			      bool *no_memory, struct diag *diag)
{
	bool any = false;
	int error = 0;

	for (unsigned int cpu = 0; cpu < source->cpu_watch.nr_cpus; cpu++) {
		if (!cpu_list_has(&source->cpu_watch.online, cpu))
			continue;
		error = source_open_cpu(source, cpu, threads, no_memory, diag);
		if (error == -ENODEV) /* the CPU just went offline: the next drain handles it */
			continue;
		if (error)
			break;
		any = true;
	}
	if (error == -ENODEV && any)
		error = 0;
	if (error)
		source_close_cpus(source);
	return error;
}

/*
 * Opens events for all threads. A thread that begins while events are being opened may have
 * inherited some of them, or none. If the list of threads has changed during the opening, all
 * events are therefore opened again.
 */
static int source_open_threads(struct perf_source *source, bool *no_memory, struct diag *diag)
{
	struct thread_list before, after;
	bool same = false;
	int error = 0;

	for (int i = 0; i < THREAD_TRIES && !same && !error; i++) {
		source_close_cpus(source);
		error = source_threads(source, &before);
		if (error)
			break;
		error = before.nr_tids ? source_open_online(source, &before, no_memory, diag)
				       : -ESRCH;
		if (!error)
			error = source_threads(source, &after);
		if (!error) {
			same = thread_list_equal(&before, &after);
			thread_list_deinit(&after);
		}
		thread_list_deinit(&before);
	}
	if (error == -ESRCH)
		return diag_set(diag, error, "the process to profile has ended");
	return error;
}

/*
 * Halves the rings, to fit them into the memory that the user may lock. Returns false if they
 * cannot be smaller.
 */
static bool source_halve(struct perf_source *source)
{
	struct perf_open *open = &source->open;

	if (open->sample_pages == 1 && open->side_pages == 1 && open->switch_pages == 1)
		return false;
	/*
	 * A ring for samples with copies of stacks is by far the largest ring, so halve only this
	 * ring first.
	 */
	if (open->sample_pages > 2 * open->side_pages) {
		open->sample_pages /= 2;
		perf_open_fit_stacks(open);
		source->nr_halvings++;
		return true;
	}
	if (open->switch_pages > 1)
		open->switch_pages /= 2;
	/*
	 * For root without the right to lock memory: first reduce the rings that are larger for
	 * root than for users.
	 */
	if (open->side_pages <= open->sample_pages && open->sample_pages > 1)
		open->sample_pages /= 2;
	if (open->side_pages > 1)
		open->side_pages /= 2;
	perf_open_fit_stacks(open);
	source->nr_halvings++;
	return true;
}

static int source_open_rings(struct perf_source *source, struct diag *diag)
{
	bool no_memory;
	int error;

	do {
		no_memory = false;
		error = source_open_threads(source, &no_memory, diag);
	} while (error && no_memory && source_halve(source));
	return error;
}

static void source_read_cpu(struct perf_source *source, struct perf_cpu *cpu,
			    enum perf_cpu_losses losses, uint64_t now_ns)
{
	struct perf_cpu_plan plan = source_plan(source, NULL);

	if (perf_cpu_read(cpu, &plan, losses, now_ns, &source->losses))
		source->nr_ring_errors++;
}

/*
 * Called after a reading of the rings. If side-band was lost since the last call, declares the
 * state doubtful from the earliest possible time of the loss until now. Kernels that do not count
 * losses report a loss later than it occurred; on these kernels, all data from before now is in
 * doubt.
 */
static void source_doubt(struct perf_source *source)
{
	uint64_t lost = perf_source_side_band_lost(source);
	uint64_t from_ns = source->losses.side.from_ns;

	if (lost == source->side_band_doubted)
		return;
	source->side_band_doubted = lost;
	source->losses.side.from_ns = UINT64_MAX;
	if (!(source->open.features & PERF_FEATURE_LOST))
		from_ns = 0;
	else if (from_ns == UINT64_MAX) /* records were damaged, but none were lost */
		from_ns = source->read_ns;
	perf_state_doubt(source->state, from_ns, clock_monotonic_ns());
}

/*
 * As source_doubt, for switches. Switches that are older than from_ns remain valid, even if they
 * are still queued.
 */
static void source_doubt_switches(struct perf_source *source)
{
	uint64_t lost = perf_source_switches_lost(source);
	uint64_t from_ns = source->losses.switches.from_ns;

	if (lost == source->switches_doubted)
		return;
	if (!(source->open.features & PERF_FEATURE_LOST))
		from_ns = 0;
	else if (from_ns == UINT64_MAX) /* records were damaged, but none were lost */
		from_ns = source->read_ns;
	perf_state_lose_switches(source->state, from_ns, clock_monotonic_ns(),
				 lost - source->switches_doubted);
	source->switches_doubted = lost;
	source->losses.switches.from_ns = UINT64_MAX;
}

static void source_read(struct perf_source *source, enum perf_cpu_losses losses, uint64_t begin_ns)
{
	for (unsigned int i = 0; i < source->cpu_watch.nr_cpus; i++)
		if (source->cpus[i].open)
			source_read_cpu(source, &source->cpus[i], losses, begin_ns);
	source_doubt(source);
	source_doubt_switches(source);
	source->read_ns = begin_ns;
}

/* Called between the processes of a scan: reads the rings if READ_BETWEEN_NS have passed. */
static void source_read_between(void *context)
{
	struct perf_source *source = context;
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - source->read_ns < READ_BETWEEN_NS)
		return;
	source_read(source, PERF_CPU_LOSSES_IF_TIGHT, now_ns);
	/*
	 * A scan may take long. Items must leave the queue during the scan; otherwise the queue
	 * would become too large. The items can be applied now, because they are older than the
	 * scans of the remaining processes. Exception: during the first scan, items cannot be
	 * applied.
	 */
	if (source->rescanning)
		perf_feed_round(source->feed, now_ns);
}

/*
 * Called between the files of a slice that is being closed: reads the rings if READ_BETWEEN_NS have
 * passed.
 */
static void source_read_only(struct source *base)
{
	struct perf_source *source = (struct perf_source *)base;
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - source->read_ns >= READ_BETWEEN_NS)
		source_read(source, PERF_CPU_LOSSES_IF_TIGHT, now_ns);
}

static int source_scan(struct perf_source *source)
{
	uint64_t begin_ns = clock_monotonic_ns();
	uint64_t end_ns;
	int error = perf_state_scan(source->state, source->pids, source->config.nr_pids);

	end_ns = clock_monotonic_ns();
	source->scan_due_ns = end_ns + SCAN_PAUSE * (end_ns - begin_ns);
	source->scan_wanted = error;
	return error;
}

/*
 * The first scan of /proc. Side-band rings already record, and sampling has not begun. The scan is
 * repeated if side-band records were lost during it. Afterwards the state of each process is
 * complete from the time at which the process was scanned or called exec.
 */
static int source_scan_first(struct perf_source *source, struct diag *diag)
{
	int error = 0;

	source->read_ns = clock_monotonic_ns();
	for (int i = 0; i < SCAN_TRIES && !error; i++) {
		uint64_t lost = perf_source_side_band_lost(source);

		error = source_scan(source);
		source_read(source, PERF_CPU_LOSSES_READ, clock_monotonic_ns());
		source->scan_lost = lost;
		if (perf_source_side_band_lost(source) == lost)
			break;
	}
	return error ? diag_set(diag, error, "cannot read the processes in /proc: %s",
				strerror(-error))
		     : 0;
}

/*
 * Must be called before any ring is open: reading the kernel's symbols takes time, in which rings
 * would fill.
 */
static int source_create_state(struct perf_source *source, struct record_sink *sink,
			       struct diag *diag)
{
	struct perf_state_config config = {
		.sink = sink,
		.nr_cpus = source->cpu_watch.nr_cpus,
		.want_cgroup = source->config.want_cgroup,
		.want_switches = source->config.want_switches,
		.keep_images = true,
		.read_apart = true,
		.keep_bytes_max = source->config.keep_bytes_max,
		.proc_path = source->proc_path,
		.between = source_read_between,
		.between_context = source,
		.chain_depth = source->config.chain_depth,
		.regs = source->open.regs,
		.code_path = source->config.code_path,
	};

	for (size_t i = 0; i < source->config.nr_events; i++)
		if (event_choice_is_sampled(&source->events[i]) && source->events[i].kernel &&
		    !source->open.user_only)
			config.kernel = true;
	return perf_state_create(&source->state, &config, diag);
}

static int source_copy_config(struct perf_source *source, const struct source_config *config,
			      const struct perf_source_options *options)
{
	source->config = *config;
	memcpy(source->events, config->events, config->nr_events * sizeof(*config->events));
	source->config.events = source->events;
	if (config->target == SOURCE_TASKS) {
		source->pids = calloc(config->nr_pids, sizeof(*source->pids));
		if (!source->pids)
			return -ENOMEM;
		memcpy(source->pids, config->pids, config->nr_pids * sizeof(*source->pids));
	} else {
		source->config.nr_pids = 0;
	}
	source->config.pids = source->pids;
	if (options->proc_path) {
		source->proc_path = strdup(options->proc_path);
		if (!source->proc_path)
			return -ENOMEM;
	}
	for (size_t i = 0; i < config->nr_events; i++)
		source->ids.periods[i] = event_choice_period(&source->events[i]);
	return 0;
}

static int source_open_parts(struct perf_source *source, const struct perf_source_options *options,
			     struct record_sink *sink, struct diag *diag)
{
	int error;

	cpu_watch_open(&source->cpu_watch, options->cpu_path);
	source->cpus = calloc(source->cpu_watch.nr_cpus, sizeof(*source->cpus));
	if (!source->cpus)
		return -ENOMEM;
	error = perf_open_init(&source->open, &source->config, source->cpu_watch.online.nr,
			       options->open, diag);
	if (error)
		return error;
	error = drain_watch_open(&source->watch, source->pids, source->config.nr_pids);
	if (error == -ESRCH)
		return diag_set(diag, error, "the process to profile does not exist");
	if (!error)
		error = perf_feed_create(&source->feed, &source->consumer, sink);
	if (!error)
		error = source_create_state(source, sink, diag);
	/*
	 * The target is a few programs, each possibly short-lived: request their code tables early.
	 */
	if (!error && source->open.regs && source->config.target == SOURCE_TASKS)
		source->consumer.early = source_early;
	if (!error)
		error = source_open_rings(source, diag);
	return error ? error : source_scan_first(source, diag);
}

static void source_close(struct source *base)
{
	struct perf_source *source = (struct perf_source *)base;

	if (!source)
		return;
	if (source->feed && source->cpus)
		source_close_cpus(source);
	free(source->cpus);
	drain_watch_close(&source->watch);
	cpu_watch_close(&source->cpu_watch);
	perf_feed_destroy(source->feed);
	perf_state_destroy(source->state);
	perf_ids_deinit(&source->ids);
	free(source->pids);
	free(source->proc_path);
	free(source);
}

int perf_source_open(struct source **source, const struct source_config *config,
		     const struct perf_source_options *options, struct record_sink *sink,
		     struct diag *diag)
{
	struct perf_source *made;
	int error;

	diag_clear(diag);
	if (!config->nr_events || config->nr_events > SOURCE_EVENTS_MAX ||
	    (config->target == SOURCE_TASKS && !config->nr_pids))
		return diag_set(diag, -EINVAL, "no event, too many events or no process was given");
	made = calloc(1, sizeof(*made));
	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory");
	made->base = (struct source){.ops = &source_perf, .name = "perf"};
	made->consumer.apply = source_apply;
	made->losses.side.from_ns = UINT64_MAX;
	made->losses.switches.from_ns = UINT64_MAX;
	made->watch.epoll_fd = -1;
	made->watch.timer_fd = -1;
	made->cpu_watch.fd = -1;
	error = source_copy_config(made, config, options);
	if (!error)
		error = source_open_parts(made, options, sink, diag);
	if (!error) {
		*source = &made->base;
		return 0;
	}
	source_close(&made->base);
	if (diag && !diag->text[0])
		(void)diag_set(diag, error, "cannot open performance events: %s", strerror(-error));
	return error;
}

static int source_open(struct source **source, const struct source_config *config,
		       struct record_sink *sink, struct diag *diag)
{
	const struct perf_source_options options = {0};

	return perf_source_open(source, config, &options, sink, diag);
}

static int source_enable(struct perf_source *source, bool enable)
{
	int error = 0;

	for (unsigned int i = 0; i < source->cpu_watch.nr_cpus; i++) {
		int one = perf_cpu_enable(&source->cpus[i], enable);

		if (one && !error)
			error = one;
	}
	return error;
}

/*
 * Enables or disables all events. CPUs are enabled one by one, so until all are enabled, not all
 * switches are recorded.
 */
static int source_enable_all(struct perf_source *source, bool enable)
{
	uint64_t begin_ns = clock_monotonic_ns();
	int error = source_enable(source, enable);

	perf_state_lose_switches(source->state, begin_ns, clock_monotonic_ns(), 0);
	return error;
}

static int source_start(struct source *base)
{
	struct perf_source *source = (struct perf_source *)base;

	source->sampling = true;
	if (source->config.enable_on_exec && !source->was_stopped)
		return 0; /* the exec starts sampling */
	return source_enable_all(source, true);
}

static int source_stop(struct source *base)
{
	struct perf_source *source = (struct perf_source *)base;

	source->sampling = false;
	source->was_stopped = true;
	return source_enable_all(source, false);
}

/*
 * Sets the sampling rate on all CPUs. Each CPU begins a new period when its rate is set. When the
 * last CPU has done this, the time is stored in changed_ns. Samples up to this time get the old
 * period as weight.
 */
static int source_set_rates(struct perf_source *source, unsigned int thinning)
{
	struct perf_ids *ids = &source->ids;
	int error = 0;

	source->open.thinning = thinning; /* CPUs that come online later get the same thinning */
	for (unsigned int i = 0; i < source->cpu_watch.nr_cpus; i++) {
		int one = perf_cpu_set_rate(&source->cpus[i], &source->open);

		if (one && !error)
			error = one;
	}
	memcpy(ids->older_periods, ids->periods, sizeof(ids->older_periods));
	ids->changed_ns = clock_monotonic_ns();
	for (size_t i = 0; i < source->config.nr_events; i++)
		if (event_choice_period(&source->events[i]))
			ids->periods[i] = perf_open_rate(&source->open, &source->events[i]);
	return error;
}

/*
 * Supported only for the whole machine. If single processes are sampled, events that their children
 * inherited would keep the old period.
 */
static int source_set_thinning(struct source *base, unsigned int thinning)
{
	struct perf_source *source = (struct perf_source *)base;
	unsigned int before = source->open.thinning;
	int error;

	if (source->config.target != SOURCE_SYSTEM)
		return -EOPNOTSUPP;
	if (!thinning)
		return -EINVAL;
	error = source_set_rates(source, thinning);
	if (error)
		(void)source_set_rates(source, before);
	return error;
}

static int source_poll_fd(const struct source *base)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return source->watch.epoll_fd;
}

/* On kernels that do not count losses, reports the losses that LOST records contain. */
static void source_tell_ring_lost(struct perf_source *source, uint64_t now_ns)
{
	uint64_t lost = perf_feed_counters(source->feed)->ring_lost;

	if (source->open.features & PERF_FEATURE_LOST)
		return;
	perf_feed_lost(source->feed, now_ns, source->config.nr_events == 1 ? 0 : UINT32_MAX,
		       lost - source->ring_lost_told);
	source->ring_lost_told = lost;
}

/*
 * Returns whether records must wait for the code tables that their stacks need. When records have
 * waited for HOLD_NS, they are released, and no record waits again until a call finds that all
 * requested tables are available. Records also do not wait while they take HOLD_BYTES or more.
 */
static bool source_holds(struct perf_source *source, uint64_t now_ns)
{
	if (!source->consumer.early)
		return false;
	perf_state_tend(source->state);
	if (!perf_state_tables_waiting(source->state)) {
		source->held_ns = 0;
		return false;
	}
	if (!source->held_ns)
		source->held_ns = now_ns;
	return now_ns - source->held_ns < HOLD_NS &&
	       perf_feed_held_bytes(source->feed) < HOLD_BYTES;
}

static void source_round(struct perf_source *source, enum source_drain how, uint64_t begin_ns)
{
	bool all = how == SOURCE_DRAIN_ALL;

	source_read(source, all ? PERF_CPU_LOSSES_READ : PERF_CPU_LOSSES_IF_TIGHT, begin_ns);
	if (all || !source_holds(source, begin_ns))
		perf_feed_round(source->feed, begin_ns);
	source_tell_ring_lost(source, begin_ns);
}

/* Reads the processes again if side-band was lost or a CPU came online. */
static void source_rescan(struct perf_source *source, uint64_t now_ns)
{
	uint64_t lost = perf_source_side_band_lost(source);

	if ((lost == source->scan_lost && !source->scan_wanted) || now_ns < source->scan_due_ns)
		return;
	source->scan_lost = lost;
	source->nr_scans++;
	source->rescanning = true;
	(void)source_scan(source);
	source->rescanning = false;
}

/* The CPU is offline. The contents of its rings are still valid, so they are read. */
static void source_cpu_gone(struct perf_source *source, struct perf_cpu *cpu, uint64_t now_ns)
{
	source_read_cpu(source, cpu, PERF_CPU_LOSSES_READ, now_ns);
	perf_cpu_close(cpu, source->feed);
	source->nr_cpu_changes++;
}

static void source_cpu_came(struct perf_source *source, unsigned int cpu)
{
	struct thread_list threads;
	bool no_memory;
	int error = source_threads(source, &threads);

	if (!error) {
		error = source_open_cpu(source, cpu, &threads, &no_memory, NULL);
		thread_list_deinit(&threads);
	}
	if (!error && source->sampling)
		error = perf_cpu_enable(&source->cpus[cpu], true);
	if (error) {
		perf_cpu_close(&source->cpus[cpu], source->feed);
		source->cpus_missing = true;
		return;
	}
	source->nr_cpu_changes++;
	source->scan_wanted = true;
	/* The CPU may have run tasks before its events were open, so switches are missing. */
	perf_state_lose_switches(source->state, source->read_ns, clock_monotonic_ns(), 0);
}

static void source_check_cpus(struct perf_source *source, uint64_t now_ns)
{
	if (!cpu_watch_read(&source->cpu_watch) && !source->cpus_missing)
		return;
	source->cpus_missing = false;
	for (unsigned int i = 0; i < source->cpu_watch.nr_cpus; i++) {
		bool online = cpu_list_has(&source->cpu_watch.online, i);

		if (source->cpus[i].open && !online)
			source_cpu_gone(source, &source->cpus[i], now_ns);
		else if (!source->cpus[i].open && online)
			source_cpu_came(source, i);
	}
}

static int source_drain(struct source *base, enum source_drain how)
{
	struct perf_source *source = (struct perf_source *)base;
	uint64_t begin_ns = clock_monotonic_ns();

	if (drain_watch_take(&source->watch))
		source_check_cpus(source, begin_ns);
	source->nr_drains++;
	/*
	 * All watched processes have ended. Wait for their code tables before processing the last
	 * samples, which may be all samples of a very short program.
	 */
	if (how == SOURCE_DRAIN_ALL && drain_watch_ended(&source->watch)) {
		source_read(source, PERF_CPU_LOSSES_READ, begin_ns);
		perf_state_wait_tables(source->state, TABLES_WAIT_MS);
	}
	source_round(source, how, begin_ns);
	if (how == SOURCE_DRAIN_ALL) {
		/*
		 * Read once more, for records that were being written during the first pass. Then
		 * all records older than this call have been read.
		 */
		source_round(source, how, clock_monotonic_ns());
		perf_feed_flush(source->feed, begin_ns);
		source_tell_ring_lost(source, begin_ns);
		perf_state_tell_switches_lost(source->state, begin_ns);
	}
	source_rescan(source, begin_ns);
	perf_state_tend(source->state);
	return 0;
}

static bool source_ended(const struct source *base)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return drain_watch_ended(&source->watch);
}

static uint64_t source_seen(const struct source *base)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return perf_feed_counters(source->feed)->seen;
}

static const struct image *source_image(const struct source *base, uint32_t cookie)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return perf_state_image(source->state, cookie);
}

static const char *source_cgroup_path(const struct source *base, uint64_t cgroup)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return perf_state_cgroup_path(source->state, cgroup);
}

static const char *source_code_name(const struct source *base, uint32_t cookie, uint64_t offset)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return perf_state_code_name(source->state, cookie, offset);
}

static uint64_t source_function(const struct source *base, uint32_t cookie, uint64_t offset)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return perf_state_function(source->state, cookie, offset);
}

static int source_save_symbols(struct source *base, const char *meta_path)
{
	struct perf_source *source = (struct perf_source *)base;

	return perf_state_save_symbols(source->state, meta_path);
}

const struct source_ops source_perf = {
	.open = source_open,
	.close = source_close,
	.start = source_start,
	.stop = source_stop,
	.poll_fd = source_poll_fd,
	.drain = source_drain,
	.ended = source_ended,
	.seen = source_seen,
	.image = source_image,
	.cgroup_path = source_cgroup_path,
	.save_symbols = source_save_symbols,
	.code_name = source_code_name,
	.function = source_function,
	.read = source_read_only,
	.set_thinning = source_set_thinning,
	.notes = perf_source_notes,
	.unread = perf_source_unread,
	.children_cpu_ns = perf_source_children_cpu_ns,
	.counters = perf_source_counters,
};
