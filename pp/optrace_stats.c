// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace stats: what each CPU and each thread did. */
#include "pp/optrace_read.h"

#include "ctf/reader.h"
#include "lib/log.h"
#include "lib/number.h"
#include "pp/tool_options.h"
#include "pp/trace_states.h"
#include "pp/trace_stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_SHOWN 30u

enum option { OPTION_JSON = 1, OPTION_ROWS, OPTION_VERSION, OPTION_HELP };

static const struct poptOption stats_table[] = {
	{"json", 'j', ARG_NONE, OPTION_JSON, "as JSON, all of it", NULL},
	{"rows", 'n', ARG_TEXT, OPTION_ROWS, "so many threads (30); 0: all", "N"},
	{"version", 'v', ARG_NONE, OPTION_VERSION, "show the version", NULL},
	{"help", '?', ARG_NONE, OPTION_HELP, "show this text", NULL},
	POPT_TABLEEND};

struct reading {
	const char *folder;
	bool json;
	uint64_t nr_rows;
	struct trace_states *states;
	uint64_t begin, end;
	struct trace_sums sums;
};

static int begin_states(struct reading *reading, struct ctf_reader *reader, uint64_t begin)
{
	reading->begin = reading->end = begin;
	return trace_states_create(&reading->states, ctf_reader_trace(reader), begin);
}

static int take(struct reading *reading, struct ctf_reader *reader, const struct ctf_record *record)
{
	int error = 0;

	if (!reading->sums.nr_records++)
		error = begin_states(reading, reader, record->time);
	if (record->packet->time_end > reading->end)
		reading->end = record->packet->time_end;
	return error ? error : trace_states_take(reading->states, record);
}

/* Damage costs what is damaged, is told, and the rest is read. */
static int read_all(struct reading *reading, struct ctf_reader *reader)
{
	struct ctf_record record;
	struct diag diag;
	int more, error = 0;

	while (!error && (more = ctf_reader_next(reader, &record, &diag))) {
		if (more > 0) {
			error = take(reading, reader, &record);
			continue;
		}
		if (!reading->sums.nr_damaged++)
			log_warning("%s", diag_show(&diag));
	}
	if (error)
		log_error("no memory for the threads of %s", reading->folder);
	return error;
}

static void sum_losses(struct trace_sums *sums, const struct ctf_reader *reader)
{
	for (unsigned int i = 0; i < ctf_reader_nr_streams(reader); i++) {
		const struct ctf_stream_counts counts =
			ctf_stream_counts(ctf_reader_stream(reader, i));

		/* What the first packet tells of already was lost before the trace, unless it is
		 * the ring's first. */
		sums->lost_events += counts.lost - (counts.seq_first ? counts.lost_before : 0);
		sums->lost_packets += counts.lost_overwritten;
		sums->nr_damaged += counts.lost_cut;
	}
}

static void tell_losses(const struct trace_sums *sums)
{
	if (sums->lost_events || sums->lost_packets)
		log_warning("%" PRIu64 " events and %" PRIu64
			    " packets were lost when it was recorded: that time is shown as lost",
			    sums->lost_events, sums->lost_packets);
	if (sums->nr_damaged)
		log_warning("%" PRIu64 " places of it are damaged or cut", sums->nr_damaged);
}

static int show(struct reading *reading, const struct ctf_reader *reader)
{
	if (!reading->states) {
		log_error("%s holds no events", reading->folder);
		return -ENODATA;
	}
	trace_states_end(reading->states, reading->end);
	reading->sums.window_ns = reading->end - reading->begin;
	sum_losses(&reading->sums, reader);
	tell_losses(&reading->sums);
	if (reading->json)
		trace_stats_show_json(reading->states, &reading->sums, stdout);
	else
		trace_stats_show(reading->states, &reading->sums, (size_t)reading->nr_rows, stdout);
	return 0;
}

static int stats(struct reading *reading)
{
	struct ctf_reader *reader;
	struct diag diag;
	int error = ctf_reader_open(&reader, reading->folder, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	error = read_all(reading, reader);
	if (!error)
		error = show(reading, reader);
	trace_states_destroy(reading->states);
	ctf_reader_close(reader);
	return error;
}

/* 1: something was shown, that is all; 0 or -EINVAL, told. */
static int take_options(struct reading *reading, poptContext popt)
{
	int option;

	while ((option = poptGetNextOpt(popt)) > 0) {
		char *text = poptGetOptArg(popt);
		const bool bad =
			option == OPTION_ROWS && number_parse(text, UINT32_MAX, &reading->nr_rows);

		if (bad)
			log_error("--rows=%s: give a number of threads, 0 for all", text);
		free(text);
		if (bad)
			return -EINVAL;
		reading->json |= option == OPTION_JSON;
		if (option == OPTION_HELP)
			poptPrintHelp(popt, stdout, 0);
		else if (option == OPTION_VERSION)
			printf("optrace (oprof) %s\n", OPROF_VERSION);
		if (option == OPTION_HELP || option == OPTION_VERSION)
			return 1;
	}
	if (option == -1)
		return 0;
	log_error("%s: %s; see optrace stats --help", poptBadOption(popt, 0), poptStrerror(option));
	return -EINVAL;
}

static int run(struct reading *reading, poptContext popt)
{
	const char **words;
	int done = take_options(reading, popt);

	if (done)
		return done < 0 ? done : 0;
	words = poptGetArgs(popt);
	if (words && words[0] && words[1]) {
		log_error("one trace at a time: %s, or %s?", words[0], words[1]);
		return -EINVAL;
	}
	if (words && words[0])
		reading->folder = words[0];
	return stats(reading);
}

int optrace_stats(int argc, const char **argv)
{
	struct reading reading = {.folder = OPTRACE_FOLDER, .nr_rows = ROWS_SHOWN};
	poptContext popt = poptGetContext(NULL, argc, argv, stats_table, 0);
	int error;

	if (!popt) {
		log_error("no memory for options");
		return -ENOMEM;
	}
	poptSetOtherOptionHelp(popt, "stats [options] [FOLDER]");
	error = run(&reading, popt);
	poptFreeContext(popt);
	return error;
}
