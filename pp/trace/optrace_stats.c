// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace stats: times of CPUs, processes and threads, system calls, interrupts and wake-ups. */
#include "pp/trace/optrace_read.h"

#include "ctf/reader.h"
#include "lib/log.h"
#include "lib/number.h"
#include "lib/saturate.h"
#include "pp/options/tool_options.h"
#include "pp/trace/trace_filter.h"
#include "pp/trace/trace_states.h"
#include "pp/trace/trace_stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_SHOWN 30u

enum stats_option {
	OPTION_JSON = 1,
	OPTION_ROWS,
	OPTION_HISTOGRAM,
	OPTION_PID,
	OPTION_THREAD,
	OPTION_FROM,
	OPTION_TO,
	OPTION_CPUS,
	OPTION_PROCESSES,
	OPTION_THREADS,
	OPTION_CALLS,
	OPTION_INTERRUPTS,
	OPTION_WAKEUPS,
	OPTION_VERSION,
	OPTION_HELP
};

static const struct poptOption stats_table[] = {
	{"cpus", 0, ARG_NONE, OPTION_CPUS,
	 "a table of the CPUs; if any table is requested, only the requested tables are shown",
	 NULL},
	{"process", 0, ARG_NONE, OPTION_PROCESSES,
	 "a table of the processes, each with all its threads", NULL},
	{"threads", 0, ARG_NONE, OPTION_THREADS, "a table of the threads", NULL},
	{"calls", 0, ARG_NONE, OPTION_CALLS, "a table of the system calls", NULL},
	{"interrupts", 0, ARG_NONE, OPTION_INTERRUPTS,
	 "a table of the interrupts and soft interrupts", NULL},
	{"wakeups", 0, ARG_NONE, OPTION_WAKEUPS, "a table of the times from wakeup to running",
	 NULL},
	{"histogram", 'H', ARG_NONE, OPTION_HISTOGRAM, "also show how times are distributed", NULL},
	{"rows", 'n', ARG_TEXT, OPTION_ROWS, "show N rows of each table (default 30; 0: all)", "N"},
	{"pid", 'p', ARG_TEXT, OPTION_PID, "only threads of these processes", "PIDS"},
	{"thread", 't', ARG_TEXT, OPTION_THREAD,
	 "only these threads: numbers, or names with wildcards * and ?", "THREADS"},
	{"from", 0, ARG_TEXT, OPTION_FROM, "begin this many seconds after the trace's beginning",
	 "SECONDS"},
	{"to", 0, ARG_TEXT, OPTION_TO, "end this many seconds after the trace's beginning",
	 "SECONDS"},
	{"json", 'j', ARG_NONE, OPTION_JSON, "write everything as JSON", NULL},
	{"version", 'v', ARG_NONE, OPTION_VERSION, "show the version", NULL},
	{"help", '?', ARG_NONE, OPTION_HELP, "show this help", NULL},
	POPT_TABLEEND};

struct stats_reading {
	const char *folder;
	bool json;
	struct trace_stats_choice choice;
	struct trace_filter filter; /* selects processes, threads and times */
	struct trace_states *states;
	/* The window is [begin, end). `end` moves forward while the trace is read. */
	uint64_t trace_begin, begin, end;
	bool has_begun;
	struct trace_sums sums;
};

static bool is_chosen(const void *context, int32_t pid, int32_t tid, const char *name)
{
	return trace_filter_lets_process(context, pid) &&
	       trace_filter_lets_thread(context, tid, name);
}

static int begin_states(struct stats_reading *reading, struct ctf_reader *reader, uint64_t begin)
{
	const int error = trace_states_create(&reading->states, ctf_reader_trace(reader), begin);

	reading->trace_begin = begin;
	reading->begin = reading->end = saturate_sum(begin, reading->filter.from_ns);
	reading->has_begun = !reading->filter.from_ns;
	if (!error && (reading->filter.nr_threads || reading->filter.nr_pids))
		trace_states_choose(reading->states, is_chosen, &reading->filter);
	return error;
}

/*
 * Handles a record, even if it is before --from: such a record may contain a thread's process, or
 * the beginning of a wait or a system call that is in progress when the window begins.
 */
static int take(struct stats_reading *reading, struct ctf_reader *reader,
		const struct ctf_record *record)
{
	const int error = reading->states ? 0 : begin_states(reading, reader, record->time);

	if (error)
		return error;
	if (!reading->has_begun && record->time >= reading->begin) {
		trace_states_begin(reading->states, reading->begin);
		reading->has_begun = true;
	}
	if (record->packet->time_end > reading->end)
		reading->end = record->packet->time_end;
	reading->sums.nr_records += reading->has_begun;
	return trace_states_take(reading->states, record);
}

static bool is_behind(const struct stats_reading *reading, const struct ctf_record *record)
{
	return reading->states && reading->filter.to_ns &&
	       record->time - reading->trace_begin >= reading->filter.to_ns;
}

/*
 * Reads all records of the window. Skips and counts damaged places, and reports the first of them.
 */
static int read_all(struct stats_reading *reading, struct ctf_reader *reader)
{
	struct ctf_record record;
	struct diag diag;
	int more, error = 0;

	while (!error && (more = ctf_reader_next(reader, &record, &diag))) {
		if (more > 0 && is_behind(reading, &record)) {
			reading->end = saturate_sum(reading->trace_begin, reading->filter.to_ns);
			break;
		}
		if (more > 0)
			error = take(reading, reader, &record);
		else if (!reading->sums.nr_damaged++)
			log_warning("%s", diag_show(&diag));
	}
	return error;
}

/* Sums the losses during recording. Damage is not included, because read_all() has counted it. */
static void sum_losses(struct trace_sums *sums, const struct ctf_reader *reader)
{
	for (unsigned int i = 0; i < ctf_reader_nr_streams(reader); i++) {
		const struct ctf_stream_counts counts =
			ctf_stream_counts(ctf_reader_stream(reader, i));

		/*
		 * The first packet of the stream may not be the first packet of its ring. In this
		 * case, the losses in the packet's header occurred before the trace, and are
		 * subtracted.
		 */
		sums->lost_events += counts.lost - (counts.seq_first ? counts.lost_before : 0);
		sums->lost_packets += counts.lost_overwritten;
	}
}

static void tell_losses(const struct trace_sums *sums)
{
	if (sums->lost_events || sums->lost_packets)
		log_warning("%" PRIu64 " event%s and %" PRIu64
			    " packet%s were lost during recording; the time in which they were "
			    "lost is shown as lost",
			    sums->lost_events, sums->lost_events == 1 ? "" : "s",
			    sums->lost_packets, sums->lost_packets == 1 ? "" : "s");
	if (sums->nr_damaged)
		log_warning("the trace is damaged or truncated in %" PRIu64 " place%s",
			    sums->nr_damaged, sums->nr_damaged == 1 ? "" : "s");
}

static int show(struct stats_reading *reading, const struct ctf_reader *reader)
{
	const struct trace_filter *filter = &reading->filter;

	if (!reading->states) {
		log_error("%s contains no events", reading->folder);
		return -ENODATA;
	}
	if (filter->to_ns && reading->end > saturate_sum(reading->trace_begin, filter->to_ns))
		reading->end = saturate_sum(reading->trace_begin, filter->to_ns);
	if (!reading->has_begun && reading->end <= reading->begin) {
		log_error("%s ends before --from", reading->folder);
		return -ENODATA;
	}
	if (!reading->has_begun)
		trace_states_begin(reading->states, reading->begin);
	trace_states_end(reading->states, reading->end);
	reading->sums.from_ns = filter->from_ns;
	reading->sums.window_ns = reading->end - reading->begin;
	sum_losses(&reading->sums, reader);
	tell_losses(&reading->sums);
	if (reading->json)
		return trace_stats_show_json(reading->states, &reading->sums, stdout);
	return trace_stats_show(reading->states, &reading->sums, &reading->choice, stdout);
}

static int stats(struct stats_reading *reading)
{
	struct ctf_reader *reader;
	struct diag diag;
	int error = optrace_read_open(&reader, reading->folder, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	reading->sums.nr_damaged += optrace_read_tell_chunks(reader);
	ctf_reader_use_ns(reader);
	error = read_all(reading, reader);
	if (!error)
		error = show(reading, reader);
	if (error == -ENOMEM)
		log_error("out of memory for the threads of %s", reading->folder);
	trace_states_destroy(reading->states);
	ctf_reader_close(reader);
	return error;
}

/* ---- options ---- */

static int take_rows(struct stats_reading *reading, const char *text, struct diag *diag)
{
	uint64_t nr;

	if (number_parse(text, UINT32_MAX, &nr))
		return diag_set(diag, -EINVAL, "--rows=%s: give a number of rows, 0 for all", text);
	reading->choice.nr_rows = (size_t)nr;
	return 0;
}

static int take_option(struct stats_reading *reading, int option, const char *text,
		       struct diag *diag)
{
	switch ((enum stats_option)option) {
	case OPTION_JSON:
		reading->json = true;
		return 0;
	case OPTION_HISTOGRAM:
		reading->choice.histograms = true;
		return 0;
	case OPTION_ROWS:
		return take_rows(reading, text, diag);
	case OPTION_PID:
		return trace_filter_pids(&reading->filter, text, diag);
	case OPTION_THREAD:
		return trace_filter_threads(&reading->filter, text, diag);
	case OPTION_FROM:
		return number_parse_seconds("--from", text, &reading->filter.from_ns, diag);
	case OPTION_TO:
		return number_parse_seconds("--to", text, &reading->filter.to_ns, diag);
	case OPTION_CPUS:
	case OPTION_PROCESSES:
	case OPTION_THREADS:
	case OPTION_CALLS:
	case OPTION_INTERRUPTS:
	case OPTION_WAKEUPS: /* these options are in the order of enum trace_table */
		reading->choice.tables |= 1u << (option - OPTION_CPUS);
		return 0;
	default:
		return 0;
	}
}

/*
 * Reads the options. Returns 0; 1 if only help or the version was shown; or -errno with diag set.
 */
static int take_options(struct stats_reading *reading, poptContext popt, struct diag *diag)
{
	int option, error = 0;

	while (!error && (option = poptGetNextOpt(popt)) > 0) {
		char *text = poptGetOptArg(popt);

		error = take_option(reading, option, text ? text : "", diag);
		free(text);
		if (option == OPTION_HELP)
			poptPrintHelp(popt, stdout, 0);
		else if (option == OPTION_VERSION)
			printf("optrace (oprof) %s\n", OPROF_VERSION);
		if (option == OPTION_HELP || option == OPTION_VERSION)
			return 1;
	}
	if (!error && option < -1)
		error = diag_set(diag, -EINVAL, "%s: %s; see optrace stats --help",
				 poptBadOption(popt, 0), poptStrerror(option));
	return error;
}

static int check(const struct stats_reading *reading, const char *const *words, struct diag *diag)
{
	if (words && words[0] && words[1])
		return diag_set(diag, -EINVAL, "only one trace can be read: give %s or %s",
				words[0], words[1]);
	if (reading->filter.to_ns && reading->filter.to_ns <= reading->filter.from_ns)
		return diag_set(diag, -EINVAL, "--to must be later than --from");
	return 0;
}

static int run(struct stats_reading *reading, poptContext popt)
{
	const char *const *words;
	struct diag diag;
	int done = take_options(reading, popt, &diag);

	if (done > 0)
		return 0;
	words = poptGetArgs(popt);
	if (!done)
		done = check(reading, words, &diag);
	if (done) {
		log_error("%s", diag_show(&diag));
		return done;
	}
	if (words && words[0])
		reading->folder = words[0];
	if (!reading->choice.tables)
		reading->choice.tables = TRACE_TABLES_ALL;
	return stats(reading);
}

int optrace_stats(int argc, const char **argv)
{
	struct stats_reading reading = {.folder = OPTRACE_FOLDER,
					.choice = {.nr_rows = ROWS_SHOWN}};
	poptContext popt = poptGetContext(NULL, argc, argv, stats_table, 0);
	int error;

	if (!popt) {
		log_error("out of memory for options");
		return -ENOMEM;
	}
	poptSetOtherOptionHelp(popt, "stats [options] [FOLDER]");
	error = run(&reading, popt);
	poptFreeContext(popt);
	trace_filter_deinit(&reading.filter);
	return error;
}
