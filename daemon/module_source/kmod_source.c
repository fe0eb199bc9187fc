// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_source.h"

#include "daemon/module_source/kmod_buffer.h"
#include "daemon/module_source/kmod_control.h"
#include "daemon/module_source/kmod_setup.h"
#include "daemon/module_source/kmod_state.h"
#include "daemon/module_source/kmod_stats.h"
#include "daemon/perf/perf_regs.h"
#include "daemon/system/drain_watch.h"
#include "lib/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/*
 * Maximum delay of one CPU's records relative to those of another CPU: ten passes of the module's
 * sync worker (doc/kmod.md).
 */
#define SWITCHES_WAIT_NS UINT64_C(1000000000)

/* If the buffer is busy, the source tries to open it again for three seconds. */
#define BUSY_PAUSE_NS 50000000
#define BUSY_TRIES    60u

/* Inode of the machine's own pid namespace in /proc, fixed by the kernel (PROC_PID_INIT_INO). */
#define FIRST_PID_NAMESPACE 0xeffffffcu

struct kmod_source {
	/* must be first: the functions of source_ops cast its address */
	struct source base;
	struct source_config config; /* events is a copy that this source owns */
	struct event_choice events[SOURCE_EVENTS_MAX];
	struct kmod_control control;
	struct kmod_state state;
	struct kmod_buffer buffer;
	struct kmod_stats stats;
	struct drain_watch watch;
	uint64_t nr_drains;
};
_Static_assert(offsetof(struct kmod_source, base) == 0, "source_ops cast base");

/* ---- opening ---- */

/* If enabling several events fails, the module does not report which event is the cause. */
static int enable_diag(const struct kmod_source *source, int error, struct diag *diag)
{
	const char *name = source->config.nr_events == 1 ? source->events[0].name : "these events";

	switch (error) {
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		return diag_set(diag, error,
				"the kernel module cannot count %s on this machine (no such "
				"counter, or one without an interrupt): use cpu-clock",
				name);
	case -EBUSY:
	case -ENOSPC: /* callers take -EBUSY for a running daemon, so return -ENOSPC */
		return diag_set(diag, -ENOSPC,
				"the kernel module cannot get a counter for %s: other programs "
				"use the counters, or the machine has too few counters",
				name);
	default:
		return diag_set(diag, error, "the kernel module cannot sample %s: %s", name,
				strerror(-error));
	}
}

/*
 * The module creates counters only when sampling begins. Starts sampling now, to report errors
 * early, then stops it and closes the buffer, so that later sampling begins with an empty buffer.
 */
static int source_try(struct kmod_source *source, struct diag *diag)
{
	int error = kmod_control_open_buffer(&source->control, diag);

	if (error)
		return error;
	error = kmod_control_enable(&source->control, 1);
	if (!error)
		error = kmod_control_enable(&source->control, 0);
	kmod_control_close_buffer(&source->control);
	return error ? enable_diag(source, error, diag) : 0;
}

static bool source_samples_kernel(const struct kmod_source *source)
{
	for (size_t i = 0; i < source->config.nr_events; i++)
		if (event_choice_is_sampled(&source->events[i]) && source->events[i].kernel)
			return true;
	return false;
}

static int source_init_state(struct kmod_source *source, const struct kmod_source_options *options,
			     struct record_sink *sink, struct diag *diag)
{
	const struct kmod_state_config config = {
		.places =
			{
				.sink = sink,
				.proc_path = options->proc_path,
				.sys_path = options->sys_path,
				.kernel = source_samples_kernel(source),
				.keep_images = !options->no_keeper,
				.read_apart = !options->no_keeper,
				.keep_bytes_max = source->config.keep_bytes_max,
				/*
				 * Code tables are built only on machines that perf_regs_here()
				 * supports.
				 */
				.code_tables = source->config.chain_depth && perf_regs_here(),
				.code_path = source->config.code_path,
			},
		.nr_events = source->config.nr_events,
		.chain_depth = source->config.chain_depth,
		.want_cgroup = source->config.want_cgroup,
		.want_switches = source->config.want_switches,
		.open = options->open,
	};

	return kmod_state_init(&source->state, &config, diag);
}

static int source_take_module(struct kmod_source *source, struct diag *diag)
{
	int error = kmod_setup_write(&source->control, &source->config, diag);

	return error ? error : source_try(source, diag);
}

/*
 * Tries for some time to open a busy buffer. When a daemon is killed, its lock is released, but a
 * child that syncs may keep the buffer open a little longer. Without further tries, the next daemon
 * would take this child for a running daemon, and would use perf for its whole run.
 */
static int source_open_module(struct kmod_source *source, const struct kmod_source_options *options,
			      struct diag *diag)
{
	const struct timespec pause = {.tv_nsec = BUSY_PAUSE_NS};
	int error = kmod_control_open(&source->control, options->path, options->sysfs_path, diag);
	unsigned int nr_tries = BUSY_TRIES;

	if (error)
		return error;
	while ((error = source_take_module(source, diag)) == -EBUSY && --nr_tries)
		(void)nanosleep(&pause, NULL);
	return error;
}

static int source_open_buffer(struct kmod_source *source, struct diag *diag)
{
	int error = kmod_control_open_buffer(&source->control, diag);

	if (error)
		return error;
	source->buffer.fd = source->control.buffer_fd;
	source->state.images.buffer_fd = source->control.buffer_fd;
	kmod_stats_open(&source->stats, source->control.folder_fd);
	error = drain_watch_open(&source->watch, NULL, 0);
	if (!error)
		error = drain_watch_add(&source->watch, source->control.buffer_fd);
	return error ? diag_set(diag, error, "cannot wait for the kernel module's buffer: %s",
				strerror(-error))
		     : 0;
}

static void source_close(struct source *base)
{
	struct kmod_source *source = (struct kmod_source *)base;

	if (!source)
		return;
	kmod_state_deinit(&source->state);
	kmod_buffer_deinit(&source->buffer);
	kmod_stats_close(&source->stats);
	drain_watch_close(&source->watch);
	kmod_control_close(&source->control);
	free(source);
}

static int source_open_parts(struct kmod_source *source, const struct kmod_source_options *options,
			     struct record_sink *sink, struct diag *diag)
{
	/* Open the module first: if this fails, the other parts are not needed. */
	int error = source_open_module(source, options, diag);

	if (!error)
		error = source_init_state(source, options, sink, diag);
	if (!error && kmod_buffer_init(&source->buffer))
		error = diag_set(diag, -ENOMEM, "out of memory");
	return error ? error : source_open_buffer(source, diag);
}

/*
 * Checks that the daemon runs in the machine's pid namespace. The module reports the machine's
 * process ids, but a container has its own.
 */
static int check_namespace(const struct kmod_source_options *options, struct diag *diag)
{
	struct stat st;

	if (options->proc_path || stat("/proc/self/ns/pid", &st) ||
	    st.st_ino == FIRST_PID_NAMESPACE)
		return 0;
	return diag_set(
		diag, -EOPNOTSUPP,
		"the daemon runs in a pid namespace of its own (a container), but the kernel "
		"module reports process numbers of the whole machine");
}

int kmod_source_open(struct source **source, const struct source_config *config,
		     const struct kmod_source_options *options, struct record_sink *sink,
		     struct diag *diag)
{
	struct kmod_source *made;
	int error;

	if (!config->nr_events || config->nr_events > SOURCE_EVENTS_MAX)
		return diag_set(diag, -EINVAL, "no event, or too many events");
	error = kmod_setup_check(config, diag);
	if (!error)
		error = check_namespace(options, diag);
	if (error)
		return error;
	made = calloc(1, sizeof(*made));
	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory");
	made->base = (struct source){.ops = &source_kmod, .name = "kmod"};
	made->config = *config;
	memcpy(made->events, config->events, config->nr_events * sizeof(*config->events));
	made->config.events = made->events;
	kmod_control_init(&made->control);
	kmod_stats_init(&made->stats);
	made->state.places.keep.fd = -1;
	made->watch.epoll_fd = -1;
	made->watch.timer_fd = -1;
	error = source_open_parts(made, options, sink, diag);
	if (error)
		source_close(&made->base);
	else
		*source = &made->base;
	return error;
}

static int source_open(struct source **source, const struct source_config *config,
		       struct record_sink *sink, struct diag *diag)
{
	const struct kmod_source_options options = {.path = NULL};

	return kmod_source_open(source, config, &options, sink, diag);
}

/* ---- running ---- */

/*
 * Enables or disables sampling. The module does this for one CPU after another. Until it has
 * finished, switches are recorded on some CPUs only; these switches are ignored.
 */
static int source_enable(struct kmod_source *source, int on)
{
	uint64_t begin_ns = clock_monotonic_ns();
	int error = kmod_control_enable(&source->control, on);

	if (source->config.want_switches)
		kmod_switches_ignore(&source->state.switches, begin_ns, clock_monotonic_ns());
	return error;
}

static int source_start(struct source *base)
{
	struct kmod_source *source = (struct kmod_source *)base;

	return source_enable(source, 1);
}

static int source_stop(struct source *base)
{
	struct kmod_source *source = (struct kmod_source *)base;

	return source_enable(source, 0);
}

static int source_set_thinning(struct source *base, unsigned int thinning)
{
	struct kmod_source *source = (struct kmod_source *)base;

	return thinning ? kmod_control_thin(&source->control, thinning) : -EINVAL;
}

static int source_poll_fd(const struct source *base)
{
	const struct kmod_source *source = (const struct kmod_source *)base;

	return source->watch.epoll_fd;
}

static void source_take(void *context, const void *records, size_t nr_bytes)
{
	struct kmod_source *source = context;

	kmod_state_apply(&source->state, records, nr_bytes);
}

static int source_dump(const struct kmod_source *source)
{
	int error;

	do {
		error = kmod_control_dump(&source->control);
	} while (error == -EINTR);
	return error;
}

/*
 * Returns the time up to which all switches have been read. In the first second after boot, or in a
 * time namespace, the clock may be less than SWITCHES_WAIT_NS; the result is then 0.
 */
static uint64_t switches_until(enum source_drain how, uint64_t begin_ns)
{
	if (how == SOURCE_DRAIN_ALL)
		return begin_ns;
	return begin_ns > SWITCHES_WAIT_NS ? begin_ns - SWITCHES_WAIT_NS : 0;
}

static int source_drain(struct source *base, enum source_drain how)
{
	struct kmod_source *source = (struct kmod_source *)base;
	uint64_t begin_ns = clock_monotonic_ns();
	int error = 0, read_error;

	(void)drain_watch_take(&source->watch);
	source->nr_drains++;
	if (how == SOURCE_DRAIN_ALL)
		error = source_dump(source);
	read_error = kmod_buffer_take(&source->buffer, kmod_setup_buffer_bytes(&source->config),
				      source_take, source);
	kmod_switches_tell(&source->state.switches, &source->state.places.writer,
			   switches_until(how, begin_ns));
	kmod_stats_read(&source->stats);
	image_keep_tend(&source->state.places.keep, clock_monotonic_ns());
	return error ? error : read_error;
}

static void source_read(struct source *base)
{
	struct kmod_source *source = (struct kmod_source *)base;

	kmod_buffer_read_ahead(&source->buffer);
}

static bool source_ended(const struct source *base)
{
	(void)base;
	return false; /* the whole machine is sampled, which never ends */
}

/* ---- look-ups ---- */

static uint64_t source_seen(const struct source *base)
{
	const struct kmod_source *source = (const struct kmod_source *)base;

	return source->state.counters.seen;
}

static const struct image *source_image(const struct source *base, uint32_t cookie)
{
	const struct kmod_source *source = (const struct kmod_source *)base;

	return places_image(&source->state.places, cookie);
}

static const char *source_cgroup_path(const struct source *base, uint64_t cgroup)
{
	const struct kmod_source *source = (const struct kmod_source *)base;

	return cgroup_names_find(&source->state.places.cgroups, cgroup);
}

static const char *source_code_name(const struct source *base, uint32_t cookie, uint64_t offset)
{
	const struct kmod_source *source = (const struct kmod_source *)base;

	return places_code_name(&source->state.places, cookie, offset);
}

static uint64_t source_function(const struct source *base, uint32_t cookie, uint64_t offset)
{
	const struct kmod_source *source = (const struct kmod_source *)base;

	return places_function(&source->state.places, cookie, offset);
}

static int source_save_symbols(struct source *base, const char *meta_path)
{
	struct kmod_source *source = (struct kmod_source *)base;

	return places_save_symbols(&source->state.places, meta_path);
}

static size_t source_notes(const struct source *base, struct source_note *notes, size_t room)
{
	const struct kmod_source *source = (const struct kmod_source *)base;
	static const struct source_note timer = {
		"timer", "the kernel module's timer takes the samples: samples of kernel code "
			 "that runs with interrupts off are attributed to the code that enables "
			 "interrupts again"};

	for (size_t i = 0; i < source->config.nr_events && room; i++) {
		if (!kmod_setup_is_timer(&source->events[i]))
			continue;
		notes[0] = timer;
		return 1;
	}
	return 0;
}

static size_t source_unread(const struct source *base, struct source_unread *list, size_t room,
			    uint64_t *nr_late)
{
	const struct kmod_source *source = (const struct kmod_source *)base;

	return places_unread(&source->state.places, list, room, nr_late);
}

static uint64_t source_children_cpu_ns(const struct source *base)
{
	const struct kmod_source *source = (const struct kmod_source *)base;

	return places_children_cpu_ns(&source->state.places);
}

static size_t source_counters(const struct source *base, struct source_counter *counters,
			      size_t room)
{
	const struct kmod_source *source = (const struct kmod_source *)base;
	const struct kmod_state_counters *own = &source->state.counters;
	const struct source_counter all[] = {
		{"records", own->records},
		{"unknown_records", own->unknown_records},
		{"bad_records", own->bad_records},
		{"late_records", source->state.switches.nr_late},
		{"drains", source->nr_drains},
		{"switch_records", own->switch_records},
		{"module_records", own->module_records},
		{"processes_ended", own->processes_ended},
		{"images_unopened", source->state.images.nr_unopened},
		{"links_taken", own->links_taken},
		{"links_left", own->links_left},
	};
	size_t nr = sizeof(all) / sizeof(all[0]);

	for (size_t i = 0; i < nr && i < room; i++)
		counters[i] = all[i];
	nr += kmod_stats_counters(&source->stats, nr < room ? counters + nr : NULL,
				  nr < room ? room - nr : 0);
	return nr + places_counters(&source->state.places, nr < room ? counters + nr : NULL,
				    nr < room ? room - nr : 0);
}

const struct source_ops source_kmod = {
	.open = source_open,
	.close = source_close,
	.start = source_start,
	.stop = source_stop,
	.poll_fd = source_poll_fd,
	.drain = source_drain,
	.read = source_read,
	.ended = source_ended,
	.seen = source_seen,
	.image = source_image,
	.cgroup_path = source_cgroup_path,
	.save_symbols = source_save_symbols,
	.code_name = source_code_name,
	.function = source_function,
	.set_thinning = source_set_thinning,
	.notes = source_notes,
	.unread = source_unread,
	.children_cpu_ns = source_children_cpu_ns,
	.counters = source_counters,
};
