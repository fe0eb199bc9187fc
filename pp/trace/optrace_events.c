// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace events: lists the events of a trace, one per line. */
#include "ctf/reader.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/number.h"
#include "lib/saturate.h"
#include "pp/trace/optrace_read.h"
#include "pp/options/tool_options.h"
#include "pp/trace/trace_backwards.h"
#include "pp/trace/trace_filter.h"
#include "pp/trace/trace_line.h"
#include "pp/trace/trace_pids.h"
#include "pp/trace/trace_who.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum events_option {
	OPTION_EVENTS = 1,
	OPTION_PIDS,
	OPTION_THREADS,
	OPTION_CPU,
	OPTION_WHERE,
	OPTION_SEARCH,
	OPTION_FROM,
	OPTION_TO,
	OPTION_FIRST,
	OPTION_LAST,
	OPTION_REVERSE,
	OPTION_JSON,
	OPTION_VERSION,
	OPTION_HELP
};

#define LAST_MAX 1000000u

static const struct poptOption events_table[] = {
	{"events", 'e', ARG_TEXT, OPTION_EVENTS,
	 "only events with these names; * and ? are wildcards", "NAMES"},
	{"pid", 'p', ARG_TEXT, OPTION_PIDS, "only while threads of these processes ran", "PIDS"},
	{"thread", 't', ARG_TEXT, OPTION_THREADS,
	 "only while these threads ran: numbers, or names with wildcards * and ?", "THREADS"},
	{"cpu", 'C', ARG_TEXT, OPTION_CPU, "only events of this CPU", "N"},
	{"where", 'w', ARG_TEXT, OPTION_WHERE,
	 "only events whose field meets this condition: FIELD=VALUE, or with != < > <= >=",
	 "CONDITION"},
	{"search", 's', ARG_TEXT, OPTION_SEARCH, "only events whose line contains this text",
	 "TEXT"},
	{"from", 0, ARG_TEXT, OPTION_FROM, "begin this many seconds after the trace's beginning",
	 "SECONDS"},
	{"to", 0, ARG_TEXT, OPTION_TO, "end this many seconds after the trace's beginning",
	 "SECONDS"},
	{"first", 'n', ARG_TEXT, OPTION_FIRST, "show at most the first N events", "N"},
	{"last", 'l', ARG_TEXT, OPTION_LAST, "show at most the last N events", "N"},
	{"reverse", 'r', ARG_NONE, OPTION_REVERSE, "show the newest event first", NULL},
	{"json", 'j', ARG_NONE, OPTION_JSON, "write JSON, one object per line", NULL},
	{"version", 'v', ARG_NONE, OPTION_VERSION, "show the version", NULL},
	{"help", '?', ARG_NONE, OPTION_HELP, "show this help", NULL},
	POPT_TABLEEND};

struct events_listing {
	const char *folder;
	struct trace_filter filter;
	char *search;
	uint64_t nr_first, nr_last; /* 0: all */
	bool json, reverse;
	struct trace_who *who;
	struct trace_pids *pids; /* NULL: no filter by process */
	bool has_begin;
	uint64_t begin, nr_shown, nr_damaged;
	struct trace_line line;
	/*
	 * Used when reading backwards: the list of stretches with their lines. The first element is
	 * the stretch that is read now; the next elements are later in time.
	 */
	struct kept_lines *newest;
	uint64_t nr_kept; /* number of lines in all these stretches */
};

/* Lines of one stretch of time, in order of time. Used when reading backwards. */
struct kept_lines {
	struct kept_lines *behind; /* the stretch that follows in time */
	char *bytes;
	size_t nr_bytes, room_bytes;
	size_t *ends; /* offset of each line's end */
	size_t nr, room;
};

/* ---- options ---- */

static int take_number(const char *option, const char *text, uint64_t max, uint64_t *number,
		       struct diag *diag)
{
	if (!number_parse(text, max, number) && *number)
		return 0;
	return diag_set(diag, -EINVAL, "%s=%s: give a number from 1 to %" PRIu64, option, text,
			max);
}

static int take_option(struct events_listing *listing, int option, const char *text,
		       struct diag *diag)
{
	switch ((enum events_option)option) {
	case OPTION_EVENTS:
		return trace_filter_events(&listing->filter, text, diag);
	case OPTION_PIDS:
		return trace_filter_pids(&listing->filter, text, diag);
	case OPTION_THREADS:
		return trace_filter_threads(&listing->filter, text, diag);
	case OPTION_CPU:
		return trace_filter_cpu(&listing->filter, text, diag);
	case OPTION_WHERE:
		return trace_filter_condition(&listing->filter, text, diag);
	case OPTION_SEARCH:
		free(listing->search);
		listing->search = strdup(text);
		return listing->search ? 0 : diag_set(diag, -ENOMEM, "out of memory for options");
	case OPTION_FROM:
		return number_parse_seconds("--from", text, &listing->filter.from_ns, diag);
	case OPTION_TO:
		return number_parse_seconds("--to", text, &listing->filter.to_ns, diag);
	case OPTION_FIRST:
		return take_number("--first", text, UINT64_MAX, &listing->nr_first, diag);
	case OPTION_LAST:
		return take_number("--last", text, LAST_MAX, &listing->nr_last, diag);
	case OPTION_REVERSE:
		listing->reverse = true;
		return 0;
	case OPTION_JSON:
		listing->json = true;
		return 0;
	default:
		return 0;
	}
}

static int check(const struct events_listing *listing, const char *const *words, struct diag *diag)
{
	if (words && words[0] && words[1])
		return diag_set(diag, -EINVAL, "only one trace can be read: give %s or %s",
				words[0], words[1]);
	if (listing->nr_first && listing->nr_last)
		return diag_set(diag, -EINVAL, "--first and --last cannot be combined");
	if (listing->filter.to_ns && listing->filter.to_ns <= listing->filter.from_ns)
		return diag_set(diag, -EINVAL, "--to must be later than --from");
	return 0;
}

/*
 * Reads the options. Returns 0; 1 if only help or the version was shown; or -errno with diag set.
 */
static int take_options(struct events_listing *listing, poptContext popt, struct diag *diag)
{
	int option, error = 0;

	while (!error && (option = poptGetNextOpt(popt)) > 0) {
		char *text = poptGetOptArg(popt);

		error = take_option(listing, option, text ? text : "", diag);
		free(text);
		if (option == OPTION_HELP)
			poptPrintHelp(popt, stdout, 0);
		else if (option == OPTION_VERSION)
			printf("optrace (oprof) %s\n", OPROF_VERSION);
		if (option == OPTION_HELP || option == OPTION_VERSION)
			return 1;
	}
	if (!error && option < -1)
		error = diag_set(diag, -EINVAL, "%s: %s; see optrace events --help",
				 poptBadOption(popt, 0), poptStrerror(option));
	return error;
}

/* ---- lines ---- */

static bool is_found(const struct events_listing *listing)
{
	return !listing->search || memmem(listing->line.bytes, listing->line.nr_bytes,
					  listing->search, strlen(listing->search));
}

static int put(const char *bytes, size_t nr_bytes)
{
	return fwrite(bytes, 1, nr_bytes, stdout) == nr_bytes ? 0 : -EIO;
}

/*
 * Formats a record into listing->line. Returns 1; 0 if the filter rejects the record; or -ENOMEM.
 */
static int make_line(struct events_listing *listing, const struct ctf_record *record,
		     const struct trace_runner *who)
{
	if (!trace_filter_lets(&listing->filter, record, listing->begin, who) ||
	    (listing->pids &&
	     !trace_filter_lets_process(&listing->filter,
					trace_pids_at(listing->pids, who->tid, record->time))))
		return 0;
	if (listing->json)
		trace_line_json(&listing->line, record, listing->begin, who);
	else
		trace_line_text(&listing->line, record, listing->begin, who);
	if (listing->line.no_memory)
		return -ENOMEM;
	return is_found(listing);
}

static void tell_damage(struct events_listing *listing, const struct diag *diag)
{
	if (!listing->nr_damaged++)
		log_warning("%s", diag_show(diag));
}

/*
 * Finds the start of the trace. All times are relative to this start. Returns 1, or 0 if the trace
 * is empty.
 */
static int find_begin(struct events_listing *listing, struct ctf_reader *reader, bool tell)
{
	struct ctf_record record;
	struct diag diag;
	int more;

	while ((more = ctf_reader_next(reader, &record, &diag)) < 0)
		if (tell)
			tell_damage(listing, &diag);
	if (more)
		listing->begin = record.time;
	listing->has_begin = more;
	return more;
}

/* ---- forwards ---- */

/*
 * Seeks to the first packet that must be read for --from. Does not report damage: damage is
 * reported when the packets are read.
 */
static void go_to_from(struct events_listing *listing, struct ctf_reader *reader)
{
	struct ctf_known known;

	/* To find a thread's process, listing->pids must read all earlier forks. */
	if (!listing->filter.from_ns || listing->pids || !trace_who_known(listing->who, &known))
		return;
	(void)find_begin(listing, reader, false); /* damage is reported later */
	ctf_reader_seek_known(reader, saturate_sum(listing->begin, listing->filter.from_ns),
			      &known);
}

static int take(struct events_listing *listing, const struct ctf_record *record)
{
	const struct trace_runner *who = trace_who_at(listing->who, record);
	int wanted;

	if (!who || (listing->pids && trace_pids_take(listing->pids, record)))
		return -ENOMEM;
	if (!listing->has_begin)
		listing->begin = record->time;
	listing->has_begin = true;
	wanted = make_line(listing, record, who);
	if (wanted <= 0)
		return wanted;
	listing->nr_shown++;
	return put(listing->line.bytes, listing->line.nr_bytes);
}

/*
 * Returns whether reading can end: enough records were shown, or the filter rejects all later
 * records.
 */
static bool is_done(const struct events_listing *listing, const struct ctf_record *record)
{
	return (listing->nr_first && listing->nr_shown >= listing->nr_first) ||
	       (listing->filter.to_ns && record->time - listing->begin >= listing->filter.to_ns);
}

static int list_forwards(struct events_listing *listing, struct ctf_reader *reader)
{
	struct ctf_record record;
	struct diag diag;
	int more, error = 0;

	go_to_from(listing, reader);
	while (!error && (more = ctf_reader_next(reader, &record, &diag))) {
		if (more < 0) {
			tell_damage(listing, &diag);
			continue;
		}
		error = take(listing, &record);
		if (is_done(listing, &record))
			break;
	}
	if (listing->nr_damaged > 1)
		log_warning("the trace is damaged or truncated in %" PRIu64 " places",
			    listing->nr_damaged);
	return error;
}

/* ---- backwards ---- */

static void free_newest(struct events_listing *listing)
{
	struct kept_lines *newest = listing->newest;

	listing->newest = newest->behind;
	free(newest->bytes);
	free(newest->ends);
	free(newest);
}

static int begin_stretch(struct events_listing *listing)
{
	struct kept_lines *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->behind = listing->newest;
	listing->newest = made;
	return 0;
}

static int take_backwards(void *context, const struct ctf_record *record,
			  const struct trace_runner *who)
{
	struct events_listing *listing = context;
	struct kept_lines *stretch = listing->newest;
	const struct trace_line *line = &listing->line;
	const int wanted = make_line(listing, record, who);

	if (wanted <= 0)
		return wanted;
	if (array_reserve(&stretch->bytes, &stretch->room_bytes, stretch->nr_bytes,
			  line->nr_bytes) ||
	    array_reserve(&stretch->ends, &stretch->room, stretch->nr, 1))
		return -ENOMEM;
	memcpy(stretch->bytes + stretch->nr_bytes, line->bytes, line->nr_bytes);
	stretch->nr_bytes += line->nr_bytes;
	stretch->ends[stretch->nr++] = stretch->nr_bytes;
	return 0;
}

static int put_line(const struct kept_lines *stretch, size_t i)
{
	const size_t from = i ? stretch->ends[i - 1] : 0;

	return put(stretch->bytes + from, stretch->ends[i] - from);
}

/* Returns the maximum number of lines to show; 0: no limit. */
static uint64_t bound(const struct events_listing *listing)
{
	return listing->nr_last ? listing->nr_last : listing->nr_first;
}

/* Writes the lines of a stretch, the last line first, and frees the stretch. */
static int end_reversed(void *context)
{
	struct events_listing *listing = context;
	const struct kept_lines *stretch = listing->newest;
	int error = 0;

	for (size_t i = stretch->nr; !error && i; i--) {
		if (bound(listing) && listing->nr_shown == bound(listing))
			return 1;
		listing->nr_shown++;
		error = put_line(stretch, i - 1);
	}
	free_newest(listing);
	return error ? error : begin_stretch(listing);
}

static int end_last(void *context)
{
	struct events_listing *listing = context;

	listing->nr_kept += listing->newest->nr;
	return listing->nr_kept >= listing->nr_last ? 1 : begin_stretch(listing);
}

/* Writes the last nr_last of the kept lines, in order of time. */
static int put_kept(struct events_listing *listing)
{
	uint64_t left_out =
		listing->nr_kept > listing->nr_last ? listing->nr_kept - listing->nr_last : 0;
	int error = 0;

	while (!error && listing->newest) {
		for (size_t i = (size_t)left_out; !error && i < listing->newest->nr; i++)
			error = put_line(listing->newest, i);
		left_out = 0;
		free_newest(listing);
	}
	return error;
}

static void tell_damage_backwards(void *context, const struct diag *diag)
{
	tell_damage(context, diag);
}

/*
 * Finds the thread that runs on each CPU at the trace's end, because a filter by thread or process
 * must know it. Reads the whole trace for this.
 */
static int find_last_runners(struct events_listing *listing, struct ctf_reader *reader)
{
	struct ctf_record record;
	struct diag diag;
	int more;

	while ((more = ctf_reader_next(reader, &record, &diag)))
		if (more > 0 && (!trace_who_at(listing->who, &record) ||
				 (listing->pids && trace_pids_take(listing->pids, &record))))
			return -ENOMEM;
	trace_who_is_behind(listing->who);
	return 0;
}

static int list_backwards(struct events_listing *listing, struct ctf_reader *reader)
{
	const struct trace_backwards wanted = {.take = take_backwards,
					       .end = listing->reverse ? end_reversed : end_last,
					       .damage = tell_damage_backwards,
					       .context = listing};
	const struct trace_filter *filter = &listing->filter;
	int error = begin_stretch(listing);

	if (error || !find_begin(listing, reader, true))
		return error;
	if (filter->nr_threads || filter->nr_pids)
		error = find_last_runners(listing, reader);
	if (!error)
		error = trace_backwards(
			reader, listing->who, saturate_sum(listing->begin, filter->from_ns),
			filter->to_ns ? saturate_sum(listing->begin, filter->to_ns) : UINT64_MAX,
			&wanted);
	return error || listing->reverse ? error : put_kept(listing);
}

static int list(struct events_listing *listing)
{
	struct ctf_reader *reader;
	struct diag diag;
	int error = optrace_read_open(&reader, listing->folder, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	(void)optrace_read_tell_chunks(reader);
	ctf_reader_use_ns(reader);
	error = trace_who_create(&listing->who, ctf_reader_trace(reader));
	if (!error && listing->filter.nr_pids)
		error = trace_pids_create(&listing->pids, ctf_reader_trace(reader));
	if (!error)
		error = listing->reverse || listing->nr_last ? list_backwards(listing, reader)
							     : list_forwards(listing, reader);
	if (error == -ENOMEM)
		log_error("out of memory for the events of %s", listing->folder);
	ctf_reader_close(reader);
	return error;
}

static void deinit(struct events_listing *listing)
{
	while (listing->newest)
		free_newest(listing);
	trace_line_deinit(&listing->line);
	trace_who_destroy(listing->who);
	trace_pids_destroy(listing->pids);
	trace_filter_deinit(&listing->filter);
	free(listing->search);
}

static int run(struct events_listing *listing, poptContext popt)
{
	const char *const *words;
	struct diag diag;
	int done = take_options(listing, popt, &diag);

	if (done > 0)
		return 0;
	words = poptGetArgs(popt);
	if (!done)
		done = check(listing, words, &diag);
	if (done) {
		log_error("%s", diag_show(&diag));
		return done;
	}
	if (words && words[0])
		listing->folder = words[0];
	return list(listing);
}

int optrace_events(int argc, const char **argv)
{
	struct events_listing listing = {.folder = OPTRACE_FOLDER};
	poptContext popt = poptGetContext(NULL, argc, argv, events_table, 0);
	int error;

	if (!popt) {
		log_error("out of memory for options");
		return -ENOMEM;
	}
	poptSetOtherOptionHelp(popt, "events [options] [FOLDER]");
	error = run(&listing, popt);
	poptFreeContext(popt);
	deinit(&listing);
	return error;
}
