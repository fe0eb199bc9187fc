// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf: profiles one command, some processes, or the whole machine, with a daemon and a session
 * folder of its own.
 */
#include "control/base/option.h"
#include "control/base/tool_path.h"
#include "control/daemon/daemon_start.h"
#include "control/daemon/watch.h"
#include "control/run/command.h"
#include "control/run/operf_options.h"
#include "control/run/report_command.h"
#include "lib/children.h"
#include "lib/folder.h"
#include "lib/log.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Creates the session folder, and sets *absolute to its absolute path, because the daemon's working
 * directory differs.
 */
static int make_session_dir(const char *dir, char *absolute, struct diag *diag)
{
	const int fd = folder_open_trusted(dir, FOLDER_CREATE, "-d DIR", diag);

	int error;

	if (fd < 0)
		return fd;
	error = folder_path(fd, absolute);
	if (error && realpath(dir, absolute)) /* folder_path() needs /proc, realpath() does not */
		error = 0;
	(void)close(fd);
	if (error)
		return diag_set(diag, error, "cannot find %s: %s", dir, strerror(-error));
	if (access(absolute, W_OK | X_OK))
		return diag_set(diag, -errno,
				"cannot write to the session folder %s: %s; choose another: -d DIR",
				dir, strerror(errno));
	return 0;
}

static int fill_args(const struct operf_options *options, const char *session_dir,
		     struct daemon_args *args, struct diag *diag)
{
	daemon_args_add(args, "--session-dir=%s", session_dir);
	daemon_args_add(args, "--foreground");
	daemon_args_add(args, "--parent=%d", (int)getpid());
	daemon_args_add(args, "--log-file=%s/oprofiled.log", session_dir);
	daemon_args_add(args, options->append ? "--append" : "--fresh");
	if (options->verbose)
		daemon_args_add(args, "--verbose");
	if (options->sample_pages)
		daemon_args_add(args, "--sample-pages=%u", options->sample_pages);
	if (options->system)
		daemon_args_add(args, "--system");
	for (size_t i = 0; i < options->nr_pids; i++)
		daemon_args_add(args, "--pid=%d", (int)options->pids[i]);
	return sampling_to_args(&options->sampling, EVENT_HZ_RUN, args, diag);
}

/* Reports the command that shows the profile in this session folder. */
static void tell_next(const struct operf_options *options)
{
	char command[REPORT_COMMAND_BYTES];

	report_command(options->is_verb ? "oprof report" : "opreport", options->session_dir,
		       command);
	log_info("the profile is in %s; see it with: %s", options->session_dir, command);
}

static void tell_incomplete(const struct operf_options *options, const struct diag *diag)
{
	log_error("the profile may be incomplete: %s; see %s/oprofiled.log", diag_show(diag),
		  options->session_dir);
}

/*
 * Waits for the command and returns its status. If the daemon ends first, reports this immediately,
 * sets *daemon to 0 and *error to the daemon's error, and continues to wait for the command.
 */
static int wait_beside(const struct operf_options *options, struct command *command, pid_t *daemon,
		       int *error)
{
	struct diag diag = {0};
	int status;

	if (!command_ends_first(command, *daemon, &status)) {
		*daemon = 0;
		*error = daemon_judge_status(status, &diag);
		if (*error)
			log_error("%s continues without being profiled: %s; see %s/oprofiled.log",
				  options->command[0], diag_show(&diag), options->session_dir);
	}
	return command_wait(command);
}

/* Starts a daemon for the held command, releases the command, and waits for both. */
static int run_held(const struct operf_options *options, struct command *command,
		    struct daemon_args *args)
{
	struct diag diag = {0};
	pid_t daemon;
	int status;
	int failed = 0;
	bool ran;
	int error = daemon_start(args, DAEMON_PRIVATE, command_signal, &daemon, &diag);

	if (error) {
		status = command_cancel(command);
		/*
		 * After Ctrl-C, the daemon may have failed only because the held command has ended.
		 */
		if (status == COMMAND_EXIT_OURS || error == -ETIMEDOUT)
			log_error("%s", diag_show(&diag));
		else
			log_info("ended before %s was run", options->command[0]);
		return status;
	}
	error = command_release(command);
	ran = !error;
	status = error ? command_exec_status(error)
		       : wait_beside(options, command, &daemon, &failed);
	if (error == -ECANCELED)
		log_info("ended before %s was run", options->command[0]);
	else if (error)
		log_error("cannot run %s: %s", options->command[0], strerror(-error));
	error = daemon ? daemon_end(daemon, &diag) : 0;
	if (error)
		tell_incomplete(options, &diag);
	else if (ran && !failed)
		tell_next(options);
	/* The command's own failure takes precedence; an incomplete profile is also a failure. */
	return status ? status : error || failed ? COMMAND_EXIT_OURS : 0;
}

static int run_command(const struct operf_options *options, struct daemon_args *args)
{
	struct command command;
	struct diag diag = {0};

	if (command_hold(&command, options->command, &diag)) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	if (options->system) {
		daemon_args_add(args, "--start");
	} else {
		daemon_args_add(args, "--pid=%d", (int)command.pid);
		daemon_args_add(args, "--enable-on-exec");
	}
	return run_held(options, &command, args);
}

static int run_watch(const struct operf_options *options, struct daemon_args *args)
{
	struct diag diag = {0};
	pid_t daemon;
	int error;

	watch_catch_signals();
	daemon_args_add(args, "--start");
	error = daemon_start(args, DAEMON_PRIVATE, watch_signal, &daemon, &diag);
	if (error) {
		if (error != -EINTR) {
			log_error("%s", diag_show(&diag));
			return COMMAND_EXIT_OURS;
		}
		log_info("ended before profiling began");
		return COMMAND_EXIT_SIGNAL + watch_signal();
	}
	if (options->seconds)
		log_info("profiling %s for %u s; Ctrl-C ends it earlier",
			 options->system ? "the whole machine" : "the processes", options->seconds);
	else
		log_info("profiling %s; Ctrl-C ends it",
			 options->system ? "the whole machine" : "the processes until they end");
	error = watch_daemon(daemon, options->seconds, &diag);
	if (error) {
		tell_incomplete(options, &diag);
		return COMMAND_EXIT_OURS;
	}
	tell_next(options);
	return 0;
}

/* Checks that the command exists, before the previous profile is deleted. */
static int check_command(const struct operf_options *options)
{
	int error = options->command ? tool_path_command(options->command[0], NULL) : 0;

	if (!error)
		return 0;
	log_error("%s: %s", options->command[0],
		  error == -ENOENT ? "command not found" : strerror(-error));
	return command_exec_status(error);
}

static int run(const struct operf_options *options)
{
	char session_dir[PATH_MAX];
	struct daemon_args args;
	struct diag diag = {0};
	int status = check_command(options);

	if (status)
		return status;
	daemon_args_init(&args, DAEMON_PROFILER);
	if (make_session_dir(options->session_dir, session_dir, &diag) ||
	    fill_args(options, session_dir, &args, &diag)) {
		log_error("%s", diag_show(&diag));
		status = COMMAND_EXIT_OURS;
	} else if (options->command) {
		status = run_command(options, &args);
	} else {
		status = run_watch(options, &args);
	}
	daemon_args_deinit(&args);
	return status;
}

int main(int argc, const char **argv)
{
	struct operf_options options;
	struct diag diag = {0};
	int status;

	log_init("operf", LOG_LEVEL_INFO);
	children_keep();
	status = operf_options_parse(&options, argc, argv, &diag);
	if (status < 0)
		log_error("%s", diag_show(&diag));
	if (!status) {
		log_init("operf", options.verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
		status = run(&options);
	} else {
		/* status 1 means that only help or version was shown */
		status = status < 0 ? COMMAND_EXIT_OURS : 0;
	}
	operf_options_deinit(&options);
	return option_end_output(status);
}
