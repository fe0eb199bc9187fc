// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace: traces of the whole machine, in folders that CTF readers can read. */
#include "control/base/option.h"
#include "control/base/tool_path.h"
#include "control/run/command.h"
#include "control/trace/optrace.h"
#include "control/trace/optrace_profile.h"
#include "control/trace/trace_args.h"
#include "events/tracefs.h"
#include "events/tracepoint.h"
#include "lib/children.h"
#include "lib/log.h"
#include "lib/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READER "optrace-read"

static int do_list(int argc, const char **argv);
static int do_read(int argc, const char **argv);
static int do_profile(int argc, const char **argv);

static const struct {
	const char *name, *usage, *text;
	int (*act)(int argc, const char **argv);
} verbs[] = {
	{"record", "[options] [--] [COMMAND [ARGUMENTS...]]",
	 "trace the whole machine while COMMAND runs, or until Ctrl-C", optrace_record},
	{"start", "[-s NAME] [options]",
	 "trace in the background, into memory until a snapshot is taken, or to disk",
	 optrace_start},
	{"snapshot", "[NAME] [-o DIR]",
	 "write the events that a trace in the background has in memory; the trace continues",
	 optrace_snapshot},
	{"status", "[NAME]", "show the traces in the background", optrace_status},
	{"stop", "[NAME]", "end a trace in the background", optrace_stop},
	{"events", "[options] [FOLDER]", "show the events of a trace, one per line", do_read},
	{"stats", "[options] [FOLDER]", "show what each CPU and each thread did during a trace",
	 do_read},
	{"profile", "[options] [FOLDER] [-- OPTIONS OF opreport]", "report the samples of a trace",
	 do_profile},
	{"list-events", "[options] [PATTERN...]", "list the events that can be traced", do_list},
};
#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

/* ---- list-events ---- */

enum list_option { LIST_FIELDS = 1, LIST_VERSION, LIST_HELP };

static const struct poptOption list_table[] = {
	{"fields", 'f', POPT_ARG_NONE, NULL, LIST_FIELDS, "also show the fields of events", NULL},
	{"version", 'v', POPT_ARG_NONE, NULL, LIST_VERSION, "show the version", NULL},
	{"help", '?', POPT_ARG_NONE, NULL, LIST_HELP, "show this help", NULL},
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

		printf("\t");
		utf8_write_masked(stdout, field->type);
		printf(" ");
		utf8_write_masked(stdout, field->name);
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

	utf8_write_masked(stdout, system);
	printf(":");
	utf8_write_masked(stdout, name);
	printf("\n");
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
		log_error("out of memory for options");
	if (popt)
		(void)poptFreeContext(popt);
	return status;
}

/* ---- reading traces ---- */

/* Passes on all arguments, including the verb. */
static int do_read(int argc, const char **argv)
{
	char path[PATH_MAX];

	(void)argc;
	if (tool_path_find(READER, path, sizeof(path))) {
		log_error("cannot find " READER " in this program's folder or in " OPROF_LIBEXEC_DIR
			  ": this oprof was built without reports; read the trace with an oprof "
			  "that was built with reports, or with babeltrace2");
		return COMMAND_EXIT_OURS;
	}
	(void)execv(path, (char **)(uintptr_t)argv);
	log_error("cannot run %s: %s", path, strerror(errno));
	return COMMAND_EXIT_OURS;
}

static int do_profile(int argc, const char **argv)
{
	return optrace_profile(argc, argv, TRACE_ARGS_FOLDER);
}

/* ---- verbs ---- */

static void show_help(void)
{
	printf("Usage: optrace VERB [options] ...\n\n");
	for (size_t i = 0; i < NR_VERBS; i++)
		printf("  optrace %s %s\n      %s\n", verbs[i].name, verbs[i].usage, verbs[i].text);
	printf("\noptrace VERB --help shows the options of a verb; optrace(1) describes all of "
	       "them.\n");
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
			argv[1] = "optrace"; /* the program's name in the verb's help */
			return verbs[i].act(argc - 1, argv + 1);
		}
	log_error("unknown verb \"%s\"; optrace help lists all verbs", argv[1]);
	return COMMAND_EXIT_OURS;
}

int main(int argc, const char **argv)
{
	log_init("optrace", LOG_LEVEL_INFO);
	children_keep();
	return option_end_output(run_verb(argc, argv));
}
