// SPDX-License-Identifier: GPL-2.0-or-later
/* oprof VERB: the main command. It runs the other programs. */
#include "control/base/option.h"
#include "control/base/tool_path.h"
#include "control/doctor/doctor.h"
#include "control/run/operf_options.h"
#include "lib/log.h"
#include "oprof/session.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_FOUND_STATUS 127

static int do_doctor(char **args);
static int do_version(char **args);
static int do_help(char **args);
static int do_save(char **args);
static int do_status(char **args);

struct verb {
	const char *name;
	const char *tool; /* program that implements the verb; NULL: act implements it */
	/* Options before the user's arguments, NULL-terminated; NULL: none. */
	const char *const *options;
	int (*act)(char **args);
	const char *usage;
	const char *text;
};

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct verb verbs[] = {
	{"run", "operf", NULL, NULL, "[options] [--] COMMAND... | -p PID | -s [COMMAND...]",
	 "profile a command, processes or the whole machine into ./oprofile_data"},
	{"report", "opreport", OPTIONS("--layout=auto"), NULL, "[options] [PROFILE...]",
	 "show where the time went: images, or symbols with -l"},
	{"diff", "opreport", OPTIONS("--diff", "--layout=auto"), NULL,
	 "[options] A B | --last LENGTH",
	 "compare two time ranges or sessions: what became hotter, what cooler"},
	{"gprof", "opgprof", NULL, NULL, "[options] [PROFILE...]",
	 "write the samples of one binary for gprof"},
	{"annotate", "opannotate", NULL, NULL, "[options] [PROFILE...]",
	 "show source lines, or instructions with -a, with their samples"},
	{"top", "optop", NULL, NULL, "[options]",
	 "show what the machine does now; h lists the keys"},
	{"trace", "optrace", NULL, NULL,
	 "record [options] [--] [COMMAND...] | start | snapshot | status | stop | stats [FOLDER] | "
	 "events [FOLDER] | list-events",
	 "record what the machine does, event by event"},
	{"archive", "oparchive", NULL, NULL, "-o ARCHIVE [options] [PROFILE...]",
	 "pack a profile and its binaries for another machine"},
	{"import", "opimport", NULL, NULL, "[options] PERF.DATA | FOLDER",
	 "convert a recording of perf or OProfile to a session"},
	{"check", "opcheck", NULL, NULL, "[options] FILE...", "check sample files"},
	{"start", "opcontrol", OPTIONS("--left-on"), NULL, "[--boot] [options of opcontrol]",
	 "profile the whole machine in the background; --boot: also at every boot"},
	{"stop", "opcontrol", OPTIONS("--shutdown"), NULL, "[--boot]",
	 "end profiling in the background and write all samples to disk; --boot: also disable "
	 "profiling at boot"},
	{"status", NULL, NULL, do_status, "[--raw]",
	 "show the health of background profiling: rate, cost, losses; --raw: all figures, one "
	 "per line"},
	{"dump", "opcontrol", OPTIONS("--dump"), NULL, "",
	 "write all samples taken so far to disk"},
	{"reset", "opcontrol", OPTIONS("--reset"), NULL, "", "delete all samples taken so far"},
	{"save", NULL, NULL, do_save, "NAME",
	 "keep the samples taken so far as session NAME, which oprof run does not overwrite"},
	{"events", "opcontrol", OPTIONS("--list-events"), NULL, "",
	 "list all events, and mark events that this machine does not have"},
	{"list", "opcontrol", OPTIONS("--list-events"), NULL, "", "same as events"},
	{"doctor", NULL, NULL, do_doctor, "",
	 "check whether this machine can be profiled, and show commands that fix problems"},
	{"version", NULL, NULL, do_version, "", "show the version"},
	{"help", NULL, NULL, do_help, "[VERB]", "show this help, or the options of a verb"},
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < NR_VERBS; i++) {
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	}
	return NULL;
}

static void print_help(FILE *stream)
{
	(void)fprintf(stream, "Usage: oprof VERB [options]\n\n");
	for (size_t i = 0; i < NR_VERBS; i++)
		(void)fprintf(stream, "  %-8s %s\n", verbs[i].name, verbs[i].text);
	(void)fprintf(stream, "\nFirst steps: oprof doctor; oprof run COMMAND; oprof report -l\n");
}

/* Replaces this process by the verb's program. Returns only on failure. */
static int run_tool(const struct verb *verb, const char *const *options, char **args)
{
	char path[PATH_MAX];
	char name[64];
	char **all;
	size_t nr = 0;
	size_t nr_options = 0;
	size_t used = 0;

	while (args[nr])
		nr++;
	while (options && options[nr_options])
		nr_options++;
	if (tool_path_find(verb->tool, path, sizeof(path))) {
		log_error("cannot find %s in this program's folder or in %s; install all of oprof",
			  verb->tool, OPROF_LIBEXEC_DIR);
		return NOT_FOUND_STATUS;
	}
	all = calloc(nr + nr_options + 2, sizeof(*all));
	if (!all) {
		log_error("out of memory");
		return EXIT_FAILURE;
	}
	(void)snprintf(name, sizeof(name), "oprof %s", verb->name);
	all[used++] = name;
	/* The cast drops const, as execv()'s prototype requires; the words are not modified. */
	for (size_t i = 0; i < nr_options; i++)
		all[used++] = (char *)(uintptr_t)options[i];
	memcpy(all + used, args, nr * sizeof(*all));
	(void)execv(path, all);
	log_error("cannot run %s: %s", path, strerror(errno));
	free(all);
	return NOT_FOUND_STATUS - 1;
}

static bool asks_for_help(char *const *args)
{
	return args[0] && !args[1] &&
	       (!strcmp(args[0], "--help") || !strcmp(args[0], "-h") || !strcmp(args[0], "-?"));
}

/* Refuses arguments for a verb that accepts none. Returns 0 or an exit status. */
static int refuse_words(const char *verb, char *const *args)
{
	if (!args[0])
		return 0;
	log_error("oprof %s accepts no arguments, but \"%s\" is given", verb, args[0]);
	return EXIT_FAILURE;
}

static int do_doctor(char **args)
{
	int status = refuse_words("doctor", args);

	if (status)
		return status;
	return doctor_run(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int do_version(char **args)
{
	int status = refuse_words("version", args);

	if (!status)
		(void)printf("oprof %s\n", OPROF_VERSION);
	return status;
}

/* Returns whether "oprof report" would show the session that "oprof run" wrote here. */
static bool is_own_session(char **args)
{
	struct stat st;

	for (; *args; args++)
		if (!strncmp(*args, "--session-dir", strlen("--session-dir")))
			return false;
	return !stat(OPERF_SESSION_DIR "/" OPROF_SAMPLES_NAME, &st) && S_ISDIR(st.st_mode);
}

/*
 * Saves the session that "oprof run" wrote in this folder, or opcontrol's session if there is no
 * such session. Overwrites args[0], which is the name, with the option --session-dir.
 */
static int do_save(char **args)
{
	const struct verb control = {.name = "save", .tool = "opcontrol"};
	char own[] = "--session-dir=" OPERF_SESSION_DIR;
	char option[PATH_MAX];

	if (!args[0] || args[0][0] == '-') {
		log_error("oprof save requires a name: oprof save NAME");
		return EXIT_FAILURE;
	}
	if (snprintf(option, sizeof(option), "--save=%s", args[0]) >= (int)sizeof(option)) {
		log_error("the name is too long");
		return EXIT_FAILURE;
	}
	if (!is_own_session(args + 1))
		return run_tool(&control, OPTIONS(option), args + 1);
	args[0] = own;
	return run_tool(&control, OPTIONS(option), args);
}

static int do_status(char **args)
{
	const struct verb control = {.name = "status", .tool = "opcontrol"};
	bool raw = args[0] && !strcmp(args[0], "--raw");

	return run_tool(&control, OPTIONS(raw ? "--status" : "--health"), args + raw);
}

static int show_verb_help(const struct verb *verb)
{
	char help[] = "--help";
	char *args[] = {help, NULL};

	(void)printf("Usage: oprof %s%s%s\n  %s\n", verb->name, *verb->usage ? " " : "",
		     verb->usage, verb->text);
	if (!verb->tool)
		return EXIT_SUCCESS;
	(void)printf("\nIt runs %s", verb->tool);
	for (size_t i = 0; verb->options && verb->options[i]; i++)
		(void)printf(" %s", verb->options[i]);
	(void)printf(":\n\n");
	(void)fflush(stdout);
	return run_tool(verb, NULL, args);
}

static int unknown_verb(const char *name)
{
	log_error("unknown verb \"%s\"; oprof help lists all verbs", name);
	return EXIT_FAILURE;
}

static int do_help(char **args)
{
	const struct verb *verb;

	if (!args[0]) {
		print_help(stdout);
		return EXIT_SUCCESS;
	}
	verb = find_verb(args[0]);
	return verb ? show_verb_help(verb) : unknown_verb(args[0]);
}

static int do_verb(const char *name, char **args)
{
	const struct verb *verb = find_verb(name);

	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "-?"))
		return do_help(args);
	if (!strcmp(name, "--version") || !strcmp(name, "-v"))
		return do_version(args);
	if (!verb)
		return unknown_verb(name);
	if (asks_for_help(args))
		return show_verb_help(verb);
	return verb->tool ? run_tool(verb, verb->options, args) : verb->act(args);
}

int main(int argc, char **argv)
{
	log_init("oprof", LOG_LEVEL_INFO);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_FAILURE;
	}
	return option_end_output(do_verb(argv[1], argv + 2));
}
