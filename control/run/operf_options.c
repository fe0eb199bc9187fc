// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/run/operf_options.h"

#include "control/base/option.h"
#include "lib/array.h"
#include "lib/number.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPTION_EVENTS = 1,
	OPTION_FREQUENCY,
	OPTION_PID,
	OPTION_SYSTEM,
	OPTION_GRAPH,
	OPTION_DEPTH,
	OPTION_UNWIND,
	OPTION_STACK_BYTES,
	OPTION_THREAD,
	OPTION_CPU,
	OPTION_SEPARATE,
	OPTION_SESSION_DIR,
	OPTION_DURATION,
	OPTION_DURATION_OR_DIR,
	OPTION_APPEND,
	OPTION_PAGES,
	OPTION_VERBOSE,
	OPTION_VERSION,
	OPTION_HELP,
};

static const struct poptOption operf_table[] = {
	{"events", 'e', POPT_ARG_STRING, NULL, OPTION_EVENTS,
	 "events to sample: NAME[:COUNT[:UNITMASK[:KERNEL[:USER]]]], or "
	 "NAME[:COUNT[:UNITMASK]]:MODE with MODE u (programs), k (kernel) or uk, or default; "
	 "separated by commas",
	 "EVENTS"},
	{"frequency", 'F', POPT_ARG_STRING, NULL, OPTION_FREQUENCY,
	 "samples per second for events without COUNT (997)", "HZ"},
	{"pid", 'p', POPT_ARG_STRING, NULL, OPTION_PID,
	 "profile these processes until they end or Ctrl-C; separated by commas", "PID"},
	{"system-wide", 's', POPT_ARG_NONE, NULL, OPTION_SYSTEM,
	 "profile the whole machine until Ctrl-C, or while COMMAND runs", NULL},
	{"call-graph", 'g', POPT_ARG_NONE, NULL, OPTION_GRAPH, "record call chains", NULL},
	{"callgraph", 0, POPT_ARG_STRING, NULL, OPTION_DEPTH, "record call chains up to this depth",
	 "DEPTH"},
	{"unwind", 0, POPT_ARG_STRING, NULL, OPTION_UNWIND,
	 "how to find callers in programs: auto, fp (frame pointers), tables (auto)", "HOW"},
	{"stack-bytes", 0, POPT_ARG_STRING, NULL, OPTION_STACK_BYTES,
	 "bytes of the stack to copy with each sample, for unwind tables (32768)", "N"},
	{"separate-thread", 't', POPT_ARG_NONE, NULL, OPTION_THREAD, "separate samples by thread",
	 NULL},
	{"separate-cpu", 'c', POPT_ARG_NONE, NULL, OPTION_CPU, "separate samples by processor",
	 NULL},
	{"separate", 0, POPT_ARG_STRING, NULL, OPTION_SEPARATE,
	 "how to separate samples: none, lib, kernel, thread, cpu, cgroup, all (lib)", "LIST"},
	{"duration", 0, POPT_ARG_STRING, NULL, OPTION_DURATION,
	 "end after SECONDS, with -p or -s; -d SECONDS is the same", "SECONDS"},
	{"session-dir", 0, POPT_ARG_STRING, NULL, OPTION_SESSION_DIR,
	 "folder to write the profile to (" OPERF_SESSION_DIR "); -d DIR is the same", "DIR"},
	{NULL, 'd', POPT_ARG_STRING, NULL, OPTION_DURATION_OR_DIR,
	 "same as --duration if the argument is a number, otherwise same as --session-dir",
	 "SECONDS|DIR"},
	{"append", 'a', POPT_ARG_NONE, NULL, OPTION_APPEND,
	 "add to the existing profile instead of replacing it", NULL},
	{"sample-pages", 0, POPT_ARG_STRING, NULL, OPTION_PAGES,
	 "pages of each processor's sample ring, a power of two", "N"},
	{"verbose", 'V', POPT_ARG_NONE, NULL, OPTION_VERBOSE, "report more details", NULL},
	{"version", 'v', POPT_ARG_NONE, NULL, OPTION_VERSION, "show the version", NULL},
	{"help", '?', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL},
	POPT_TABLEEND};

static int add_pid(struct operf_options *options, const char *text, size_t length,
		   struct diag *diag)
{
	char number[16];
	uint64_t pid = 0;

	if (length < sizeof(number)) {
		memcpy(number, text, length);
		number[length] = '\0';
	}
	if (length >= sizeof(number) || number_parse(number, INT_MAX, &pid) || !pid)
		return diag_set(diag, -EINVAL, "\"%.*s\" is not a process id", (int)length, text);
	for (size_t i = 0; i < options->nr_pids; i++) {
		if (options->pids[i] == (pid_t)pid)
			return diag_set(diag, -EINVAL, "process %d is given twice", (int)pid);
	}
	if (array_reserve(&options->pids, &options->room_pids, options->nr_pids, 1))
		return diag_set(diag, -ENOMEM, "out of memory for process ids");
	options->pids[options->nr_pids++] = (pid_t)pid;
	return 0;
}

static int add_pids(struct operf_options *options, const char *list, struct diag *diag)
{
	while (true) {
		size_t length = strcspn(list, ",");
		int error = add_pid(options, list, length, diag);

		if (error || !list[length])
			return error;
		list += length + 1;
	}
}

static int set_pages(struct operf_options *options, const char *text, struct diag *diag)
{
	uint64_t pages;

	if (number_parse(text, OPERF_RING_PAGES_MAX, &pages) || !pages || (pages & (pages - 1)))
		return diag_set(diag, -EINVAL,
				"--sample-pages: \"%s\" is not a power of two from 1 to %d", text,
				OPERF_RING_PAGES_MAX);
	options->sample_pages = (unsigned int)pages;
	return 0;
}

static int set_session_dir(struct operf_options *options, const char *dir, struct diag *diag)
{
	if (!*dir)
		return diag_set(diag, -EINVAL, "--session-dir requires the name of a folder");
	return option_keep(&options->session_dir, dir, diag);
}

static int set_duration(struct operf_options *options, const char *text, struct diag *diag)
{
	uint64_t seconds;

	if (number_parse_decimal(text, OPERF_SECONDS_MAX, &seconds) || !seconds)
		return diag_set(diag, -EINVAL, "\"%s\" is not a duration: 1 to %d seconds", text,
				OPERF_SECONDS_MAX);
	options->seconds = (unsigned int)seconds;
	return 0;
}

/*
 * -d is OProfile's option for the folder, but many other tools use it for the duration. A number
 * that could also be a folder is refused, so that no profile replaces another one by mistake.
 */
static int set_duration_or_dir(struct operf_options *options, const char *text, struct diag *diag)
{
	uint64_t seconds;

	if (!*text || text[strspn(text, "0123456789")])
		return set_session_dir(options, text, diag);
	if (number_parse(text, OPERF_D_SECONDS_MAX, &seconds) || !seconds || !access(text, F_OK))
		return diag_set(diag, -EINVAL,
				"-d %s may mean a folder or a duration (1 to %d seconds): write "
				"--session-dir=%s or --duration=%s",
				text, OPERF_D_SECONDS_MAX, text, text);
	return set_duration(options, text, diag);
}

/* Processes an option that has an argument. */
static int take_text(struct operf_options *options, int option, const char *text, struct diag *diag)
{
	switch (option) {
	case OPTION_EVENTS:
		return sampling_add_events(&options->sampling, text, diag);
	case OPTION_FREQUENCY:
		return sampling_set_hz(&options->sampling, text, diag);
	case OPTION_PID:
		return add_pids(options, text, diag);
	case OPTION_DEPTH:
		return sampling_set_depth(&options->sampling, text, diag);
	case OPTION_UNWIND:
		return sampling_set_unwind(&options->sampling, text, diag);
	case OPTION_STACK_BYTES:
		return sampling_set_stack_bytes(&options->sampling, text, diag);
	case OPTION_SEPARATE:
		return sampling_set_separation(&options->sampling, text, diag);
	case OPTION_SESSION_DIR:
		return set_session_dir(options, text, diag);
	case OPTION_DURATION:
		return set_duration(options, text, diag);
	case OPTION_DURATION_OR_DIR:
		return set_duration_or_dir(options, text, diag);
	default:
		return set_pages(options, text, diag);
	}
}

/* Processes an option without an argument. Returns 1 after help or version was shown. */
static int take_flag(struct operf_options *options, int option)
{
	switch (option) {
	case OPTION_SYSTEM:
		options->system = true;
		return 0;
	case OPTION_GRAPH:
		options->sampling.depth = OPERF_CHAIN_DEPTH;
		return 0;
	case OPTION_THREAD:
		options->sampling.separation |= SAMPLING_SEPARATE_THREAD;
		return 0;
	case OPTION_CPU:
		options->sampling.separation |= SAMPLING_SEPARATE_CPU;
		return 0;
	case OPTION_APPEND:
		options->append = true;
		return 0;
	case OPTION_VERBOSE:
		options->verbose = true;
		return 0;
	default:
		option_show(options->popt,
			    option == OPTION_HELP ? OPTION_SHOW_HELP : OPTION_SHOW_VERSION,
			    "operf");
		return 1;
	}
}

static int take_options(struct operf_options *options, struct diag *diag)
{
	int option;

	while ((option = poptGetNextOpt(options->popt)) > 0) {
		char *text = poptGetOptArg(options->popt);
		int error =
			text ? take_text(options, option, text, diag) : take_flag(options, option);

		free(text);
		if (error)
			return error;
	}
	if (option < -1)
		return option_error(options->popt, option, "operf --help", diag);
	options->command = option_rest(options->popt);
	return 0;
}

static int check_target(const struct operf_options *options, struct diag *diag)
{
	bool target = options->command || options->nr_pids || options->system;

	if (!target && options->append)
		return diag_set(diag, -EINVAL,
				"nothing to profile: -a adds samples to the profile in the folder; "
				"to profile the whole machine (-a of perf), use -s");
	if (!target)
		return diag_set(diag, -EINVAL,
				"nothing to profile: give a command, or use -p PID, or -s for "
				"the whole machine (operf --help)");
	if (options->nr_pids && (options->command || options->system))
		return diag_set(diag, -EINVAL, "-p cannot be combined with %s: use one of them",
				options->command ? "a command" : "-s");
	if (options->command && options->seconds)
		return diag_set(diag, -EINVAL,
				"a duration cannot be combined with a command, because the "
				"profile ends with the command; to limit the time, end operf "
				"itself (timeout %u operf COMMAND); to name the session folder %u, "
				"use -d ./%u",
				options->seconds, options->seconds, options->seconds);
	return 0;
}

int operf_options_parse(struct operf_options *options, int argc, const char **argv,
			struct diag *diag)
{
	int error;

	memset(options, 0, sizeof(*options));
	sampling_init(&options->sampling);
	options->sampling.separation = SAMPLING_SEPARATE_LIB;
	options->is_verb = argc > 0 && !strcmp(argv[0], "oprof run");
	options->popt = option_begin(argc, argv, operf_table,
				     "[options] COMMAND [ARGUMENTS...]\n"
				     "  or:  [options] -p PID[,PID...]\n"
				     "  or:  [options] -s [COMMAND [ARGUMENTS...]]");
	if (!options->popt)
		return diag_set(diag, -ENOMEM, "out of memory for options");
	error = set_session_dir(options, OPERF_SESSION_DIR, diag);
	if (!error)
		error = take_options(options, diag);
	return error ? error : check_target(options, diag);
}

void operf_options_deinit(struct operf_options *options)
{
	if (options->popt)
		(void)poptFreeContext(options->popt);
	free(options->session_dir);
	sampling_deinit(&options->sampling);
	free(options->pids);
}
