// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/tracer_serve.h"

#include "daemon/trace/trace_place.h"
#include "lib/clock.h"
#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAME_TRIES 100u
/*
 * After a failed snapshot, conditions are ignored for this time, because they may often be true
 * while the reason of the failure, such as a full disk, persists.
 */
#define PAUSE_NS UINT64_C(10000000000)

/* ---- results of a trace ---- */

static uint64_t sum_lost(const struct tracer_counts *counts)
{
	return counts->lost_kernel + counts->lost_nested + counts->lost_room + counts->lost_bad +
	       counts->lost_disk;
}

void tracer_tell_counts(const struct tracer_counts *counts, bool in_memory,
			void (*tell)(void *context, bool is_loss, const char *text), void *context)
{
	const struct {
		uint64_t nr;
		const char *why;
	} losses[] = {
		{counts->lost_kernel,
		 "events were lost because the kernel's buffers were full or already closed: "
		 "choose fewer events, or larger buffers (-m)"},
		{counts->lost_nested,
		 "events were lost because interrupts were nested too deeply, or because the "
		 "thread that wrote the events was killed"},
		{counts->lost_room,
		 "events were lost because they are longer than a buffer, or because memory was "
		 "lacking: choose larger buffers (-m)"},
		{counts->lost_bad,
		 "records were lost because they do not match the kernel's description of their "
		 "event"},
		{counts->lost_disk,
		 "events were lost in packets that could not be written to disk"},
		{counts->ring_errors,
		 "times, the kernel's buffers were damaged: an unknown number of events is "
		 "missing"},
		{counts->packet_errors,
		 "packets were refused, because of an error in oprof: please report this"},
		{counts->chunks_failed,
		 "chunks could not be compressed or removed: they stay as they are"},
		{counts->unjudged,
		 "events were not checked against the conditions (--snapshot-if), because they "
		 "arrived too fast, or because memory was lacking"},
		{counts->nr_late,
		 "events arrived late, and have the time of the previous event on their CPU"},
		{counts->nr_throttled,
		 "times, the kernel stopped sampling for a while because samples took too long: "
		 "take fewer samples per second (sample:HZ)"},
		{counts->forgotten,
		 "starts, ends and mappings of programs were discarded from memory, the oldest "
		 "first: programs that have ended since then may have no names"},
	};
	char text[256];

	if (in_memory)
		(void)snprintf(text, sizeof(text),
			       "%" PRIu64 " events went through memory, %" PRIu64 " lost",
			       counts->nr_records, sum_lost(counts));
	else
		(void)snprintf(
			text, sizeof(text), "%" PRIu64 " events in %.1f MB, %" PRIu64 " lost",
			counts->nr_records, (double)counts->nr_bytes / 1e6, sum_lost(counts));
	tell(context, false, text);
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		if (!losses[i].nr)
			continue;
		(void)snprintf(text, sizeof(text), "%" PRIu64 " %s", losses[i].nr, losses[i].why);
		tell(context, true, text);
	}
}

/* ---- status ---- */

static void add_counts(struct control_answer *answer, const struct tracer_counts *counts)
{
	control_answer_add(answer, "records", "%" PRIu64, counts->nr_records);
	control_answer_add(answer, "bytes", "%" PRIu64, counts->nr_bytes);
	control_answer_add(answer, "lost_kernel", "%" PRIu64, counts->lost_kernel);
	control_answer_add(answer, "lost_nested", "%" PRIu64, counts->lost_nested);
	control_answer_add(answer, "lost_room", "%" PRIu64, counts->lost_room);
	control_answer_add(answer, "lost_bad", "%" PRIu64, counts->lost_bad);
	control_answer_add(answer, "lost_disk", "%" PRIu64, counts->lost_disk);
	control_answer_add(answer, "ring_errors", "%" PRIu64, counts->ring_errors);
	control_answer_add(answer, "packet_errors", "%" PRIu64, counts->packet_errors);
	control_answer_add(answer, "chunks_failed", "%" PRIu64, counts->chunks_failed);
	control_answer_add(answer, "unjudged", "%" PRIu64, counts->unjudged);
	control_answer_add(answer, "late", "%" PRIu64, counts->nr_late);
	control_answer_add(answer, "throttled", "%" PRIu64, counts->nr_throttled);
	control_answer_add(answer, "forgotten", "%" PRIu64, counts->forgotten);
}

static void add_conditions(const struct tracer_serve *serve, struct control_answer *answer)
{
	const struct tracer_options *options = serve->options;

	for (size_t i = 0; i < options->nr_conditions; i++)
		control_answer_add(answer, "snapshot_if", "%s", options->conditions[i]);
	if (!options->nr_conditions)
		return;
	control_answer_add(answer, "snapshot_limit", "%" PRIu64, options->snapshot_limit);
	control_answer_add(answer, "snapshots_by_condition", "%" PRIu64, serve->nr_by_condition);
}

static void add_failures(const struct tracer_serve *serve, struct control_answer *answer)
{
	control_answer_add(answer, "snapshots_failed", "%" PRIu64, serve->nr_failed);
	if (serve->nr_failed)
		control_answer_add(answer, "last_failure", "%s", serve->last_failure);
}

static void answer_status(struct tracer_serve *serve, struct control_answer *answer)
{
	const struct tracer_options *options = serve->options;
	const struct tracer_counts counts = tracer_counts(serve->tracer);
	const struct tracer_held held = tracer_held(serve->tracer);
	const struct tracer_sizes sizes = tracer_sizes(serve->tracer);

	control_answer_add(answer, "version", "%s", OPROF_VERSION);
	control_answer_add(answer, "pid", "%d", (int)getpid());
	control_answer_add(answer, "state", "%s", serve->ending ? "ending" : "running");
	control_answer_add(answer, "mode", "%s", options->overwrite ? "overwrite" : "discard");
	control_answer_add(answer, "sub_buffers", "%u", sizes.nr_sub_buffers);
	control_answer_add(answer, "sub_buffer_bytes", "%u", sizes.sub_buffer_bytes);
	control_answer_add(answer, "memory_bytes", "%" PRIu64, held.nr_bytes);
	control_answer_add(answer, "events", "%u", tracer_nr_events(serve->tracer));
	control_answer_add(answer, "cpus", "%u", sizes.nr_cpus);
	control_answer_add(answer, "folder", "%s", options->folder);
	control_answer_add(answer, "started", "%" PRId64, serve->started_ns);
	control_answer_add(answer, "covered_ns", "%" PRIu64, held.now - held.since);
	add_counts(answer, &counts);
	control_answer_add(answer, "snapshots", "%" PRIu64, serve->nr_snapshots);
	add_failures(serve, answer);
	if (serve->last_folder[0])
		control_answer_add(answer, "last_snapshot", "%s", serve->last_folder);
	add_conditions(serve, answer);
	if (serve->disk_failed)
		control_answer_add(answer, "warning",
				   "the trace is incomplete: the disk failed or is full");
}

/* ---- snapshots ---- */

/* Queues a snapshot, whose job gets the number last_number. Returns 0, or -errno with diag. */
static int want(struct tracer_serve *serve, const char *folder, const char *cause,
		struct diag *diag)
{
	struct tracer_wanted *wanted = &serve->wanted[serve->nr_wanted];
	int error;

	if (serve->nr_wanted == TRACER_SERVE_NR_WANTED)
		return diag_set(diag, -EBUSY, "%u snapshots are in progress: wait for them",
				TRACER_SERVE_NR_WANTED);
	error = trace_place_check(folder, diag);
	if (error)
		return error;
	(void)snprintf(wanted->folder, sizeof(wanted->folder), "%s", folder);
	wanted->cause = cause;
	wanted->number = ++serve->last_number;
	serve->nr_wanted++;
	return 0;
}

static uint64_t answer_snapshot(struct tracer_serve *serve, const struct control_request *request,
				struct control_answer *answer)
{
	struct diag diag;
	int error;

	if (!serve->options->overwrite) {
		control_answer_fail(
			answer, -EINVAL,
			"this trace is written to disk, and only a flight recorder supports "
			"snapshots: start one with -m overwrite");
		return 0;
	}
	if (request->folder[0] != '/') {
		control_answer_fail(answer, -EINVAL,
				    "a snapshot requires the absolute path of a folder");
		return 0;
	}
	error = want(serve, request->folder, NULL, &diag);
	if (error)
		control_answer_fail(answer, error, diag_show(&diag));
	return error ? 0 : serve->last_number;
}

static void drop_first(struct tracer_serve *serve)
{
	serve->nr_wanted--;
	memmove(&serve->wanted[0], &serve->wanted[1], serve->nr_wanted * sizeof(serve->wanted[0]));
}

static void __attribute__((noreturn)) become(const char *program, const char *folder)
{
	const int log = open(TRACE_SESSION_LOG, O_WRONLY | O_APPEND | O_CLOEXEC);
	sigset_t none;

	if (log >= 0) {
		(void)dup2(log, STDOUT_FILENO);
		(void)dup2(log, STDERR_FILENO);
	}
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	if (!chdir("/"))
		(void)execlp(program, program, folder, (char *)NULL);
	log_error("cannot run %s: %s", program, strerror(errno));
	_exit(127);
}

/* Runs the program in a detached process. Its output is written to the log. */
static void run_then(const char *program, const char *folder)
{
	const pid_t pid = fork();

	if (!pid) {
		if (!fork())
			become(program, folder);
		_exit(0);
	}
	if (pid < 0)
		log_error("cannot run %s: %s", program, strerror(errno));
	else
		(void)waitpid(pid, NULL, 0);
}

static void tell_taken(struct tracer_serve *serve, const struct tracer_wanted *wanted,
		       const struct tracer_snapshot *taken)
{
	serve->nr_snapshots++;
	(void)snprintf(serve->last_folder, sizeof(serve->last_folder), "%s", wanted->folder);
	log_info("snapshot %s: %" PRIu64 " events of %.3f s%s%s", wanted->folder, taken->nr_records,
		 (double)(taken->end - taken->begin) / 1e9, wanted->cause ? ", by " : "",
		 wanted->cause ? wanted->cause : "");
	if (taken->overwritten)
		log_warning("snapshot %s: %" PRIu64
			    " packets were overwritten before they could be written",
			    wanted->folder, taken->overwritten);
	if (wanted->cause && serve->options->then)
		run_then(serve->options->then, wanted->folder);
}

static void answer_taken(struct control_answer *answer, const struct tracer_serve *serve,
			 const struct tracer_snapshot *taken)
{
	control_answer_add(answer, "folder", "%s", serve->wanted[0].folder);
	control_answer_add(answer, "records", "%" PRIu64, taken->nr_records);
	control_answer_add(answer, "unwritten", "%" PRIu64, taken->nr_unwritten);
	control_answer_add(answer, "state_records", "%" PRIu64, taken->nr_state);
	control_answer_add(answer, "bytes", "%" PRIu64, taken->nr_bytes);
	control_answer_add(answer, "covered_ns", "%" PRIu64, taken->end - taken->begin);
	control_answer_add(answer, "lost", "%" PRIu64, taken->lost);
	control_answer_add(answer, "overwritten", "%" PRIu64, taken->overwritten);
}

/*
 * Reports a failed snapshot. cause: the condition that requested the snapshot; all conditions are
 * then ignored for a while. NULL: a user requested the snapshot.
 */
static void tell_failed(struct tracer_serve *serve, const char *cause, const char *text)
{
	serve->nr_failed++;
	(void)snprintf(serve->last_failure, sizeof(serve->last_failure), "%s", text);
	log_error("%s%ssnapshot: %s", cause ? cause : "", cause ? ": " : "", text);
	if (cause)
		serve->paused_ns = clock_monotonic_ns() + PAUSE_NS;
}

/* A failed snapshot that a condition caused counts towards the limit only if it left a folder. */
static void count_failed(struct tracer_serve *serve, const struct tracer_wanted *wanted,
			 const struct tracer_snapshot *taken)
{
	if (!wanted->cause)
		return;
	if (!taken->is_part)
		serve->nr_by_condition--;
	else
		log_warning("snapshot %s is incomplete, and counts towards --snapshot-limit "
			    "(%" PRIu64 ")",
			    wanted->folder, serve->options->snapshot_limit);
}

/* Reports the result of the first queued snapshot and removes it from the queue. */
static void finish_first(struct tracer_serve *serve, const struct tracer_snapshot *taken, int error,
			 const struct diag *diag)
{
	static struct control_answer answer; /* too large for the stack */

	control_answer_init(&answer);
	if (error) {
		tell_failed(serve, serve->wanted[0].cause, diag_show(diag));
		count_failed(serve, &serve->wanted[0], taken);
		control_answer_fail(&answer, error, diag_show(diag));
	} else {
		tell_taken(serve, &serve->wanted[0], taken);
	}
	if (!error || taken->nr_packets)
		answer_taken(&answer, serve, taken);
	control_server_finish(serve->session.server, serve->wanted[0].number, 0, &answer);
	drop_first(serve);
}

void tracer_serve_turn(struct tracer_serve *serve)
{
	const struct tracer_snapshot none = {0};
	struct diag diag;

	while (serve->nr_wanted && !serve->job.pid) {
		const int error = trace_job_begin(&serve->job, serve->tracer,
						  serve->wanted[0].folder, &serve->session, &diag);

		if (error)
			finish_first(serve, &none, error, &diag);
	}
}

/* Chooses "PREFIX-20261123-104805", followed by a number if this name exists. */
static bool choose_name(const struct tracer_serve *serve, char folder[PATH_MAX])
{
	const time_t now = time(NULL);
	struct tm parts;
	char date[32];

	(void)strftime(date, sizeof(date), "%Y%m%d-%H%M%S", localtime_r(&now, &parts));
	for (unsigned int i = 1; i <= NAME_TRIES; i++) {
		char number[16] = "";
		bool is_wanted = false;

		if (i > 1)
			(void)snprintf(number, sizeof(number), "-%u", i);
		if (snprintf(folder, PATH_MAX, "%s-%s%s", serve->options->folder, date, number) >=
		    PATH_MAX)
			return false;
		for (unsigned int at = 0; at < serve->nr_wanted; at++)
			is_wanted |= !strcmp(serve->wanted[at].folder, folder);
		if (!is_wanted && access(folder, F_OK))
			return true;
	}
	return false;
}

void tracer_serve_want(struct tracer_serve *serve, const char *cause)
{
	char folder[PATH_MAX];
	struct diag diag;

	if (serve->nr_by_condition == serve->options->snapshot_limit || serve->ending ||
	    clock_monotonic_ns() < serve->paused_ns)
		return;
	if (!choose_name(serve, folder))
		tell_failed(serve, cause, "all names of snapshot folders are taken");
	else if (want(serve, folder, cause, &diag))
		tell_failed(serve, cause, diag_show(&diag));
	else
		serve->nr_by_condition++;
}

/* ---- requests ---- */

static uint64_t handle(void *context, const struct control_request *request,
		       struct control_answer *answer)
{
	struct tracer_serve *serve = context;

	if (!serve->tracer) {
		control_answer_fail(answer, -EAGAIN, "the trace has not begun yet");
		return 0;
	}
	switch (request->request) {
	case OPROF_REQUEST_STATUS:
		answer_status(serve, answer);
		return 0;
	case OPROF_REQUEST_SNAPSHOT:
		return answer_snapshot(serve, request, answer);
	case OPROF_REQUEST_SHUTDOWN:
		serve->ending = true;
		return ++serve->last_number;
	default:
		control_answer_fail(answer, -EOPNOTSUPP, "a trace does not support this request");
		return 0;
	}
}

int tracer_serve_open(struct tracer_serve *serve, const struct tracer_options *options,
		      struct diag *diag)
{
	*serve = (struct tracer_serve){.options = options};
	trace_session_init(&serve->session);
	trace_job_init(&serve->job);
	if (!options->session)
		return 0;
	return trace_session_open(&serve->session, options->session, handle, serve, diag);
}

void tracer_serve_begin(struct tracer_serve *serve, struct tracer *tracer)
{
	serve->started_ns = clock_realtime_ns();
	serve->tracer = tracer;
}

void tracer_serve_run(struct tracer_serve *serve)
{
	if (serve->job.pid) {
		struct pollfd ended = {.fd = serve->job.fd, .events = POLLIN};

		if (poll(&ended, 1, 0) > 0) {
			struct tracer_snapshot taken = {0};
			struct diag diag;
			const int error = trace_job_end(&serve->job, &taken, &diag);

			finish_first(serve, &taken, error, &diag);
		}
	}
	if (serve->session.server)
		control_server_run(serve->session.server);
}

bool tracer_serve_is_busy(const struct tracer_serve *serve)
{
	return serve->nr_wanted != 0;
}

/* ---- the end ---- */

static void tell_answer(void *context, bool is_loss, const char *text)
{
	control_answer_add(context, is_loss ? "loss" : "told", "%s", text);
}

void tracer_serve_end(struct tracer_serve *serve, const struct tracer_counts *counts, int error,
		      const char *text)
{
	static struct control_answer answer; /* too large for the stack */

	if (!serve->session.server)
		return;
	control_answer_init(&answer);
	if (error)
		control_answer_add(&answer, "failure", "%s", text);
	control_answer_add(&answer, "folder", "%s", serve->options->folder);
	control_answer_add(&answer, "mode", "%s",
			   serve->options->overwrite ? "overwrite" : "discard");
	control_answer_add(&answer, "snapshots", "%" PRIu64, serve->nr_snapshots);
	add_failures(serve, &answer);
	add_counts(&answer, counts);
	tracer_tell_counts(counts, serve->options->overwrite, tell_answer, &answer);
	trace_session_release(&serve->session);
	control_server_finish(serve->session.server, serve->last_number, 0, &answer);
	trace_session_close(&serve->session);
}
