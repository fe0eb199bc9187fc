// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprof-tracer: records one trace to one folder until a signal ends it or its time is over, or runs
 * in the background for a trace session. It is an internal program: optrace starts it, and its
 * messages use the name "optrace".
 */
#include "daemon/places/proc_scan.h"
#include "daemon/command/parent.h"
#include "daemon/command/ready.h"
#include "daemon/system/thread_list.h"
#include "daemon/trace/trace_place.h"
#include "daemon/tracer/tracer.h"
#include "daemon/tracer/tracer_options.h"
#include "daemon/tracer/tracer_serve.h"
#include "events/tracefs.h"
#include "lib/children.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/number.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define ROUND_MS    200
#define FOLLOW_NS   UINT64_C(1000000000)
#define NR_PIDS_MAX 64u

struct program {
	struct tracer_options options;
	char *tracefs;
	struct trace_choice choice;
	int32_t pids[NR_PIDS_MAX]; /* the chosen processes */
	uint32_t uids[TRACER_NR_UIDS];
	unsigned int nr_pids, nr_uids;
	struct thread_list threads;    /* threads of these processes */
	struct trace_trigger *trigger; /* NULL: no conditions */
	struct tracer *tracer;
	struct tracer_serve serve;
	struct ready ready;
	int signal_fd, timer_fd;
	uint64_t followed_ns, flushed_ns;
	bool disk_failed; /* an error of the disk was reported */
	bool cpu_failed;
};

/* ---- waiting ---- */

static int open_signals(struct program *program, struct diag *diag)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGUSR1);
	/* A session in the background has no terminal, so SIGHUP is ignored. */
	if (program->options.session)
		(void)signal(SIGHUP, SIG_IGN);
	else
		(void)sigaddset(&set, SIGHUP);
	(void)signal(SIGPIPE, SIG_IGN);
	/* With this signal ignored, a write beyond the file size limit fails, as on a full disk. */
	(void)signal(SIGXFSZ, SIG_IGN);
	children_keep();
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return diag_set(diag, -errno, "cannot block signals: %s", strerror(errno));
	program->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	program->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (program->signal_fd < 0 || program->timer_fd < 0)
		return diag_set(diag, -errno, "cannot wait for signals: %s", strerror(errno));
	return 0;
}

/*
 * Returns whether a signal that ends the tracer is pending. Call this before tracing begins, while
 * no signals are read from signal_fd yet.
 */
static bool is_asked_to_end(void)
{
	sigset_t waiting;

	return !sigpending(&waiting) &&
	       (sigismember(&waiting, SIGTERM) || sigismember(&waiting, SIGINT) ||
		sigismember(&waiting, SIGHUP));
}

static void begin_time(const struct program *program)
{
	const struct itimerspec end = {.it_value.tv_sec = (time_t)program->options.nr_seconds};

	if (program->options.nr_seconds)
		(void)timerfd_settime(program->timer_fd, 0, &end, NULL);
}

/* Reports only the first error. Recording continues, because the disk may have room again later. */
static void tell_disk(struct program *program, int error, const struct diag *diag)
{
	if (error && !program->disk_failed)
		log_error("%s: events are being lost", diag_show(diag));
	program->disk_failed |= error != 0;
	program->serve.disk_failed = program->disk_failed;
}

static void take_asked(struct program *program)
{
	const char *text = program->trigger ? trace_trigger_signal(program->trigger) : NULL;

	if (text)
		tracer_serve_want(&program->serve, text);
	else
		log_warning("SIGUSR1 is ignored: this signal requests a snapshot only with "
			    "optrace start --snapshot-if signal");
}

static void take_signals(struct program *program)
{
	struct signalfd_siginfo info;

	while (read(program->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			take_asked(program);
			continue;
		}
		if (program->options.session)
			log_info("ended by signal %u", info.ssi_signo);
		program->serve.ending = true;
	}
}

static void follow_cpus(struct program *program, uint64_t now)
{
	struct diag diag;

	if (now - program->followed_ns < FOLLOW_NS)
		return;
	program->followed_ns = now;
	if (!tracer_follow_cpus(program->tracer, &diag))
		return;
	if (!program->cpu_failed)
		log_error("%s", diag_show(&diag));
	program->cpu_failed = true;
}

static void take_round(struct program *program)
{
	const uint64_t now = clock_monotonic_ns(), flush_ns = program->options.flush_ms * 1000000;
	struct diag diag;
	int error;

	if (flush_ns && now - program->flushed_ns >= flush_ns) {
		program->flushed_ns = now;
		error = tracer_flush(program->tracer, &diag);
	} else {
		error = tracer_round(program->tracer, &diag);
	}
	tell_disk(program, error, &diag);
	follow_cpus(program, now);
}

static int wait_ms(const struct program *program)
{
	const uint64_t flush_ms = program->options.flush_ms;

	return flush_ms && flush_ms < ROUND_MS ? (int)flush_ms : ROUND_MS;
}

static void record(struct program *program)
{
	struct tracer_serve *serve = &program->serve;
	const char *cause;
	struct diag diag;

	while (!serve->ending || tracer_serve_is_busy(serve)) {
		struct pollfd fds[] = {
			{.fd = program->signal_fd, .events = POLLIN},
			{.fd = program->timer_fd, .events = POLLIN},
			{.fd = tracer_poll_fd(program->tracer), .events = POLLIN},
			{.fd = serve->session.server ? control_server_poll_fd(serve->session.server)
						     : -1,
			 .events = POLLIN},
			{.fd = serve->job.fd, .events = POLLIN},
		};

		(void)poll(fds, sizeof(fds) / sizeof(fds[0]), wait_ms(program));
		if (fds[0].revents)
			take_signals(program);
		serve->ending |= fds[1].revents != 0;
		if (fds[3].revents || fds[4].revents)
			tracer_serve_run(serve);
		take_round(program);
		cause = tracer_take_cause(program->tracer);
		if (cause)
			tracer_serve_want(serve, cause);
		tracer_serve_turn(serve);
	}
	tell_disk(program, tracer_stop(program->tracer, &diag), &diag);
}

/* ---- the beginning ---- */

static int choose_users(struct program *program, struct diag *diag)
{
	for (size_t i = 0; i < program->options.nr_uids; i++) {
		uint64_t number;

		if (number_parse(program->options.uids[i], UINT32_MAX - 1, &number))
			return diag_set(diag, -EINVAL, "--uid %s: give the number of a user",
					program->options.uids[i]);
		program->uids[program->nr_uids++] = (uint32_t)number;
	}
	return 0;
}

/* Parses "PID,PID,...". */
static int take_pids(struct program *program, struct diag *diag)
{
	const char *at = program->options.pids;

	while (at && *at) {
		const size_t length = strcspn(at, ",");
		char word[32];
		uint64_t pid = 0;

		(void)snprintf(word, sizeof(word), "%.*s", (int)length, at);
		if (length >= sizeof(word) || number_parse(word, INT32_MAX, &pid) || !pid ||
		    program->nr_pids == NR_PIDS_MAX)
			return diag_set(
				diag, -EINVAL,
				"-p %s: give the numbers of processes, separated by commas, at "
				"most %u",
				program->options.pids, NR_PIDS_MAX);
		program->pids[program->nr_pids++] = (int32_t)pid;
		at += length + (at[length] == ',');
	}
	return 0;
}

/* Chooses the threads that the processes have now. */
static int choose_threads(struct program *program, struct diag *diag)
{
	int error = take_pids(program, diag);

	if (error || !program->nr_pids)
		return error;
	error = thread_list_read(&program->threads, NULL, program->pids, program->nr_pids);
	if (!error && !program->threads.nr_tids)
		return diag_set(diag, -ESRCH, "-p %s: there is no such process",
				program->options.pids);
	return error ? diag_set(diag, error, "cannot read /proc: %s", strerror(-error)) : 0;
}

static bool is_chosen(const struct program *program, const char *system, const char *name)
{
	for (size_t i = 0; i < program->choice.nr_events; i++)
		if (!strcmp(program->choice.events[i].system, system) &&
		    !strcmp(program->choice.events[i].name, name))
			return true;
	return false;
}

/* Parses the conditions, and adds the events that they need to the chosen events. */
static int choose_conditions(struct program *program, struct diag *diag)
{
	const struct tracer_options *options = &program->options;
	const char *system, *name;
	char word[512];
	int error;

	if (!options->nr_conditions)
		return 0;
	error = trace_trigger_create(&program->trigger, options->conditions, options->nr_conditions,
				     program->tracefs, diag);
	for (uint32_t i = 0; !error && trace_trigger_event(program->trigger, i, &system, &name);
	     i++) {
		if (is_chosen(program, system, name))
			continue;
		(void)snprintf(word, sizeof(word), "%s:%s", system, name);
		error = trace_choice_add(&program->choice, program->tracefs,
					 strcmp(system, "raw_syscalls") != 0 ? word : "syscalls",
					 diag);
	}
	return error;
}

static int choose(struct program *program, struct diag *diag)
{
	int error = tracefs_find("", &program->tracefs, diag);

	for (size_t i = 0; !error && i < program->options.nr_texts; i++)
		error = trace_choice_add(&program->choice, program->tracefs,
					 program->options.texts[i], diag);
	if (!error && !program->options.nr_texts)
		error = trace_choice_add(&program->choice, program->tracefs, "default", diag);
	if (!error)
		error = choose_conditions(program, diag);
	if (!error)
		error = choose_users(program, diag);
	return error ? error : choose_threads(program, diag);
}

static int begin(struct program *program, struct diag *diag)
{
	const struct tracer_options *options = &program->options;
	struct tracer_config config = {
		.choice = &program->choice,
		.folder = options->overwrite ? NULL : options->folder,
		.keep_old = options->keep_old,
		.sub_buffer_bytes = (uint32_t)options->sub_buffer_bytes,
		.nr_sub_buffers = (uint32_t)options->nr_sub_buffers,
		.chunks = options->chunks,
		.source = options->source,
		.cgroup = options->cgroup,
		.is_cancelled = is_asked_to_end,
	};
	int error = choose(program, diag);

	config.tracefs = program->tracefs;
	config.trigger = program->trigger;
	config.tids = program->threads.tids;
	config.nr_tids = (unsigned int)program->threads.nr_tids;
	config.pids = program->pids;
	config.nr_pids = program->nr_pids;
	config.uids = program->uids;
	config.nr_uids = program->nr_uids;
	/*
	 * Check now whether the folder can be created. The trace is written only at the end, when
	 * an error would be too late.
	 */
	if (!error && options->overwrite && !options->session && !options->keep_old)
		error = trace_place_check(options->folder, diag);
	else if (!error && options->overwrite)
		error = trace_place_check_parent(options->folder, diag);
	if (!error)
		error = tracer_open(&program->tracer, &config, diag);
	return error ? error : tracer_start(program->tracer, diag);
}

/* ---- end of the trace ---- */

static void tell_log(void *context, bool is_loss, const char *text)
{
	(void)context;
	if (is_loss)
		log_warning("%s", text);
	else
		log_info("%s", text);
}

/*
 * Called at the end of a flight recorder that has no session. Writes the records in memory to the
 * folder, as the trace. After an error, *counts describes the part that was written.
 */
static int take_last(struct program *program, struct tracer_counts *counts, struct diag *diag)
{
	const struct tracer_options *options = &program->options;
	struct tracer_snapshot taken = {0};
	bool has_old = false;
	int error = options->keep_old ? trace_place_make_way(options->folder, &has_old, diag) : 0;

	if (!error)
		error = tracer_snapshot(program->tracer, options->folder, &taken, diag);
	if (error && has_old && !taken.is_part)
		trace_place_give_back(options->folder);
	counts->nr_records = taken.nr_records;
	counts->nr_bytes = taken.nr_bytes;
	counts->lost_disk = taken.nr_unwritten;
	return error;
}

static int end(struct program *program, struct diag *diag)
{
	const struct tracer_options *options = &program->options;
	struct tracer_counts counts = tracer_counts(program->tracer);
	const bool is_session = options->session != NULL;
	int error = 0, closed;

	if (options->overwrite && !is_session)
		error = take_last(program, &counts, diag);
	/* If the folder of a snapshot could not be made, only the error is reported. */
	if (!error || counts.nr_records || counts.lost_disk)
		tracer_tell_counts(&counts, options->overwrite && is_session, tell_log, NULL);
	if (!error && program->disk_failed)
		error = diag_set(diag, -EIO, "the trace is incomplete");
	closed = tracer_close(program->tracer, error ? NULL : diag);
	program->tracer = NULL;
	error = error ? error : closed;
	tracer_serve_end(&program->serve, &counts, error, error ? diag_show(diag) : "");
	return error;
}

static int run(struct program *program, struct diag *diag)
{
	int error = open_signals(program, diag);

	if (!error)
		error = tracer_serve_open(&program->serve, &program->options, diag);
	if (!error)
		error = begin(program, diag);
	if (!error) {
		tracer_serve_begin(&program->serve, program->tracer);
		begin_time(program);
		ready_ok(&program->ready);
		record(program);
		error = end(program, diag);
	} else {
		tracer_discard(program->tracer);
	}
	trace_session_close(&program->serve.session);
	trace_choice_deinit(&program->choice);
	thread_list_deinit(&program->threads);
	trace_trigger_destroy(program->trigger);
	free(program->tracefs);
	return error;
}

/*
 * Errors before ready_ok are reported to the parent process. A session continues in a child process
 * in the background.
 */
static int prepare(struct program *program, int argc, const char **argv, struct diag *diag)
{
	const struct tracer_options *options = &program->options;
	int error = tracer_options_parse(&program->options, argc, argv, diag);
	const int ready_fd = options->ready_fd ? (int)options->ready_fd : -1;

	program->ready = (struct ready){.told_fd = -1, .parent_fd = -1};
	if (error) {
		(void)ready_init(&program->ready, ready_fd, NULL);
		return error;
	}
	error = ready_init(&program->ready, ready_fd, diag);
	if (!error && options->session)
		error = ready_detach(&program->ready, diag);
	/* When the parent process ends, the tracer also ends, with a complete trace. */
	if (!error && options->parent)
		error = parent_follow((pid_t)options->parent, diag);
	return error;
}

int main(int argc, const char **argv)
{
	static struct program program; /* too big for the stack */
	struct diag diag;
	int error;

	log_init("optrace", LOG_LEVEL_INFO);
	(void)umask(077);
	diag_clear(&diag);
	trace_session_init(&program.serve.session);
	error = prepare(&program, argc, argv, &diag);
	if (!error)
		error = run(&program, &diag);
	if (error && !ready_fail(&program.ready, diag_show(&diag)))
		log_error("%s", diag_show(&diag));
	log_flush();
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
