// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service.h"

#include "daemon/profiler/profiler_status.h"
#include "daemon/service/metrics.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/percent.h"
#include "oprof/session.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void service_init(struct service *service, const struct options *options, struct profiler *profiler)
{
	int error;

	memset(service, 0, sizeof(*service));
	service->options = options;
	service->profiler = profiler;
	service->notify.fd = -1;
	/* A background daemon and operf's private daemon report to no service manager. */
	if (!options->foreground || options->parent)
		return;
	error = notify_init(&service->notify);
	if (error)
		log_warning("cannot notify the service manager: %s", strerror(-error));
}

void service_deinit(struct service *service)
{
	notify_deinit(&service->notify);
}

/* ---- privileges ---- */

/*
 * Returns whether the folder belongs to another user. If the folder is missing, the daemon will
 * make it.
 */
static bool folder_is_foreign(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_uid != geteuid();
}

static bool parent_is_foreign(const char *path)
{
	char parent[PATH_MAX];
	char *slash;

	if (!path || snprintf(parent, sizeof(parent), "%s", path) >= (int)sizeof(parent))
		return false;
	slash = strrchr(parent, '/');
	if (!slash)
		return false;
	slash[slash == parent] = '\0';
	return folder_is_foreign(parent);
}

static void warn_of_lacks(const struct service *service)
{
	const struct privileges *kept = &service->privileges;

	if (kept->needs_admin && kept->kept)
		log_info("this kernel requires CAP_SYS_ADMIN for performance events: the daemon "
			 "keeps it");
	if (!kept->kept || service->options->nr_pids)
		/* the daemon has no privileges (`oprof doctor` reports this), or needs none */
		return;
	if (!privileges_has(kept, CAP_SYS_PTRACE))
		log_warning("without CAP_SYS_PTRACE, samples of other users' processes that are "
			    "already running are lost");
}

int service_settle(struct service *service, struct diag *diag)
{
	const struct options *options = service->options;
	struct privileges_needs needs = {
		.everything = options->keep_privileges,
		.whole_machine = !options->nr_pids,
		.foreign_folders =
			folder_is_foreign(".") || folder_is_foreign(OPROF_SAMPLES_NAME) ||
			folder_is_foreign(OPROF_SAMPLES_NAME "/" OPROF_SESSION_CURRENT) ||
			parent_is_foreign(options->metrics_file) ||
			parent_is_foreign(options->log_file),
	};
	char text[PRIVILEGES_TEXT_BYTES];
	int error;

	/* look up the user now, while no samples wait: this may take long */
	(void)folder_user(geteuid(), service->user);
	error = privileges_drop(&service->privileges, &needs, diag);
	if (error)
		return error;
	privileges_format(&service->privileges, text);
	log_debug("capabilities kept: %s", text);
	warn_of_lacks(service);
	return 0;
}

/* ---- figures ---- */

/*
 * Returns the processor time of the daemon and its children. The result never decreases, although
 * the time of a child may be unknown for a while: a keeper that was killed while it waits in a file
 * system that hangs has not ended yet, so its time is not in the time of the ended children.
 */
static uint64_t cpu_now_ns(const struct service *service)
{
	const struct source *source = service->profiler->source;
	uint64_t ns = cost_cpu_ns();

	if (source && source->ops->children_cpu_ns)
		ns += source->ops->children_cpu_ns(source);
	return ns > service->cost.last.cpu_ns ? ns : service->cost.last.cpu_ns;
}

static void point_now(const struct service *service, struct cost_point *point)
{
	const struct stats *stats = &service->profiler->session->stats;

	point->time_ns = clock_monotonic_ns();
	point->cpu_ns = cpu_now_ns(service);
	point->seen = point->lost = 0;
	if (!service->profiler->session->open)
		return;
	point->seen = stats->values[STATS_SEEN];
	for (unsigned int i = 0; i < OPROF_LOST_NR; i++)
		point->lost += stats->values[STATS_LOST + i];
}

/* ---- the CPU budget ---- */

static uint64_t lowest_hz(const struct source_config *config)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < config->nr_events; i++)
		if (config->events[i].frequency && config->events[i].period_or_hz < lowest)
			lowest = config->events[i].period_or_hz;
	return lowest == UINT64_MAX ? 0 : lowest;
}

/*
 * Thinning does not reduce the samples of time off CPU, which may be most of the samples. They are
 * therefore not included in nr_thinnable.
 */
static struct cpu_budget_meter meter_of(const struct profiler *profiler,
					const struct cost_point *point)
{
	return (struct cpu_budget_meter){
		.time_ns = point->time_ns,
		.cpu_ns = point->cpu_ns,
		.nr_samples = point->seen,
		.nr_thinnable = profiler->source->ops->seen(profiler->source),
	};
}

static void begin_budget(struct service *service, const struct cost_point *now)
{
	const struct source_config *config = &service->profiler->config.source;
	struct cpu_budget_meter meter = meter_of(service->profiler, now);
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	double share = service->options->cpu_budget / 100;

	cpu_budget_init(&service->budget, share, nr_cpus > 0 ? (unsigned int)nr_cpus : 1,
			lowest_hz(config), &meter);
	if (share > 0 && !lowest_hz(config))
		log_info("--cpu-budget has no effect: every event has a fixed count");
}

static void keep_budget(struct service *service, const struct cost_point *now)
{
	struct profiler *profiler = service->profiler;
	struct cpu_budget_meter meter = meter_of(service->profiler, now);
	unsigned int right = cpu_budget_decide(&service->budget, &meter, profiler->thinning);
	int error;

	/*
	 * If `thinning` is 1 but `thinned` is still set, an earlier call could not close the last
	 * thinned epoch. The call is then repeated.
	 */
	if (!profiler->running || (right == profiler->thinning && profiler->thinned == (right > 1)))
		return;
	error = profiler_set_thinning(profiler, right);
	if (error)
		log_error("cannot change the rate of samples: %s", strerror(-error));
	else
		log_info("profiling uses %.2f %% of a CPU, but its budget is %g %%: from now on, "
			 "only 1 of %u samples is taken",
			 100 * service->budget.cost, service->options->cpu_budget, right);
}

static void status_budget(const struct service *service, struct control_answer *answer)
{
	char text[PERCENT_BYTES];

	if (service->options->cpu_budget <= 0)
		return;
	percent_format(service->options->cpu_budget, text);
	control_answer_add(answer, "cpu_budget", "%s", text);
	if (service->budget.cost >= 0)
		control_answer_add(answer, "cpu_cost", "%.4f", 100 * service->budget.cost);
	if (service->budget.exceeded)
		control_answer_add(answer, "warning",
				   "profiling uses %.2f %% of a CPU, which is more than its "
				   "budget, but fewer samples would not reduce the cost",
				   100 * service->budget.cost);
}

/* ---- reports ---- */

void service_status(const struct service *service, struct control_answer *answer)
{
	struct cost cost = service->cost;
	struct cost_stretch lately, since_begin;
	char text[PRIVILEGES_TEXT_BYTES];
	struct cost_point now;

	profiler_status(service->profiler, answer);
	point_now(service, &now);
	cost_take(&cost, &now);
	cost_lately(&cost, &lately);
	cost_since_begin(&cost, &since_begin);
	privileges_format(&service->privileges, text);
	if (service->options->metrics_file)
		control_answer_add(answer, "metrics", "%s", service->options->metrics_file);
	control_answer_add(answer, "up_since", "%" PRId64, service->up_since_ns);
	control_answer_add(answer, "user", "%s", service->user);
	control_answer_add(answer, "capabilities", "%s", text);
	control_answer_add(answer, "cpus", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	control_answer_add(answer, "cpu_ns", "%" PRIu64, now.cpu_ns);
	control_answer_add(answer, "cpu_percent", "%.4f", 100 * since_begin.cpu_share);
	control_answer_add(answer, "resident_bytes", "%" PRIu64, cost_resident_bytes());
	control_answer_add(answer, "recent_ns", "%" PRIu64, lately.ns);
	control_answer_add(answer, "recent_seen", "%" PRIu64, lately.seen);
	control_answer_add(answer, "recent_lost", "%" PRIu64, lately.lost);
	control_answer_add(answer, "recent_cpu_percent", "%.4f", 100 * lately.cpu_share);
	status_budget(service, answer);
	if (service->profiler->drain_error)
		control_answer_add(answer, "warning", "samples cannot be read: %s",
				   strerror(-service->profiler->drain_error));
	if (service->metrics_error)
		control_answer_add(answer, "warning", "metrics cannot be written to %s: %s",
				   service->options->metrics_file,
				   strerror(-service->metrics_error));
}

static void write_metrics(struct service *service, bool up)
{
	static struct control_answer answer; /* too big for the stack */
	const char *path = service->options->metrics_file;
	char *text;
	int error;

	if (!path)
		return;
	control_answer_init(&answer);
	service_status(service, &answer);
	answer.text[answer.nr_bytes < sizeof(answer.text) ? answer.nr_bytes
							  : sizeof(answer.text) - 1] = '\0';
	text = metrics_format(answer.text, clock_realtime_ns(), up);
	error = text ? metrics_write(path, text) : -ENOMEM;
	free(text);
	if (error && error != service->metrics_error)
		log_error("cannot write metrics to %s: %s", path, strerror(-error));
	service->metrics_error = error;
}

static void tell_manager(struct service *service)
{
	const struct profiler *profiler = service->profiler;
	struct cost_stretch lately;

	service->told_running = profiler->running;
	cost_lately(&service->cost, &lately);
	if (profiler->running)
		notify_status(&service->notify,
			      "sampling: %.0f samples/s, %" PRIu64 " lost of %" PRIu64
			      " recently; %.2f %% of a CPU",
			      profiler->rate, lately.lost, lately.seen, 100 * lately.cpu_share);
	else
		notify_status(&service->notify, "sampling has been stopped");
}

/* ---- start, main loop and end ---- */

void service_ready(struct service *service)
{
	struct cost_point now;

	service->up_since_ns = clock_realtime_ns();
	point_now(service, &now);
	cost_begin(&service->cost, &now);
	begin_budget(service, &now);
	service->told_ns = now.time_ns;
	notify_ready(&service->notify);
	tell_manager(service);
	write_metrics(service, true);
}

/*
 * Returns whether the watchdog may be notified. While the daemon samples, it must have read samples
 * successfully within the last half of the watchdog's time.
 */
static bool service_works(const struct service *service, uint64_t now_ns)
{
	const struct profiler *profiler = service->profiler;
	uint64_t drained_ns = profiler->drained_ns;

	return !profiler->running || now_ns < drained_ns ||
	       now_ns - drained_ns < service->notify.watchdog_ns / 2;
}

void service_tick(struct service *service, uint64_t now_ns)
{
	/* If sampling has started or stopped, this is reported immediately. */
	bool news = service->told_running != service->profiler->running;
	struct cost_point now;

	if (service->notify.watchdog_ns && service_works(service, now_ns))
		notify_alive(&service->notify, now_ns);
	if (!news && now_ns - service->cost.last.time_ns < COST_STEP_NS)
		return;
	log_tick();
	point_now(service, &now);
	cost_take(&service->cost, &now);
	keep_budget(service, &now);
	if (!news && now_ns - service->told_ns < SERVICE_METRICS_NS)
		return;
	service->told_ns = now_ns;
	tell_manager(service);
	write_metrics(service, true);
}

int service_wait_ms(const struct service *service, int wait_ms)
{
	return notify_wait_ms(&service->notify, wait_ms);
}

void service_stopping(struct service *service)
{
	notify_stopping(&service->notify);
	notify_status(&service->notify, "stopping: writing samples to disk");
	write_metrics(service, false); /* must be called while the profiler still exists */
}
