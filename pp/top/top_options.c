// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top_options.h"

#include "pp/top/top_text.h"

#include <errno.h>
#include <math.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEFAULT_DELAY_NS  UINT64_C(2000000000)
#define DEFAULT_WINDOW_NS UINT64_C(10000000000)
#define DEFAULT_ROWS	  50

enum {
	OPTION_DELAY = 1,
	OPTION_WINDOW,
	OPTION_VIEW,
	OPTION_EVENT,
	OPTION_FILTER,
	OPTION_BATCH,
	OPTION_ONCE,
	OPTION_REFRESHES,
	OPTION_ROWS,
	OPTION_SESSION_DIR,
	OPTION_VERSION,
	OPTION_HELP,
};

#define ARG_NONE POPT_ARG_NONE, NULL
#define ARG_TEXT POPT_ARG_STRING, NULL

static const struct poptOption option_table[] = {
	{"delay", 'd', ARG_TEXT, OPTION_DELAY,
	 "request samples from the daemon every SECONDS (default 2)", "SECONDS"},
	{"window", 'w', ARG_TEXT, OPTION_WINDOW,
	 "show the samples of the last SECONDS (default 10)", "SECONDS"},
	{"view", 'V', ARG_TEXT, OPTION_VIEW,
	 "first view to show: symbols (default), images, programs, processes, threads, cgroups or cpus",
	 "VIEW"},
	{"event", 'e', ARG_TEXT, OPTION_EVENT, "first event to show", "NAME"},
	{"filter", 'f', ARG_TEXT, OPTION_FILTER, "show only rows that contain this text", "TEXT"},
	{"batch", 'b', ARG_NONE, OPTION_BATCH, "print text lines, for output to files and pipes",
	 NULL},
	{"once", '1', ARG_NONE, OPTION_ONCE, "print once, and exit", NULL},
	{"iterations", 'n', ARG_TEXT, OPTION_REFRESHES, "exit after N refreshes", "N"},
	{"rows", 'r', ARG_TEXT, OPTION_ROWS,
	 "with --batch, print at most N rows (default 50; 0: all)", "N"},
	{"session-dir", 0, ARG_TEXT, OPTION_SESSION_DIR,
	 "folder of the daemon's sessions (./oprofile_data, else /var/lib/oprofile)", "DIR"},
	{"version", 'v', ARG_NONE, OPTION_VERSION, "show the version", NULL},
	{"help", '?', ARG_NONE, OPTION_HELP, "show this help", NULL},
	POPT_TABLEEND};

static int parse_seconds(const char *option, const char *text, double least, double most,
			 uint64_t *ns, struct diag *diag)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !isfinite(seconds) || seconds < least || seconds > most)
		return diag_set(diag, -EINVAL,
				"--%s: \"%s\" is not a number of seconds from %g to %g", option,
				text, least, most);
	*ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int parse_number(const char *option, const char *text, unsigned int *number,
			struct diag *diag)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value > 1000000000)
		return diag_set(diag, -EINVAL, "--%s: \"%s\" is not a number", option, text);
	*number = (unsigned int)value;
	return 0;
}

static int parse_view(const char *text, enum top_view *view, struct diag *diag)
{
	for (unsigned int i = 0; *text && i < TOP_NR_VIEWS; i++) {
		if (strncasecmp(text, top_view_name((enum top_view)i), strlen(text)) != 0)
			continue;
		*view = (enum top_view)i;
		return 0;
	}
	return diag_set(diag, -EINVAL,
			"--view: \"%s\" is not one of symbols, images, programs, "
			"processes, threads, cgroups, cpus",
			text);
}

static int keep_text(char **kept, const char *text, struct diag *diag)
{
	free(*kept);
	*kept = strdup(text);
	return *kept ? 0 : diag_set(diag, -ENOMEM, "out of memory");
}

static int apply_text(struct top_options *options, int option, const char *text, struct diag *diag)
{
	switch (option) {
	case OPTION_DELAY:
		return parse_seconds("delay", text, 0.1, 3600, &options->delay_ns, diag);
	case OPTION_WINDOW:
		return parse_seconds("window", text, 1, 3600, &options->window_ns, diag);
	case OPTION_VIEW:
		return parse_view(text, &options->view, diag);
	case OPTION_EVENT:
		return keep_text(&options->event, text, diag);
	case OPTION_FILTER:
		return keep_text(&options->filter, text, diag);
	case OPTION_REFRESHES:
		return parse_number("iterations", text, &options->nr_refreshes, diag);
	case OPTION_ROWS:
		return parse_number("rows", text, &options->nr_rows, diag);
	default:
		return keep_text(&options->session_dir, text, diag);
	}
}

static int apply(struct top_options *options, int option, const char *text, struct diag *diag)
{
	switch (option) {
	case OPTION_BATCH:
		options->batch = true;
		return 0;
	case OPTION_ONCE:
		options->batch = true;
		options->nr_refreshes = 1;
		return 0;
	case OPTION_VERSION:
		options->what = TOP_VERSION;
		return 0;
	case OPTION_HELP:
		options->what = TOP_HELP;
		return 0;
	default:
		return apply_text(options, option, text, diag);
	}
}

static int parse_all(struct top_options *options, poptContext context, struct diag *diag)
{
	int error = 0;
	int option;

	while (!error && (option = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);

		error = apply(options, option, text ? text : "", diag);
		free(text);
	}
	if (error)
		return error;
	if (option < -1)
		return diag_set(diag, -EINVAL, "%s: %s; --help shows the options",
				poptBadOption(context, POPT_BADOPTION_NOALIAS),
				poptStrerror(option));
	if (poptPeekArg(context))
		return diag_set(diag, -EINVAL, "\"%s\" is not an option; --help shows the options",
				poptPeekArg(context));
	return 0;
}

int top_options_parse(struct top_options *options, int argc, const char **argv, struct diag *diag)
{
	poptContext context;
	int error;

	*options = (struct top_options){
		.delay_ns = DEFAULT_DELAY_NS,
		.window_ns = DEFAULT_WINDOW_NS,
		.nr_rows = DEFAULT_ROWS,
	};
	context = poptGetContext(NULL, argc, argv, option_table, 0);
	if (!context)
		return diag_set(diag, -ENOMEM, "out of memory");
	error = parse_all(options, context, diag);
	(void)poptFreeContext(context);
	return error;
}

void top_options_deinit(struct top_options *options)
{
	free(options->session_dir);
	free(options->event);
	free(options->filter);
}

void top_options_help(void)
{
	const char *argv[] = {"optop", NULL};
	poptContext context = poptGetContext(NULL, 1, argv, option_table, 0);

	if (!context)
		return;
	(void)puts("Shows where the CPUs spend their time now, as sampled by the "
		   "daemon; h shows the keys");
	poptPrintHelp(context, stdout, 0);
	(void)poptFreeContext(context);
}
