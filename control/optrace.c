// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * optrace: traces of the whole machine, into folders that readers of CTF take.
 */
#include "control/command.h"
#include "control/daemon_start.h"
#include "control/option.h"
#include "control/tool_path.h"
#include "control/watch.h"
#include "events/tracefs.h"
#include "events/tracepoint.h"
#include "lib/log.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_FOLDER "oprofile_trace"
#define READER	     "optrace-read"

static int do_record(int argc, const char **argv);
static int do_list(int argc, const char **argv);
static int do_read(int argc, const char **argv);

static const struct {
	const char *name, *usage, *text;
	int (*act)(int argc, const char **argv);
} verbs[] = {
	{"record", "[options] [--] [COMMAND [ARGUMENTS...]]",
	 "trace the whole machine while COMMAND runs, or until Ctrl-C", do_record},
	{"events", "[options] [FOLDER]", "show the events of a trace, one a line", do_read},
	{"stats", "[options] [FOLDER]", "show what each CPU and each thread did, by a trace",
	 do_read},
	{"list-events", "[options] [PATTERN...]", "show what can be traced", do_list},
};
#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

/* ---- record ---- */

enum record_option {
	RECORD_EVENTS = 1,
	RECORD_OUTPUT,
	RECORD_SIZE,
	RECORD_SECONDS,
	RECORD_ROTATE,
	RECORD_KEEP,
	RECORD_COMPRESS,
	RECORD_VERSION,
	RECORD_HELP
};

static const struct poptOption record_table[] = {
	{"events", 'e', POPT_ARG_STRING, NULL, RECORD_EVENTS,
	 "what to record, a comma list: default, syscalls, syscall:NAME, SYSTEM:NAME, "
	 "EVENT/FILTER/ (default)",
	 "EVENTS"},
	{"output", 'o', POPT_ARG_STRING, NULL, RECORD_OUTPUT,
	 "the folder that the trace goes to (" TRACE_FOLDER ")", "DIR"},
	{"mode", 'm', POPT_ARG_STRING, NULL, RECORD_SIZE,
	 "buffers of each CPU on the way to the disk: discard:64x256K is 64 of 256 KiB",
	 "MODE:NxSIZE"},
	{"duration", 'd', POPT_ARG_STRING, NULL, RECORD_SECONDS, "end after so long", "SECONDS"},
	{"rotate", 0, POPT_ARG_STRING, NULL, RECORD_ROTATE,
	 "go on in a new chunk, a folder in the folder, when one has so much or is so old (100M, 60 or "
	 "100M,60)",
	 "SIZE|SECONDS"},
	{"keep", 0, POPT_ARG_STRING, NULL, RECORD_KEEP, "remove the oldest of more than N chunks",
	 "N"},
	{"compress", 0, POPT_ARG_NONE, NULL, RECORD_COMPRESS,
	 "compress chunks (zstd) when they are complete", NULL},
	{"version", 'v', POPT_ARG_NONE, NULL, RECORD_VERSION, "show the version", NULL},
	{"help", '?', POPT_ARG_NONE, NULL, RECORD_HELP, "show this text", NULL},
	POPT_TABLEEND};

struct record {
	poptContext popt;
	struct daemon_args args;
	char *folder; /* NULL: the default one */
	char **command;
	bool has_duration;
};

/* "discard:NxSIZE" to what oprof-tracer takes; a flight recorder has no folder to go to. */
static int take_mode(struct record *record, const char *text, struct diag *diag)
{
	if (!strncmp(text, "discard:", 8) && text[8]) {
		daemon_args_add(&record->args, "--size=%s", text + 8);
		return 0;
	}
	return diag_set(diag, -EINVAL, "-m %s: give discard:NxSIZE, such as discard:8x1M", text);
}

static int take_record_option(struct record *record, int option, const char *text,
			      struct diag *diag)
{
	switch ((enum record_option)option) {
	case RECORD_EVENTS:
		daemon_args_add(&record->args, "--events=%s", text);
		return 0;
	case RECORD_OUTPUT:
		return option_keep(&record->folder, text, diag);
	case RECORD_SIZE:
		return take_mode(record, text, diag);
	case RECORD_SECONDS:
		record->has_duration = true;
		daemon_args_add(&record->args, "--seconds=%s", text);
		return 0;
	case RECORD_ROTATE:
		daemon_args_add(&record->args, "--rotate=%s", text);
		return 0;
	case RECORD_KEEP:
		daemon_args_add(&record->args, "--keep=%s", text);
		return 0;
	case RECORD_COMPRESS:
		daemon_args_add(&record->args, "--compress");
		return 0;
	case RECORD_VERSION:
		option_show(record->popt, OPTION_SHOW_VERSION, "optrace");
		return 1;
	case RECORD_HELP:
		option_show(record->popt, OPTION_SHOW_HELP, "optrace");
		return 1;
	}
	return 0;
}

/* 1: something was shown, that is all. 0 or -errno and diag. */
static int take_record_options(struct record *record, struct diag *diag)
{
	int option, done = 0;

	while (!done && (option = poptGetNextOpt(record->popt)) > 0) {
		char *text = poptGetOptArg(record->popt);

		done = take_record_option(record, option, text ? text : "", diag);
		free(text);
	}
	if (!done && option < -1)
		done = option_error(record->popt, option, "optrace record --help", diag);
	record->command = option_rest(record->popt);
	return done;
}

/* As the tracer, which may be elsewhere, is told of it. */
static int choose_folder(struct record *record, struct diag *diag)
{
	const char *folder = record->folder ? record->folder : TRACE_FOLDER;
	char here[PATH_MAX];

	if (!*folder)
		return diag_set(diag, -EINVAL, "-o: give the name of a folder to be made");
	if (!record->folder)
		daemon_args_add(&record->args, "--keep-old");
	if (*folder != '/' && !getcwd(here, sizeof(here)))
		return diag_set(diag, -errno, "cannot tell the folder we are in: %s",
				strerror(errno));
	if (*folder == '/')
		daemon_args_add(&record->args, "--folder=%s", folder);
	else
		daemon_args_add(&record->args, "--folder=%s/%s", here, folder);
	return 0;
}

static void tell_next(const struct record *record)
{
	const char *folder = record->folder ? record->folder : TRACE_FOLDER;

	log_info("the trace is in %s; see it with: optrace stats %s, optrace events %s", folder,
		 folder, folder);
}

static int record_command(struct record *record)
{
	struct command command;
	struct diag diag = {0};
	pid_t tracer;
	int status, error = command_hold(&command, record->command, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	if (daemon_start(&record->args, DAEMON_PRIVATE, &tracer, &diag)) {
		log_error("%s", diag_show(&diag));
		command_cancel(&command);
		return COMMAND_EXIT_OURS;
	}
	error = command_release(&command);
	status = error ? command_exec_status(error) : command_wait(&command);
	if (error)
		log_error("cannot run %s: %s", record->command[0], strerror(-error));
	error = daemon_end(tracer, &diag);
	if (error)
		log_error("%s: the trace may not be whole", diag_show(&diag));
	else
		tell_next(record);
	return status ? status : error ? COMMAND_EXIT_OURS : 0;
}

static int record_machine(struct record *record)
{
	struct diag diag = {0};
	pid_t tracer;

	watch_catch_signals();
	if (daemon_start(&record->args, DAEMON_PRIVATE, &tracer, &diag)) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	log_info("tracing the whole machine; Ctrl-C ends it");
	if (watch_daemon(tracer, &diag)) {
		log_error("%s: the trace may not be whole", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	tell_next(record);
	return 0;
}

/* Before the last trace is moved away: is there such a command at all? */
static int check_command(const struct record *record)
{
	int error = record->command ? tool_path_command(record->command[0]) : 0;

	if (!error)
		return 0;
	log_error("%s: %s", record->command[0],
		  error == -ENOENT ? "command not found" : strerror(-error));
	return command_exec_status(error);
}

static int run_record(struct record *record)
{
	struct diag diag = {0};
	int done = take_record_options(record, &diag), status;

	if (done > 0)
		return 0;
	if (!done && record->command && record->has_duration)
		done = diag_set(&diag, -EINVAL, "a command ends the trace: no -d beside it");
	if (done) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	status = check_command(record);
	if (status)
		return status;
	daemon_args_add(&record->args, "--parent=%d", (int)getpid());
	if (choose_folder(record, &diag)) {
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	return record->command ? record_command(record) : record_machine(record);
}

static int do_record(int argc, const char **argv)
{
	struct record record = {
		.popt = option_begin(argc, argv, record_table,
				     "record [options] [--] [COMMAND [ARGUMENTS...]]")};
	int status = COMMAND_EXIT_OURS;

	daemon_args_init(&record.args, DAEMON_TRACER);
	if (record.popt)
		status = run_record(&record);
	else
		log_error("no memory for options");
	daemon_args_deinit(&record.args);
	free(record.folder);
	if (record.popt)
		(void)poptFreeContext(record.popt);
	return status;
}

/* ---- list-events ---- */

enum list_option { LIST_FIELDS = 1, LIST_VERSION, LIST_HELP };

static const struct poptOption list_table[] = {
	{"fields", 'f', POPT_ARG_NONE, NULL, LIST_FIELDS, "show their fields, too", NULL},
	{"version", 'v', POPT_ARG_NONE, NULL, LIST_VERSION, "show the version", NULL},
	{"help", '?', POPT_ARG_NONE, NULL, LIST_HELP, "show this text", NULL},
	POPT_TABLEEND};

struct list {
	char *tracefs;
	bool fields;
};

static int list_fields(const struct list *list, const char *system, const char *name)
{
	struct tracepoint *tracepoint;
	struct diag diag = {0};

	if (tracepoint_read(&tracepoint, list->tracefs, system, name, &diag)) {
		log_error("%s", diag_show(&diag));
		return 0;
	}
	for (unsigned int i = 0; i < tracepoint->nr_fields; i++) {
		const struct tracepoint_field *field = &tracepoint->fields[i];

		printf("\t%s %s", field->type, field->name);
		if (field->nr_elements)
			printf("[%u]", field->nr_elements);
		else if (field->kind == TRACEPOINT_STRING || field->kind == TRACEPOINT_SEQUENCE)
			printf("[]");
		printf("\n");
	}
	tracepoint_destroy(tracepoint);
	return 0;
}

static int list_event(const char *system, const char *name, void *context)
{
	const struct list *list = context;

	printf("%s:%s\n", system, name);
	return list->fields ? list_fields(list, system, name) : 0;
}

static int list_patterns(struct list *list, char *const *patterns)
{
	static char every_one[] = "*:*";
	static char *const all[] = {every_one, NULL};
	struct diag diag = {0};
	int error = tracefs_find("", &list->tracefs, &diag);

	for (patterns = patterns ? patterns : all; !error && *patterns; patterns++)
		error = tracepoint_list(list->tracefs, *patterns, list_event, list, &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	free(list->tracefs);
	return error ? COMMAND_EXIT_OURS : 0;
}

static int run_list(poptContext popt)
{
	struct list list = {0};
	struct diag diag = {0};
	int option;

	while ((option = poptGetNextOpt(popt)) > 0) {
		if (option == LIST_FIELDS) {
			list.fields = true;
			continue;
		}
		option_show(popt, option == LIST_HELP ? OPTION_SHOW_HELP : OPTION_SHOW_VERSION,
			    "optrace");
		return 0;
	}
	if (option < -1) {
		(void)option_error(popt, option, "optrace list-events --help", &diag);
		log_error("%s", diag_show(&diag));
		return COMMAND_EXIT_OURS;
	}
	return list_patterns(&list, option_rest(popt));
}

static int do_list(int argc, const char **argv)
{
	poptContext popt =
		option_begin(argc, argv, list_table, "list-events [options] [PATTERN...]");
	int status = COMMAND_EXIT_OURS;

	if (popt)
		status = run_list(popt);
	else
		log_error("no memory for options");
	if (popt)
		(void)poptFreeContext(popt);
	return status;
}

/* ---- what reads ---- */

/* All words, the verb among them. */
static int do_read(int argc, const char **argv)
{
	char path[PATH_MAX];

	(void)argc;
	if (tool_path_find(READER, path, sizeof(path))) {
		log_error(READER " is neither beside this program nor in " OPROF_LIBEXEC_DIR
				 ": this oprof was built without reports; read the trace where it "
				 "was built with them, or with babeltrace2");
		return COMMAND_EXIT_OURS;
	}
	(void)execv(path, (char **)(uintptr_t)argv);
	log_error("cannot run %s: %s", path, strerror(errno));
	return COMMAND_EXIT_OURS;
}

/* ---- verbs ---- */

static void show_help(void)
{
	printf("Usage: optrace VERB [options] ...\n\n");
	for (size_t i = 0; i < NR_VERBS; i++)
		printf("  optrace %s %s\n      %s\n", verbs[i].name, verbs[i].usage, verbs[i].text);
	printf("\noptrace VERB --help shows its options; optrace(1) has all.\n");
}

static int run_verb(int argc, const char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") ||
	    !strcmp(argv[1], "help")) {
		show_help();
		return argc < 2 ? COMMAND_EXIT_OURS : 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v")) {
		printf("optrace (oprof) %s\n", OPROF_VERSION);
		return 0;
	}
	for (size_t i = 0; i < NR_VERBS; i++)
		if (!strcmp(verbs[i].name, argv[1])) {
			if (verbs[i].act == do_read)
				return do_read(argc, argv);
			argv[1] = "optrace"; /* what its help calls the program */
			return verbs[i].act(argc - 1, argv + 1);
		}
	log_error("there is no verb %s: optrace help shows all", argv[1]);
	return COMMAND_EXIT_OURS;
}

int main(int argc, const char **argv)
{
	log_init("optrace", LOG_LEVEL_INFO);
	return option_end_output(run_verb(argc, argv));
}
