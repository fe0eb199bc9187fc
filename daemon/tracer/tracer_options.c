// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/tracer_options.h"

#include "lib/number.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <string.h>

#define SECONDS_MAX   UINT64_C(100000000)
#define FLUSH_MS_MAX  UINT64_C(3600000)
#define SNAPSHOTS_MAX UINT64_C(1000000)

enum tracer_option {
	OPTION_EVENTS = 1,
	OPTION_FOLDER,
	OPTION_KEEP_OLD,
	OPTION_SOURCE,
	OPTION_OVERWRITE,
	OPTION_SIZE,
	OPTION_SECONDS,
	OPTION_FLUSH,
	OPTION_ROTATE,
	OPTION_KEEP,
	OPTION_COMPRESS,
	OPTION_PIDS,
	OPTION_CGROUP,
	OPTION_UIDS,
	OPTION_SESSION,
	OPTION_CONDITION,
	OPTION_LIMIT,
	OPTION_THEN,
	OPTION_PARENT,
	OPTION_READY
};

static const struct poptOption option_table[] = {
	{"events", 'e', POPT_ARG_STRING, NULL, OPTION_EVENTS, "record these events, too", "EVENTS"},
	{"folder", 'o', POPT_ARG_STRING, NULL, OPTION_FOLDER, "folder to write the trace to",
	 "DIR"},
	{"source", 0, POPT_ARG_STRING, NULL, OPTION_SOURCE, "source of the events",
	 "module|perf|auto"},
	{"keep-old", 0, POPT_ARG_NONE, NULL, OPTION_KEEP_OLD, "move an existing trace to DIR.old",
	 NULL},
	{"overwrite", 0, POPT_ARG_NONE, NULL, OPTION_OVERWRITE,
	 "record into memory as a flight recorder", NULL},
	{"parent", 0, POPT_ARG_STRING, NULL, OPTION_PARENT, "end when this process ends", "PID"},
	{"size", 'm', POPT_ARG_STRING, NULL, OPTION_SIZE,
	 "number and size of each CPU's sub-buffers", "NxSIZE"},
	{"seconds", 'd', POPT_ARG_STRING, NULL, OPTION_SECONDS, "end after this time", "SECONDS"},
	{"flush", 0, POPT_ARG_STRING, NULL, OPTION_FLUSH, "write new events at this interval",
	 "MS"},
	{"rotate", 0, POPT_ARG_STRING, NULL, OPTION_ROTATE, "begin a new chunk at this size or age",
	 "SIZE|SECONDS"},
	{"keep", 0, POPT_ARG_STRING, NULL, OPTION_KEEP, "keep only this number of chunks", "N"},
	{"compress", 0, POPT_ARG_NONE, NULL, OPTION_COMPRESS, "compress closed chunks", NULL},
	{"pid", 'p', POPT_ARG_STRING, NULL, OPTION_PIDS, "record only events of these processes",
	 "PIDS"},
	{"cgroup", 0, POPT_ARG_STRING, NULL, OPTION_CGROUP,
	 "record only events of this control group's processes", "DIR"},
	{"uid", 0, POPT_ARG_STRING, NULL, OPTION_UIDS,
	 "record only events of this user's processes; may be repeated", "UID"},
	{"session", 0, POPT_ARG_STRING, NULL, OPTION_SESSION, "run in the background", "DIR"},
	{"snapshot-if", 0, POPT_ARG_STRING, NULL, OPTION_CONDITION,
	 "take a snapshot on this condition", "CONDITION"},
	{"snapshot-limit", 0, POPT_ARG_STRING, NULL, OPTION_LIMIT,
	 "take at most this number of snapshots for --snapshot-if", "N"},
	{"then", 0, POPT_ARG_STRING, NULL, OPTION_THEN,
	 "run this program after each snapshot for --snapshot-if", "PROGRAM"},
	{"ready-fd", 0, POPT_ARG_STRING, NULL, OPTION_READY, "descriptor to report the start to",
	 "FD"},
	POPT_AUTOHELP POPT_TABLEEND};

/* Parses "NxSIZE". */
static int take_size(struct tracer_options *options, const char *text, struct diag *diag)
{
	const char *by = strchr(text, 'x');
	char number[32];

	if (by &&
	    (size_t)snprintf(number, sizeof(number), "%.*s", (int)(by - text), text) <
		    sizeof(number) &&
	    !number_parse(number, UINT32_MAX, &options->nr_sub_buffers) &&
	    !number_parse_bytes(by + 1, &options->sub_buffer_bytes) &&
	    options->sub_buffer_bytes <= UINT32_MAX && options->nr_sub_buffers &&
	    options->sub_buffer_bytes)
		return 0;
	return diag_set(diag, -EINVAL,
			"-m %s: give MODE:NxSIZE, with powers of two as N and SIZE, such as "
			"discard:64x256K",
			text);
}

static int take_number(const char *option, const char *text, uint64_t max, uint64_t *number,
		       struct diag *diag)
{
	if (!number_parse_decimal(text, max, number) && *number)
		return 0;
	return diag_set(diag, -EINVAL, "%s %s: give a whole number of at least 1", option, text);
}

static int take_source(struct tracer_options *options, const char *text, struct diag *diag)
{
	static const char *const sources[] = {
		[TRACER_AUTO] = "auto", [TRACER_PERF] = "perf", [TRACER_MODULE] = "module"};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(sources[i], text)) {
			options->source = (enum tracer_source)i;
			return 0;
		}
	return diag_set(diag, -EINVAL, "--source=%s: give module, perf or auto", text);
}

static int take_keep(struct tracer_options *options, const char *text, struct diag *diag)
{
	uint64_t nr;
	const int error = take_number("--keep", text, UINT32_MAX, &nr, diag);

	if (!error)
		options->chunks.nr_keep = (uint32_t)nr;
	return error;
}

static int append(const char **texts, size_t *nr, size_t max, const char *text, const char *option,
		  struct diag *diag)
{
	if (*nr == max)
		return diag_set(diag, -E2BIG, "%s may be given at most %zu times", option, max);
	texts[(*nr)++] = text;
	return 0;
}

static int take_number_option(struct tracer_options *options, enum tracer_option option,
			      const char *text, struct diag *diag)
{
	switch (option) {
	case OPTION_SECONDS:
		return take_number("-d", text, SECONDS_MAX, &options->nr_seconds, diag);
	case OPTION_FLUSH:
		return take_number("--flush", text, FLUSH_MS_MAX, &options->flush_ms, diag);
	case OPTION_ROTATE:
		return trace_chunks_parse(text, &options->chunks, diag);
	case OPTION_KEEP:
		return take_keep(options, text, diag);
	case OPTION_LIMIT:
		return take_number("--snapshot-limit", text, SNAPSHOTS_MAX,
				   &options->snapshot_limit, diag);
	case OPTION_PARENT:
		return take_number("--parent", text, INT32_MAX, &options->parent, diag);
	case OPTION_READY:
		return take_number("--ready-fd", text, INT32_MAX, &options->ready_fd, diag);
	default:
		return -EINVAL;
	}
}

static int take_option(struct tracer_options *options, enum tracer_option option, const char *text,
		       struct diag *diag)
{
	switch (option) {
	case OPTION_EVENTS:
		return append(options->texts, &options->nr_texts, TRACER_NR_EVENT_TEXTS, text, "-e",
			      diag);
	case OPTION_CONDITION:
		return append(options->conditions, &options->nr_conditions, TRACER_NR_CONDITIONS,
			      text, "--snapshot-if", diag);
	case OPTION_FOLDER:
		options->folder = text;
		return 0;
	case OPTION_SOURCE:
		return take_source(options, text, diag);
	case OPTION_KEEP_OLD:
		options->keep_old = true;
		return 0;
	case OPTION_OVERWRITE:
		options->overwrite = true;
		return 0;
	case OPTION_COMPRESS:
		options->chunks.compress = true;
		return 0;
	case OPTION_SIZE:
		return take_size(options, text, diag);
	case OPTION_PIDS:
		options->pids = text;
		return 0;
	case OPTION_CGROUP:
		options->cgroup = text;
		return 0;
	case OPTION_UIDS:
		return append(options->uids, &options->nr_uids, TRACER_NR_UIDS, text, "--uid",
			      diag);
	case OPTION_SESSION:
		options->session = text;
		return 0;
	case OPTION_THEN:
		options->then = text;
		return 0;
	default:
		return take_number_option(options, option, text, diag);
	}
}

static int check(const struct tracer_options *options, struct diag *diag)
{
	if (!options->folder)
		return diag_set(
			diag, -EINVAL,
			"--folder is missing: start traces with optrace, which gives this option");
	if (options->flush_ms && options->overwrite)
		return diag_set(diag, -EINVAL,
				"--flush requires a trace on disk: a flight recorder writes only "
				"snapshots");
	if (trace_chunks_wanted(&options->chunks) && options->overwrite)
		return diag_set(
			diag, -EINVAL,
			"--rotate requires a trace on disk: a flight recorder overwrites its "
			"oldest events itself");
	if (options->nr_conditions && !(options->overwrite && options->session))
		return diag_set(
			diag, -EINVAL,
			"--snapshot-if requires a flight recorder, which has the trace in memory: "
			"optrace start -m overwrite");
	if (!options->nr_conditions && (options->then || options->snapshot_limit))
		return diag_set(diag, -EINVAL,
				"%s requires a condition for snapshots: add --snapshot-if",
				options->then ? "--then" : "--snapshot-limit");
	return trace_chunks_check(&options->chunks, diag);
}

int tracer_options_parse(struct tracer_options *options, int argc, const char **argv,
			 struct diag *diag)
{
	poptContext context = poptGetContext(NULL, argc, argv, option_table, 0);
	int option, error = 0;

	*options = (struct tracer_options){0};
	while ((option = poptGetNextOpt(context)) > 0) {
		struct diag why;
		const int bad = take_option(options, (enum tracer_option)option,
					    poptGetOptArg(context), &why);

		if (bad && !error)
			*diag = why;
		error = error ? error : bad;
	}
	if (!error && option < -1)
		error = diag_set(diag, -EINVAL, "%s: %s", poptBadOption(context, 0),
				 poptStrerror(option));
	poptFreeContext(context);
	if (!error)
		error = check(options, diag);
	if (!options->snapshot_limit)
		options->snapshot_limit = 1;
	return error;
}
