// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace start, stop, snapshot, status: traces in the background, by name. */
#include "client/client.h"
#include "control/base/tool_path.h"
#include "control/daemon/opcontrol_options.h"
#include "control/run/command.h"
#include "control/trace/optrace.h"
#include "control/trace/trace_args.h"
#include "control/trace/trace_sessions.h"
#include "lib/folder.h"
#include "lib/key_value.h"
#include "lib/log.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum session_option {
	SESSION_NAME = TRACE_ARGS_NR,
	SESSION_DIR,
	SESSION_CONDITION,
	SESSION_LIMIT,
	SESSION_THEN
};

#define DIR_OPTION                                                                                 \
	{                                                                                          \
		"session-dir", 0, POPT_ARG_STRING, NULL, SESSION_DIR,                              \
			"folder of the sessions (" OPCONTROL_SESSION_DIR ")", "DIR"                \
	}
#define END_OPTIONS                                                                                \
	{"version", 'v', POPT_ARG_NONE, NULL, TRACE_ARGS_VERSION, "show the version", NULL},       \
	{                                                                                          \
		"help", '?', POPT_ARG_NONE, NULL, TRACE_ARGS_HELP, "show this help", NULL          \
	}

static const struct poptOption start_table[] = {
	{"session", 's', POPT_ARG_STRING, NULL, SESSION_NAME,
	 "name of the trace (" TRACE_SESSIONS_DEFAULT "); several traces can run at the same time",
	 "NAME"},
	{"mode", 'm', POPT_ARG_STRING, NULL, TRACE_ARGS_MODE,
	 "overwrite:NxSIZE keeps the newest events in N buffers of each CPU (4x1M); "
	 "discard:NxSIZE writes to disk through N buffers of each CPU (64x256K)",
	 "MODE:NxSIZE"},
	{"output", 'o', POPT_ARG_STRING, NULL, TRACE_ARGS_OUTPUT,
	 "folder to write the trace to; with -m overwrite: beginning of the names of the "
	 "snapshots' folders (" TRACE_ARGS_FOLDER ")",
	 "DIR"},
	{"snapshot-if", 0, POPT_ARG_STRING, NULL, SESSION_CONDITION,
	 "take a snapshot when this condition becomes true: wakeup>10ms, syscall>20ms, "
	 "syscall:NAME>20ms, irq>1ms, softirq>1ms, BEGIN..END>10ms, EVENT/FIELD OP VALUE/, "
	 "EVENT, signal",
	 "CONDITION"},
	{"snapshot-limit", 0, POPT_ARG_STRING, NULL, SESSION_LIMIT,
	 "take at most N snapshots for --snapshot-if (1)", "N"},
	{"then", 0, POPT_ARG_STRING, NULL, SESSION_THEN,
	 "run this program after each snapshot for --snapshot-if, with the snapshot's folder as "
	 "the argument",
	 "PROGRAM"},
	DIR_OPTION,
	TRACE_ARGS_TABLE,
	POPT_TABLEEND};

static const struct poptOption stop_table[] = {DIR_OPTION, END_OPTIONS, POPT_TABLEEND};

static const struct poptOption snapshot_table[] = {
	{"output", 'o', POPT_ARG_STRING, NULL, TRACE_ARGS_OUTPUT,
	 "folder to create (./" TRACE_ARGS_FOLDER "-DATE-TIME)", "DIR"},
	DIR_OPTION,
	END_OPTIONS,
	POPT_TABLEEND};

struct session_command {
	poptContext popt;
	struct trace_args args;
	char *name, *dir; /* NULL: the defaults */
	bool has_condition;
};

/* A path is made absolute, since the tracer has another working directory. */
static int keep_then(struct session_command *session, const char *text, struct diag *diag)
{
	char found[PATH_MAX];
	char *whole;
	int error = tool_path_command(text, found);

	if (error && error != -ENOENT)
		return diag_set(diag, error, "--then %s: %s", text, strerror(-error));
	if (error)
		return diag_set(diag, error, "--then %s: %s", text,
				strchr(text, '/') ? strerror(-error)
						  : "there is no such program in PATH");
	/*
	 * folder_check_program() needs the absolute path, since it also checks the folders above
	 * the working directory.
	 */
	whole = trace_args_whole_path(found, diag);
	if (!whole)
		return -ENOMEM;
	error = folder_check_program(whole, diag);
	if (!error)
		daemon_args_add(&session->args.daemon, "--then=%s", whole);
	free(whole);
	return error;
}

static int take_option(struct session_command *session, int option, const char *text,
		       struct diag *diag)
{
	switch (option) {
	case SESSION_NAME:
		return option_keep(&session->name, text, diag);
	case SESSION_DIR:
		return option_keep(&session->dir, text, diag);
	case SESSION_CONDITION:
		session->has_condition = true;
		daemon_args_add(&session->args.daemon, "--snapshot-if=%s", text);
		return 0;
	case SESSION_LIMIT:
		daemon_args_add(&session->args.daemon, "--snapshot-limit=%s", text);
		return 0;
	case SESSION_THEN:
		return keep_then(session, text, diag);
	default:
		return trace_args_take(&session->args, session->popt, option, text, diag);
	}
}

/*
 * Processes the arguments after the options. At most one argument is allowed: the session's name,
 * if no option has given the name. Sets defaults.
 */
static int take_words(struct session_command *session, const char *help, struct diag *diag)
{
	char **words = option_rest(session->popt);
	int error = 0;

	if (words && (words[1] || session->name))
		return diag_set(diag, -EINVAL, "unexpected argument \"%s\"; see %s",
				words[words[1] != NULL], help);
	if (words)
		error = option_keep(&session->name, words[0], diag);
	if (!error)
		error = option_keep(&session->dir,
				    session->dir ? session->dir : OPCONTROL_SESSION_DIR, diag);
	if (!error && !session->name)
		error = option_keep(&session->name, TRACE_SESSIONS_DEFAULT, diag);
	return error ? error : trace_sessions_check_name(session->name, diag);
}

/* Processes all options. Returns 0; 1 if help or version was shown; or -errno with diag. */
static int take_options(struct session_command *session, const char *help, struct diag *diag)
{
	int option, done = 0;

	while (!done && (option = poptGetNextOpt(session->popt)) > 0) {
		char *text = poptGetOptArg(session->popt);

		done = take_option(session, option, text ? text : "", diag);
		free(text);
	}
	if (!done && option < -1)
		done = option_error(session->popt, option, help, diag);
	return done ? done : take_words(session, help, diag);
}

/* The work of a verb, done after its options have been parsed. Returns 0, or -errno and diag. */
typedef int session_act(struct session_command *session, struct diag *diag);

static int run_verb(int argc, const char **argv, const struct poptOption *table, const char *usage,
		    session_act *act)
{
	/* Options may also follow the arguments. */
	struct session_command session = {.popt = poptGetContext(NULL, argc, argv, table, 0)};
	struct diag diag = {0};
	char help[64];
	int done = -ENOMEM;

	trace_args_init(&session.args, TRACE_ARGS_OVERWRITE);
	(void)snprintf(help, sizeof(help), "optrace %.*s --help", (int)strcspn(usage, " "), usage);
	if (session.popt) {
		poptSetOtherOptionHelp(session.popt, usage);
		done = take_options(&session, help, &diag);
	} else {
		(void)diag_set(&diag, done, "out of memory for options");
	}
	if (!done)
		done = act(&session, &diag);
	if (done < 0)
		log_error("%s", diag_show(&diag));
	trace_args_deinit(&session.args);
	free(session.name);
	free(session.dir);
	if (session.popt)
		(void)poptFreeContext(session.popt);
	return done < 0 ? COMMAND_EXIT_OURS : 0;
}

static int folder_of(const struct session_command *session, char **folder, struct diag *diag)
{
	char *whole = trace_args_whole_path(session->dir, diag);
	int error;

	if (!whole)
		return -ENOMEM;
	error = asprintf(folder, "%s/" TRACE_SESSIONS_FOLDER "/%s", whole, session->name) < 0
			? diag_set(diag, -ENOMEM, "out of memory for a path")
			: 0;
	free(whole);
	return error;
}

/* ---- start ---- */

static int start(struct session_command *session, struct diag *diag)
{
	char *folder;
	pid_t pid;
	int error;

	/* If a folder is given, but no condition for snapshots, the trace is written to disk. */
	if (session->args.folder && !session->args.has_mode && !session->has_condition)
		session->args.mode = TRACE_ARGS_DISCARD;
	error = trace_args_end(&session->args, TRACE_ARGS_FOLDER, diag);
	if (!error)
		error = folder_of(session, &folder, diag);
	if (error)
		return error;
	daemon_args_add(&session->args.daemon, "--session=%s", folder);
	free(folder);
	error = daemon_start(&session->args.daemon, DAEMON_DETACHED, NULL, &pid, diag);
	if (error)
		return error;
	if (session->args.mode == TRACE_ARGS_OVERWRITE)
		log_info("tracing into memory as %s; optrace snapshot writes its events to disk, "
			 "optrace stop ends it",
			 session->name);
	else
		log_info("tracing to %s as %s; optrace stop ends it",
			 session->args.folder ? session->args.folder : TRACE_ARGS_FOLDER,
			 session->name);
	return 0;
}

int optrace_start(int argc, const char **argv)
{
	return run_verb(argc, argv, start_table, "start [-s NAME] [options]", start);
}

/* ---- requests ---- */

static int ask(const struct session_command *session, enum oprof_request request, const char *text,
	       struct client_answer *answer, struct diag *diag)
{
	const struct client_patience patience = {CLIENT_DUMP_TIMEOUT_MS, -1};
	char *folder;
	int error = folder_of(session, &folder, diag);

	if (error)
		return error;
	/* The session folder may be another user's. */
	error = client_ask_trusted(folder, request, text, &patience, answer, diag);
	if (error == -ENOTCONN)
		error = trace_sessions_none(session->dir, session->name, diag);
	free(folder);
	return error;
}

/* ---- stop ---- */

static void tell_lines(const char *text)
{
	for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const int length = (int)strcspn(text, "\n");

		if (!strncmp(text, "told ", 5))
			log_info("%.*s", length - 5, text + 5);
		else if (!strncmp(text, "loss ", 5))
			log_warning("%.*s", length - 5, text + 5);
	}
}

static void tell_failures(const char *text)
{
	const uint64_t nr = key_value_number(text, "snapshots_failed", 0);
	char last[DIAG_FILE_BYTES + DIAG_TEXT_BYTES] = "";

	(void)key_value_find(text, "last_failure", last, sizeof(last));
	if (nr)
		log_warning("%" PRIu64 " snapshot%s could not be taken; the last failure: %s", nr,
			    nr == 1 ? "" : "s", last);
}

static void tell_place(const struct session_command *session, const char *text)
{
	char mode[32] = "", folder[PATH_MAX] = "";
	const uint64_t nr = key_value_number(text, "snapshots", 0);

	(void)key_value_find(text, "mode", mode, sizeof(mode));
	(void)key_value_find(text, "folder", folder, sizeof(folder));
	if (!strcmp(mode, "overwrite"))
		log_info("trace %s has ended, and its events in memory were discarded; %" PRIu64
			 " snapshot%s taken",
			 session->name, nr, nr == 1 ? " was" : "s were");
	else
		log_info("the trace is in %s; see it with: optrace stats %s, or: optrace events %s",
			 folder, folder, folder);
}

/* Adds to the message of client_ask_trusted() how root can end the tracers of another user. */
static void advise_root(uid_t uid, struct diag *diag)
{
	const size_t used = strlen(diag->text);

	(void)snprintf(diag->text + used, sizeof(diag->text) - used,
		       "; end all traces of that user with: pkill -TERM -u %u -x oprof-tracer",
		       (unsigned int)uid);
}

static int stop(struct session_command *session, struct diag *diag)
{
	struct client_answer answer = {.refused_uid = 0};
	char failure[DIAG_TEXT_BYTES];
	int error = ask(session, OPROF_REQUEST_SHUTDOWN, NULL, &answer, diag);

	if (error && answer.refused_uid && !geteuid())
		advise_root(answer.refused_uid, diag);
	if (error)
		return error;
	tell_lines(answer.text);
	tell_failures(answer.text);
	if (key_value_find(answer.text, "failure", failure, sizeof(failure)))
		error = diag_set(diag, -EIO, "%s", failure);
	else
		tell_place(session, answer.text);
	if (answer.daemon)
		(void)client_wait_end(answer.daemon, CLIENT_TIMEOUT_MS);
	client_answer_deinit(&answer);
	return error;
}

int optrace_stop(int argc, const char **argv)
{
	return run_verb(argc, argv, stop_table, "stop [NAME]", stop);
}

/* ---- snapshot ---- */

static int choose_folder(struct session_command *session, char **text, struct diag *diag)
{
	const time_t now = time(NULL);
	char by_default[64];
	struct tm parts;
	char *whole;
	int error;

	if (session->args.folder && !*session->args.folder)
		return diag_set(diag, -EINVAL, "-o requires the name of a folder to create");
	(void)strftime(by_default, sizeof(by_default), TRACE_ARGS_FOLDER "-%Y%m%d-%H%M%S",
		       localtime_r(&now, &parts));
	error = session->args.folder ? 0 : option_keep(&session->args.folder, by_default, diag);
	if (error)
		return error;
	whole = trace_args_whole_path(session->args.folder, diag);
	if (!whole)
		return -ENOMEM;
	if (strchr(whole, '\n'))
		error = diag_set(diag, -EINVAL,
				 "-o: the name of a folder cannot contain line breaks");
	else if (asprintf(text, "folder %s\n", whole) < 0)
		error = diag_set(diag, -ENOMEM, "out of memory for a path");
	free(whole);
	return error;
}

static void tell_overwritten(uint64_t nr_packets)
{
	if (nr_packets)
		log_warning("%" PRIu64
			    " packets were overwritten before they could be written to disk; "
			    "choose fewer events, or more or larger buffers (-m)",
			    nr_packets);
}

static int snapshot(struct session_command *session, struct diag *diag)
{
	const char *folder;
	struct client_answer answer;
	char *text;
	int error = choose_folder(session, &text, diag);

	if (error)
		return error;
	error = ask(session, OPROF_REQUEST_SNAPSHOT, text, &answer, diag);
	free(text);
	if (error)
		return error;
	folder = session->args.folder;
	log_info("the snapshot has %" PRIu64 " events of %.3f s in %.1f MB; %" PRIu64
		 " more were lost",
		 key_value_number(answer.text, "records", 0),
		 (double)key_value_number(answer.text, "covered_ns", 0) / 1e9,
		 (double)key_value_number(answer.text, "bytes", 0) / 1e6,
		 key_value_number(answer.text, "lost", 0));
	tell_overwritten(key_value_number(answer.text, "overwritten", 0));
	log_info("the trace is in %s; see it with: optrace stats %s, or: optrace events %s", folder,
		 folder, folder);
	client_answer_deinit(&answer);
	return 0;
}

int optrace_snapshot(int argc, const char **argv)
{
	return run_verb(argc, argv, snapshot_table, "snapshot [NAME] [-o DIR]", snapshot);
}

/* ---- status ---- */

static int status(struct session_command *session, struct diag *diag)
{
	/* Without a name, all sessions are shown. */
	char **words = option_rest(session->popt);

	return trace_sessions_show(session->dir, words ? session->name : NULL, diag);
}

int optrace_status(int argc, const char **argv)
{
	return run_verb(argc, argv, stop_table, "status [NAME]", status);
}
