// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon: start, signals, the main loop and the end. */
#include "daemon/command/control_server.h"
#include "daemon/system/heap.h"
#include "daemon/system/run_user.h"
#include "daemon/system/slow_reader.h"
#include "daemon/service/options.h"
#include "daemon/profiler/profiler.h"
#include "daemon/command/parent.h"
#include "daemon/command/ready.h"
#include "daemon/session/separation.h"
#include "daemon/service/service.h"
#include "daemon/profiler/sync_job.h"
#include "lib/children.h"
#include "lib/clock.h"
#include "lib/deny_calls.h"
#include "lib/folder.h"
#include "lib/log.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_NAME "oprofiled.log"
/*
 * Maximum time between two rounds. It is shorter if single processes are profiled, because they may
 * end soon.
 */
#define ROUND_SYSTEM_MS 1000
#define ROUND_TASKS_MS	100
#define CHECK_NS	UINT64_C(1000000000)
#define TRIM_NS		UINT64_C(60000000000)

struct daemon {
	struct options options;
	struct ready ready;
	struct session session;
	struct profiler profiler;
	struct sync_job sync;
	struct service service;
	struct control_server *server;
	int signal_fd;
	bool ending;
	uint64_t trimmed_ns;
	uint64_t checked_ns; /* time at which daemon_check last looked for the session's folder */
};

/* Static, because event choices and counters are too large for the stack. */
static struct daemon the_daemon;

/* ---- requests ---- */

static void daemon_start(struct daemon *daemon, struct control_answer *answer)
{
	int error = profiler_start(&daemon->profiler);

	if (!error) {
		log_info("sampling");
		return;
	}
	log_error("cannot start sampling: %s", strerror(-error));
	if (answer)
		control_answer_fail(answer, error, strerror(-error));
}

/* Stops sampling, but does not read the last samples. Returns whether sampling has stopped. */
static bool stop_sampling(struct daemon *daemon, struct control_answer *answer)
{
	int error = profiler_stop(&daemon->profiler);
	char text[DIAG_TEXT_BYTES];

	if (!error) {
		log_info("sampling has stopped");
		return true;
	}
	(void)snprintf(text, sizeof(text), "cannot stop sampling: %s", strerror(-error));
	log_error("%s", text);
	if (answer)
		control_answer_fail(answer, error, text);
	return false;
}

static void daemon_stop(struct daemon *daemon, struct control_answer *answer)
{
	if (stop_sampling(daemon, answer))
		profiler_round(&daemon->profiler, SOURCE_DRAIN_ALL);
}

/*
 * Reports that a step of a dump, a save or a shutdown failed. Even so, a save saves the session,
 * and a shutdown ends the daemon. However, samples that could not be read are missing, and samples
 * that are not written to disk yet may be lost in a power failure.
 */
static void answer_step(struct control_answer *answer, enum oprof_request request,
			enum sync_job_step failed, int error)
{
	char text[DIAG_TEXT_BYTES];

	(void)snprintf(text, sizeof(text), "%s%s: %s",
		       request == OPROF_REQUEST_SAVE	   ? "the session was saved, but "
		       : request == OPROF_REQUEST_SHUTDOWN ? "the daemon ends, but "
							   : "",
		       failed == SYNC_JOB_READ ? "not all samples could be read"
					       : "not all samples are written to disk yet",
		       strerror(-error));
	control_answer_fail(answer, error, text);
}

/* Returns the number of the job to wait for, or 0 if answer is complete. */
static uint64_t daemon_dump(struct daemon *daemon, struct control_answer *answer)
{
	enum sync_job_step failed;
	uint64_t job;
	int error = sync_job_dump(&daemon->sync, &job, &failed);

	if (error)
		answer_step(answer, OPROF_REQUEST_DUMP, failed, error);
	return job;
}

static uint64_t daemon_save(struct daemon *daemon, const char *name, struct control_answer *answer)
{
	struct diag diag;
	uint64_t job;
	enum sync_job_step failed;
	int error, dump_error;

	diag_clear(&diag);
	error = session_check_name(name, &diag);
	if (error) {
		control_answer_fail(answer, error, diag_show(&diag));
		return 0;
	}
	/*
	 * Request the job before saving, because saving closes files that the job's child process
	 * must inherit.
	 */
	dump_error = sync_job_dump(&daemon->sync, &job, &failed);
	error = profiler_save(&daemon->profiler, name, &diag);
	if (error) {
		control_answer_fail(answer, error, diag_show(&diag));
		return 0;
	}
	log_info("saved as session %s", name);
	if (dump_error)
		answer_step(answer, OPROF_REQUEST_SAVE, failed, dump_error);
	return job;
}

static void daemon_reset(struct daemon *daemon, struct control_answer *answer)
{
	struct diag diag;
	int error;

	diag_clear(&diag);
	error = profiler_reset(&daemon->profiler, &diag);
	if (error)
		control_answer_fail(answer, error, diag_show(&diag));
	else
		log_info("the session was reset");
}

/*
 * The samples are read only once, after sampling has stopped, so that the answer can report an
 * error that occurs while they are read. The answer reports the first error.
 */
static void daemon_shutdown(struct daemon *daemon, struct control_answer *answer)
{
	const bool stopped = stop_sampling(daemon, answer);
	const int read_error = profiler_dump(&daemon->profiler);
	const int write_error = profiler_sync(&daemon->profiler);

	daemon->ending = true;
	if (!stopped)
		return;
	if (read_error)
		answer_step(answer, OPROF_REQUEST_SHUTDOWN, SYNC_JOB_READ, read_error);
	else if (write_error)
		answer_step(answer, OPROF_REQUEST_SHUTDOWN, SYNC_JOB_WRITE, write_error);
}

static void daemon_recent(struct daemon *daemon, const struct control_request *request,
			  struct control_answer *answer)
{
	unsigned int separation =
		request->separate_all ? SEPARATION_ALL : daemon->options.separation;
	const struct recent_span span = {request->last_ns, request->until_ns};
	struct recent_stretch stretch;
	struct diag diag;
	int fd;

	if (!span.last_ns) {
		control_answer_fail(
			answer, -EINVAL,
			"the request has no last_ns (how long before now the time range begins)");
		return;
	}
	if (span.until_ns >= span.last_ns) {
		control_answer_fail(answer, -EINVAL,
				    "until_ns is not less than last_ns: the range would end before "
				    "it begins");
		return;
	}
	diag_clear(&diag);
	fd = profiler_recent(&daemon->profiler, &span, separation, &stretch, &diag);
	if (fd < 0) {
		control_answer_fail(answer, fd, diag_show(&diag));
		return;
	}
	answer->fd = fd;
	control_answer_add(answer, "begin_ns", "%" PRId64, stretch.begin_ns);
	control_answer_add(answer, "end_ns", "%" PRId64, stretch.end_ns);
	if (span.until_ns)
		control_answer_add(answer, "until_ns", "%" PRIu64, span.until_ns);
}

static uint64_t daemon_request(void *context, const struct control_request *request,
			       struct control_answer *answer)
{
	struct daemon *daemon = context;

	switch ((enum oprof_request)request->request) {
	case OPROF_REQUEST_STATUS:
		service_status(&daemon->service, answer);
		return 0;
	case OPROF_REQUEST_START:
		daemon_start(daemon, answer);
		return 0;
	case OPROF_REQUEST_STOP:
		daemon_stop(daemon, answer);
		return 0;
	case OPROF_REQUEST_DUMP:
		return daemon_dump(daemon, answer);
	case OPROF_REQUEST_RESET:
		daemon_reset(daemon, answer);
		return 0;
	case OPROF_REQUEST_SAVE:
		return daemon_save(daemon, request->name, answer);
	case OPROF_REQUEST_SHUTDOWN:
		slow_reader_hurry();
		daemon_shutdown(daemon, answer);
		return 0;
	case OPROF_REQUEST_RECENT:
		daemon_recent(daemon, request, answer);
		return 0;
	case OPROF_REQUEST_SNAPSHOT:
		break; /* this request is for trace sessions only */
	}
	control_answer_fail(answer, -EOPNOTSUPP, "unknown request");
	return 0;
}

/* ---- waiting ---- */

static void daemon_reap(struct daemon *daemon)
{
	static const enum oprof_request waiting[] = {OPROF_REQUEST_DUMP, OPROF_REQUEST_SAVE};
	static struct control_answer answer;
	struct sync_job_result result;

	profiler_reap(&daemon->profiler);
	while (sync_job_reap(&daemon->sync, &result)) {
		if (result.write_error)
			log_error("cannot write to disk: %s", strerror(-result.write_error));
		for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++) {
			control_answer_init(&answer);
			if (result.read_error)
				answer_step(&answer, waiting[i], SYNC_JOB_READ, result.read_error);
			else if (result.write_error)
				answer_step(&answer, waiting[i], SYNC_JOB_WRITE,
					    result.write_error);
			control_server_finish(daemon->server, result.job, waiting[i], &answer);
		}
	}
}

static void daemon_open_log(const struct options *options)
{
	const char *path = options->log_file;
	int error;

	if (!path && options->foreground && log_open_journal())
		return;
	if (!path && !options->foreground)
		path = LOG_NAME; /* in the session folder, which is the working directory */
	if (!path)
		return;
	error = log_open(path);
	if (error)
		log_error("cannot open the log %s: %s", path, folder_reason(error));
}

static void daemon_signal(struct daemon *daemon, uint32_t signal_nr)
{
	switch (signal_nr) {
	case SIGHUP:
		daemon_open_log(&daemon->options);
		log_info("log reopened");
		break;
	case SIGUSR1:
		daemon_start(daemon, NULL);
		break;
	case SIGUSR2:
		daemon_stop(daemon, NULL);
		break;
	case SIGCHLD:
		daemon_reap(daemon);
		break;
	default: /* SIGTERM, SIGINT */
		log_info("stopping: %s", strsignal((int)signal_nr));
		slow_reader_hurry();
		daemon->ending = true;
		break;
	}
}

static void daemon_signals(struct daemon *daemon)
{
	struct signalfd_siginfo info;

	while (read(daemon->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		daemon_signal(daemon, info.ssi_signo);
}

static void daemon_check(struct daemon *daemon)
{
	uint64_t now = clock_monotonic_ns();

	if (now - daemon->checked_ns < CHECK_NS)
		return;
	daemon->checked_ns = now;
	profiler_check_session(&daemon->profiler);
	if (now - daemon->trimmed_ns < TRIM_NS)
		return;
	daemon->trimmed_ns = now;
	(void)heap_trim(HEAP_SPARE_BYTES);
}

/*
 * Returns whether a round is due. A round that is due is made even if requests wait, since a client
 * that always sends requests must not keep the daemon from reading samples.
 */
static bool daemon_round_is_due(const struct daemon *daemon, int wait_ms)
{
	return clock_monotonic_ns() - daemon->profiler.drained_ns >=
	       (uint64_t)wait_ms * UINT64_C(1000000);
}

static void daemon_loop(struct daemon *daemon)
{
	struct profiler *profiler = &daemon->profiler;
	int wait_ms = daemon->options.nr_pids ? ROUND_TASKS_MS : ROUND_SYSTEM_MS;
	struct pollfd fds[] = {
		{.fd = daemon->signal_fd, .events = POLLIN},
		{.fd = profiler->source->ops->poll_fd(profiler->source), .events = POLLIN},
		{.fd = control_server_poll_fd(daemon->server), .events = POLLIN},
	};

	while (!daemon->ending && !profiler->lost) {
		/*
		 * profiler_tidy handles a few files at a time, because requests and rounds have
		 * priority.
		 */
		const bool untidy = profiler_tidy(profiler);
		int nr = poll(fds, sizeof(fds) / sizeof(fds[0]),
			      untidy ? 0 : service_wait_ms(&daemon->service, wait_ms));

		if (nr < 0)
			continue; /* a signal interrupted poll(); signals are read from signal_fd */
		if ((!nr && !untidy) || fds[1].revents || daemon_round_is_due(daemon, wait_ms))
			profiler_round(profiler, SOURCE_DRAIN_PERIODIC);
		if (fds[0].revents)
			daemon_signals(daemon);
		if (fds[2].revents)
			control_server_run(daemon->server);
		daemon_check(daemon);
		service_tick(&daemon->service, clock_monotonic_ns());
		if (!daemon->ending && profiler_ended(profiler)) {
			log_info("stopping: the profiled processes have ended");
			daemon->ending = true;
		}
	}
}

/* ---- start ---- */

static int open_signals(struct daemon *daemon, struct diag *diag)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return diag_set(diag, -errno, "cannot block signals: %s", strerror(errno));
	(void)signal(SIGPIPE, SIG_IGN);
	/* With this signal ignored, a write beyond the file size limit fails, as on a full disk. */
	(void)signal(SIGXFSZ, SIG_IGN);
	daemon->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (daemon->signal_fd < 0)
		return diag_set(diag, -errno, "cannot receive signals: %s", strerror(errno));
	return 0;
}

/*
 * Raises the limit of open files to the maximum that the system permits, because sample files and
 * rings may need many.
 */
static void raise_files_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		log_warning("cannot raise the limit of open files: %s", strerror(errno));
}

static int check_session_owner(const struct options *options, struct diag *diag)
{
	if (!options->session_owner || options->session_owner == geteuid())
		return 0;
	return diag_set(diag, -EPERM,
			"the session folder %s does not belong to the user with the number %u "
			"(--session-owner)",
			options->session_dir, (unsigned int)options->session_owner);
}

/* Checks the options of a daemon that has become FOLDER_USER. */
static int check_own_user(const struct options *options, struct diag *diag)
{
	const bool wants_module = options->source == SOURCE_WISH_KMOD;

	if (wants_module || options->keep_privileges)
		return diag_set(diag, -EPERM,
				"%s requires that the daemon runs as root, but the session folder "
				"belongs to the user " FOLDER_USER
				"; choose a folder that belongs to root",
				wants_module ? "--source=kmod" : "--keep-privileges");
	/*
	 * The change of the user has cleared the request for a signal at the parent's end: repeat
	 * the request.
	 */
	return options->parent ? parent_follow(options->parent, diag) : 0;
}

/*
 * Changes the working directory to the session folder, because its path may be too long for a
 * socket's address.
 */
static int enter_session(struct daemon *daemon, struct diag *diag)
{
	const struct options *options = &daemon->options;
	int error =
		run_user_enter(options->session_dir, "--session-dir", privileges_to_start(), diag);

	if (!error)
		error = check_session_owner(options, diag);
	if (!error && run_user_has_become())
		error = check_own_user(options, diag);
	if (error)
		return error;
	error = session_lock(&daemon->session, ".", diag);
	if (error)
		return error;
	daemon_open_log(options);
	return 0;
}

static int open_profiler(struct daemon *daemon, struct diag *diag)
{
	const struct options *options = &daemon->options;
	struct source_choice choice;
	struct profiler_config config = {
		.choice = &choice,
		.separation = options->separation,
		.begin = options->begin,
		.history =
			{
				.budget_bytes = options->history_bytes,
				.budget_days = options->history_days,
			},
		.source =
			{
				.events = options->events,
				.nr_events = options->nr_events,
				.target = options->nr_pids ? SOURCE_TASKS : SOURCE_SYSTEM,
				.pids = options->pids,
				.nr_pids = options->nr_pids,
				.enable_on_exec = options->enable_on_exec,
				.sample_pages = options->sample_pages,
				.side_pages = options->side_pages,
				.chain_depth = options->chain_depth,
				.unwind = options->unwind,
				.stack_bytes = options->stack_bytes,
				.code_path = OPROF_CODE_NAME,
				.buffer_size = options->buffer_size,
				.buffer_watershed = options->buffer_watershed,
				.cpu_buffer_size = options->cpu_buffer_size,
				/*
				 * Cgroups are always recorded, because requests for recent samples
				 * may separate by cgroup.
				 */
				.want_cgroup = true,
			},
	};
	int error;

	source_choice_init(&choice, options->source);
	if (run_user_has_become())
		source_choice_only_perf(&choice, "the daemon runs as the user " FOLDER_USER
						 ", who cannot use the kernel module");
	error = profiler_open(&daemon->profiler, &daemon->session, &config, diag);
	if (!error)
		log_info("source %s: %s", daemon->profiler.source->name,
			 daemon->profiler.choice.reason);
	return error;
}

static int start_profiler(struct daemon *daemon, struct diag *diag)
{
	const struct options *options = &daemon->options;
	int error;

	sync_job_init(&daemon->sync, &daemon->profiler);
	error = control_server_create(&daemon->server, OPROF_CONTROL_NAME, daemon_request, daemon,
				      diag);
	if (error)
		return error;
	if (!options->start && !options->enable_on_exec)
		return 0;
	error = profiler_start(&daemon->profiler);
	return error ? diag_set(diag, error, "cannot start sampling: %s", strerror(-error)) : 0;
}

/* Undoes enter_session and the later steps. */
static void daemon_end(struct daemon *daemon)
{
	const struct stats *stats = &daemon->session.stats;

	slow_reader_hurry();
	if (daemon->server)
		control_server_unlink(daemon->server);
	sync_job_wait(&daemon->sync);
	profiler_close(&daemon->profiler);
	if (daemon->session.open)
		log_info("stopped: seen %" PRIu64 ", stored %" PRIu64 ", idle %" PRIu64
			 ", lost %" PRIu64,
			 stats->values[STATS_SEEN], stats->values[STATS_STORED],
			 stats->values[STATS_IDLE],
			 stats_accounted(stats) - stats->values[STATS_STORED] -
				 stats->values[STATS_IDLE]);
	log_flush();
	session_unlock(&daemon->session);
	/* Do this last: clients that wait for the daemon's end can then take the lock. */
	control_server_destroy(daemon->server);
}

static int daemon_run(struct daemon *daemon, struct diag *diag)
{
	int error = enter_session(daemon, diag);

	if (error)
		return error;
	error = open_profiler(daemon, diag);
	if (error) {
		session_unlock(&daemon->session);
		return error;
	}
	error = service_settle(&daemon->service, diag);
	if (!error)
		error = start_profiler(daemon, diag);
	if (!error) {
		log_info("oprofiled %s, process %d: ready%s", OPROF_VERSION, (int)getpid(),
			 daemon->profiler.running ? ", sampling" : "");
		service_ready(&daemon->service);
		ready_ok(&daemon->ready);
		daemon_loop(daemon);
		service_stopping(&daemon->service);
		if (daemon->profiler.lost)
			error = diag_set(diag, -ENOENT, "the session's folder no longer exists");
	}
	daemon_end(daemon);
	return error;
}

/* A failure is only logged, because the daemon also works without seccomp. */
static void refuse_calls(void)
{
	int error = deny_calls();

	if (error)
		log_warning(
			"cannot restrict the daemon's system calls (seccomp): %s; a profiled "
			"program that exploits an error in the daemon may get all rights of the "
			"daemon",
			strerror(-error));
}

static int daemon_prepare(struct daemon *daemon, struct diag *diag)
{
	const struct options *options = &daemon->options;
	int error = ready_init(&daemon->ready, options->ready_fd, diag);

	if (!error && !options->foreground)
		error = ready_detach(&daemon->ready, diag);
	if (!error && options->parent)
		error = parent_follow(options->parent, diag);
	if (!error)
		error = open_signals(daemon, diag);
	if (error)
		return error;
	(void)umask(077);
	log_bound(LOG_BYTES_MAX, LOG_NR_A_MINUTE);
	if (!options->keep_privileges)
		refuse_calls();
	raise_files_limit();
	error = stats_catch_sigbus();
	if (!error)
		error = sdb_catch_sigbus();
	return error ? diag_set(diag, error, "cannot catch SIGBUS: %s", strerror(-error)) : 0;
}

int main(int argc, const char **argv)
{
	struct daemon *daemon = &the_daemon;
	enum options_result result = OPTIONS_RUN;
	struct diag diag;
	int error;

	log_init("oprofiled", LOG_LEVEL_INFO);
	children_keep();
	diag_clear(&diag);
	daemon->ready = (struct ready){.told_fd = -1, .parent_fd = -1};
	daemon->session.lock_fd = daemon->session.current_fd = -1;
	error = options_parse(&daemon->options, argc, argv, &result, &diag);
	if (!error && result == OPTIONS_RUN) {
		if (daemon->options.verbose)
			log_init("oprofiled", LOG_LEVEL_DEBUG);
		service_init(&daemon->service, &daemon->options, &daemon->profiler);
		error = daemon_prepare(daemon, &diag);
		if (!error)
			error = daemon_run(daemon, &diag);
	} else if (error) {
		(void)ready_init(&daemon->ready, daemon->options.ready_fd, NULL);
	}
	if (error && !ready_fail(&daemon->ready, diag_show(&diag)))
		log_error("%s", diag_show(&diag));
	service_deinit(&daemon->service);
	options_deinit(&daemon->options);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
