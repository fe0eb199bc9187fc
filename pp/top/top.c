// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top.h"

#include "client/client_recent.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "oprof/session.h"
#include "pp/selection/session_dir.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Limits of the time to wait for an answer after top_take_keys(). The time is short, because
 * waiting for a slow daemon delays the reaction to signals.
 */
#define PATIENCE_MIN_MS 1000
#define PATIENCE_MAX_MS 4000
/* The time after top_be_patient(). On a busy machine, a script would rather wait than fail. */
#define PATIENCE_LONG_MS 60000

/* ---- finding the daemon ---- */

static int no_daemon(const char *dir, struct diag *diag)
{
	return diag_set(diag, -ENOTCONN,
			"no daemon runs for the session folder %s; oprof start starts one", dir);
}

/*
 * Returns 0 if a daemon answers for the folder dir; *at: the path by which to read the folder. If
 * root reads the folder of another user, this process becomes that user.
 */
static int probe(const char *dir, char at[READ_FOLDER_BYTES], struct diag *diag)
{
	int error = client_probe(dir, diag);
	int fd;

	if (error)
		return error;
	fd = read_folder_open(dir, at, diag); /* fd stays open, because *at may refer to fd */
	return fd < 0 ? fd : 0;
}

static int find_session(const char *wanted, const char **dir, char at[READ_FOLDER_BYTES],
			struct diag *diag)
{
	int error;

	*dir = wanted ? wanted : SESSION_DIR_OWN;
	error = probe(*dir, at, diag);
	if (error && !wanted) {
		*dir = SESSION_DIR_SYSTEM;
		error = probe(*dir, at, diag);
	}
	if (error != -ENOTCONN)
		return error;
	if (wanted)
		return no_daemon(wanted, diag);
	return diag_set(diag, error,
			"no daemon samples this machine (looked in " SESSION_DIR_OWN
			" and " SESSION_DIR_SYSTEM "); oprof start starts one");
}

/* ---- the daemon's CPU time ---- */

static bool read_cpu_ns(pid_t pid, uint64_t *cpu_ns)
{
	char path[64];
	char *text;

	(void)snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	if (pid <= 0 || file_read_text(path, 4096, &text, NULL))
		return false;
	*cpu_ns = strtoull(text, NULL, 10);
	free(text);
	return true;
}

/*
 * Returns the start time of pid in CLOCK_BOOTTIME; 0: unknown. The process's name in /proc/PID/stat
 * may contain blanks, so fields are counted from its end.
 */
static uint64_t read_start_ns(pid_t pid)
{
	long ticks = sysconf(_SC_CLK_TCK);
	uint64_t start = 0;
	char path[64];
	char *text;
	char *at;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (ticks <= 0 || file_read_text(path, 4096, &text, NULL))
		return 0;
	at = strrchr(text, ')');
	for (unsigned int i = 0; at && i < 20; i++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	if (at)
		start = strtoull(at, NULL, 10) * (NS_PER_SECOND / (uint64_t)ticks);
	free(text);
	return start;
}

/*
 * Computes the daemon's cost since the previous answer; for a new daemon, since the daemon's start.
 */
static void update_cost(struct top *top)
{
	uint64_t now_ns = clock_ns(CLOCK_BOOTTIME);
	pid_t daemon = top->samples.daemon;
	uint64_t cpu_ns;

	top->daemon_percent = -1;
	if (!read_cpu_ns(daemon, &cpu_ns))
		return;
	if (daemon != top->daemon) {
		top->daemon = daemon;
		top->cpu_ns = 0;
		top->cpu_at_ns = read_start_ns(daemon);
	}
	if (top->cpu_at_ns && now_ns > top->cpu_at_ns)
		top->daemon_percent =
			100.0 * (double)(cpu_ns - top->cpu_ns) / (double)(now_ns - top->cpu_at_ns);
	top->cpu_ns = cpu_ns;
	top->cpu_at_ns = now_ns;
}

/* ---- events ---- */

static void keep_event(struct top *top)
{
	const struct top_event *event;

	if (top->event >= top->samples.nr_events)
		return;
	event = &top->samples.events[top->event];
	top->event_kept = *event;
	top->event_known = true;
	(void)snprintf(top->event_name, sizeof(top->event_name), "%s", event->name);
}

static bool is_kept(const struct top *top, const struct top_event *event)
{
	if (strcmp(top->event_name, event->name) != 0)
		return false;
	return !top->event_known || (event->period_or_hz == top->event_kept.period_or_hz &&
				     event->frequency == top->event_kept.frequency &&
				     event->unit_mask == top->event_kept.unit_mask);
}

/*
 * Returns whether an event is a better default. Events that show where code runs are preferred to
 * time off CPU, which always has more samples.
 */
static bool is_better(const struct top_event *event, const struct top_event *best)
{
	if (event->exact != best->exact)
		return best->exact;
	return event->nr_samples + event->nr_idle > best->nr_samples + best->nr_idle;
}

/*
 * Finds the event that was shown before. If this event has no samples, finds the best other event.
 */
static void find_event(struct top *top)
{
	const struct top_samples *samples = &top->samples;

	top->event = 0;
	for (size_t i = 0; i < samples->nr_events; i++) {
		if (is_kept(top, &samples->events[i])) {
			top->event = i;
			return;
		}
		if (is_better(&samples->events[i], &samples->events[top->event]))
			top->event = i;
	}
	top->event_lacks = *top->event_name;
	if (!top->event_lacks)
		keep_event(top);
	else
		(void)diag_set(&top->trouble, -ENOENT, "no recent samples of event %s",
			       top->event_name);
}

void top_next_event(struct top *top)
{
	if (!top->samples.nr_events)
		return;
	top->event = (top->event + 1) % top->samples.nr_events;
	keep_event(top);
}

/* ---- answers ---- */

int top_make_rows(struct top *top)
{
	const struct top_choice choice = {top->event, top->view, top->filter};
	struct top_rows rows;
	int error;

	top_symbols_begin(top->symbols);
	error = top_rows_make(&rows, &top->samples, &choice, top->symbols);
	if (error)
		return error;
	top_rows_deinit(&top->rows);
	top->rows = rows;
	return 0;
}

static void take_answer(struct top *top, const struct top_samples *samples)
{
	const char *host;

	top_rows_deinit(&top->rows);
	top_samples_deinit(&top->samples);
	top->samples = *samples;
	host = slice_info(samples->slice)->host;
	(void)snprintf(top->host, sizeof(top->host), "%s", host ? host : "");
	find_event(top);
	update_cost(top);
}

void top_take_keys(struct top *top, int key_fd)
{
	top->patience = (struct client_patience){PATIENCE_MIN_MS, key_fd};
}

void top_be_patient(struct top *top, int wake_fd)
{
	if (wake_fd >= 0)
		top->patience = (struct client_patience){PATIENCE_LONG_MS, wake_fd};
}

/*
 * Reports that the daemon is slow, and doubles the time to wait: if the time were always too short,
 * the daemon could never answer in time.
 */
static void tell_slow(struct top *top)
{
	struct client_patience *patience = &top->patience;

	(void)diag_set(&top->trouble, -ETIMEDOUT,
		       "the daemon is slow: it did not answer within %d s",
		       patience->timeout_ms / 1000);
	if (patience->timeout_ms < PATIENCE_MAX_MS)
		patience->timeout_ms *= 2;
}

int top_refresh(struct top *top)
{
	struct top_samples samples;
	struct diag why;
	int error =
		top_samples_ask(&samples, top->session_at, top->window_ns, &top->patience, &why);

	top->event_lacks = false;
	if (error == -ENOMEM)
		return error;
	if (error == -ETIMEDOUT)
		tell_slow(top);
	else if (error == -ENOTCONN)
		(void)no_daemon(top->session_dir, &top->trouble);
	else if (error &&
		 error != -EINTR) /* -EINTR: a key or signal came; the request may be repeated */
		top->trouble = why;
	if (error) /* show the old samples: the user may have chosen another view */
		return top_make_rows(top);
	diag_clear(&top->trouble);
	take_answer(top, &samples);
	return top_make_rows(top);
}

struct top_show top_show(const struct top *top)
{
	return (struct top_show){
		.samples = &top->samples,
		.rows = &top->rows,
		.choice = {top->event, top->view, top->filter},
		.daemon_percent = top->daemon_percent,
		.host = top->host,
		.paused = top->paused,
	};
}

int top_init(struct top *top, const struct top_options *options, struct diag *diag)
{
	char meta[READ_FOLDER_BYTES + 64];
	int error;

	*top = (struct top){.view = options->view,
			    .window_ns = options->window_ns,
			    .patience = {CLIENT_TIMEOUT_MS, -1},
			    .daemon_percent = -1};
	diag_clear(&top->trouble);
	error = find_session(options->session_dir, &top->session_dir, top->session_at, diag);
	if (error)
		return error;
	(void)snprintf(top->filter, sizeof(top->filter), "%s",
		       options->filter ? options->filter : "");
	(void)snprintf(top->event_name, sizeof(top->event_name), "%s",
		       options->event ? options->event : "");
	(void)snprintf(meta, sizeof(meta),
		       "%s/" OPROF_SAMPLES_NAME "/" OPROF_SESSION_CURRENT "/" OPROF_META_NAME,
		       top->session_at);
	error = top_symbols_create(&top->symbols, meta);
	return error ? diag_set(diag, error, "cannot start: %s", strerror(-error)) : 0;
}

void top_deinit(struct top *top)
{
	top_rows_deinit(&top->rows);
	top_samples_deinit(&top->samples);
	top_symbols_destroy(top->symbols);
}
