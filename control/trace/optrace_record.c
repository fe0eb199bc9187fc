// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace record: traces while a command runs, or until Ctrl-C. */
#include "control/base/option.h"
#include "control/base/tool_path.h"
#include "control/daemon/watch.h"
#include "control/run/command.h"
#include "control/trace/optrace.h"
#include "control/trace/trace_args.h"
#include "lib/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_SECONDS TRACE_ARGS_NR

static const struct poptOption record_table[] = {
	{"output", 'o', POPT_ARG_STRING, NULL, TRACE_ARGS_OUTPUT,
	 "folder to write the trace to (" TRACE_ARGS_FOLDER ")", "DIR"},
	{"mode", 'm', POPT_ARG_STRING, NULL, TRACE_ARGS_MODE,
	 "buffers of each CPU: discard:64x256K writes to disk through 64 buffers of 256 KiB; "
	 "overwrite:64x256K keeps the newest events in these buffers, and writes the events to "
	 "disk at the end",
	 "MODE:NxSIZE"},
	{"duration", 'd', POPT_ARG_STRING, NULL, RECORD_SECONDS, "end after this many seconds",
	 "SECONDS"},
	TRACE_ARGS_TABLE,
	POPT_TABLEEND};

struct recording {
	poptContext popt;
	struct trace_args args;
	char **command;
	bool has_duration;
};

/* Processes all options. Returns 0; 1 if help or version was shown; or -errno with diag. */
static int take_record_options(struct recording *record, struct diag *diag)
{
	int option, done = 0;

	while (!done && (option = poptGetNextOpt(record->popt)) > 0) {
		char *text = poptGetOptArg(record->popt);

		if (option == RECORD_SECONDS) {
			record->has_duration = true;
			daemon_args_add(&record->args.daemon, "--seconds=%s", text ? text : "");
		} else {
			done = trace_args_take(&record->args, record->popt, option,
					       text ? text : "", diag);
		}
		free(text);
	}
	if (!done && option < -1)
		done = option_error(record->popt, option, "optrace record --help", diag);
	record->command = option_rest(record->popt);
	return done;
}

static void tell_next(const struct recording *record)
{
	const char *folder = record->args.folder ? record->args.folder : TRACE_ARGS_FOLDER;

	log_info("the trace is in %s; see it with: optrace stats %s, or: optrace events %s", folder,
		 folder, folder);
}

/*
 * Waits for the command and returns its status. If the tracer ends first, reports this immediately,
 * sets *tracer to 0 and *error to the tracer's error, and continues to wait for the command.
 */
static int wait_beside(const struct recording *record, struct command *command, pid_t *tracer,
		       int *error)
{
	struct diag diag = {0};
	int status;

	if (!command_ends_first(command, *tracer, &status)) {
		*tracer = 0;
		*error = daemon_judge_status(status, &diag);
		if (*error)
			log_error("%s continues without being traced: %s", record->command[0],
				  diag_show(&diag));
	}
	return command_wait(command);
}

static int record_command(struct recording *record)
{
	struct command command;
	struct diag diag = {0};
	pid_t tracer;
	bool traced;
	int status, failed = 0, error = command_hold(&command, record->command, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	error = daemon_start(&record->args.daemon, DAEMON_PRIVATE, command_signal, &tracer, &diag);
	if (error) {
		status = command_cancel(&command);
		/*
		 * After Ctrl-C, the tracer may have failed only because the held command has ended.
		 */
		if (status == COMMAND_EXIT_OURS || error == -ETIMEDOUT)
			log_error("%s", diag_show(&diag));
		else
			log_info("ended before %s was run", record->command[0]);
		return status;
	}
	error = command_release(&command);
	traced = !error || error == -ECANCELED;
	status = error ? command_exec_status(error)
		       : wait_beside(record, &command, &tracer, &failed);
	if (error == -ECANCELED)
		log_info("ended before %s was run", record->command[0]);
	else if (error)
		log_error("cannot run %s: %s", record->command[0], strerror(-error));
	error = tracer ? daemon_end(tracer, &diag) : 0;
	if (error)
		log_error("the trace may be incomplete: %s", diag_show(&diag));
	else if (traced && !failed)
		tell_next(record);
	return status ? status : error || failed ? COMMAND_EXIT_OURS : 0;
}

static int record_machine(struct recording *record)
{
	struct diag diag = {0};
	pid_t tracer;
	int error;

	watch_catch_signals();
	error = daemon_start(&record->args.daemon, DAEMON_PRIVATE, watch_signal, &tracer, &diag);
	if (error) {
		if (error != -EINTR) {
			log_error("%s", diag_show(&diag));
			return COMMAND_EXIT_OURS;
		}
		log_info("ended before tracing began");
		return COMMAND_EXIT_SIGNAL + watch_signal();
	}
	log_info("tracing %s; Ctrl-C ends it",
		 record->args.selective ? "the selected processes" : "the whole machine");
	if (watch_daemon(tracer, 0, &diag)) {
		log_error("the trace may be incomplete: %s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	tell_next(record);
	return 0;
}

/* Checks that the command exists, before the previous trace is moved away. */
static int check_command(const struct recording *record)
{
	int error = record->command ? tool_path_command(record->command[0], NULL) : 0;

	if (!error)
		return 0;
	log_error("%s: %s", record->command[0],
		  error == -ENOENT ? "command not found" : strerror(-error));
	return command_exec_status(error);
}

static int run_record(struct recording *record)
{
	struct diag diag = {0};
	int done = take_record_options(record, &diag), status;

	if (done > 0)
		return 0;
	if (!done && record->command && record->has_duration)
		done = diag_set(&diag, -EINVAL,
				"-d cannot be combined with a command: the trace ends with the "
				"command");
	if (done) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	status = check_command(record);
	if (status)
		return status;
	daemon_args_add(&record->args.daemon, "--parent=%d", (int)getpid());
	if (trace_args_end(&record->args, TRACE_ARGS_FOLDER, &diag)) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	return record->command ? record_command(record) : record_machine(record);
}

int optrace_record(int argc, const char **argv)
{
	struct recording record = {
		.popt = option_begin(argc, argv, record_table,
				     "record [options] [--] [COMMAND [ARGUMENTS...]]")};
	int status = COMMAND_EXIT_OURS;

	trace_args_init(&record.args, TRACE_ARGS_DISCARD);
	if (record.popt)
		status = run_record(&record);
	else
		log_error("out of memory for options");
	trace_args_deinit(&record.args);
	if (record.popt)
		(void)poptFreeContext(record.popt);
	return status;
}
