// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/selection_error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const struct selection_session *session_of(const struct selection_error *what, size_t index)
{
	return &what->selection->sessions[what->side->first_session + index];
}

/*
 * Combines the times of all sessions of the side: oldest_ns and newest_ns of all samples, before_ns
 * and after_ns of the nearest samples before and after the requested range. A time is 0 if unknown.
 */
static void sum_up(const struct selection_error *what, struct session_parts *sum)
{
	*sum = (struct session_parts){0};
	for (size_t i = 0; i < what->side->nr_sessions; i++) {
		const struct session_parts *parts = &session_of(what, i)->parts;

		if (parts->oldest_ns && (!sum->oldest_ns || parts->oldest_ns < sum->oldest_ns))
			sum->oldest_ns = parts->oldest_ns;
		if (parts->newest_ns > sum->newest_ns)
			sum->newest_ns = parts->newest_ns;
		if (parts->before_ns > sum->before_ns)
			sum->before_ns = parts->before_ns;
		if (parts->after_ns && (!sum->after_ns || parts->after_ns < sum->after_ns))
			sum->after_ns = parts->after_ns;
	}
}

/* Writes where the requested time range lies relative to the samples that exist. */
static void write_place(FILE *out, const struct session_parts *sum, const struct time_range *range)
{
	char shown[TIME_RANGE_SHOWN_BYTES];

	if (sum->before_ns && sum->after_ns) {
		time_range_show(sum->before_ns, sum->after_ns, shown);
		(void)fprintf(out, "; no samples are kept %s", shown);
	} else if (sum->before_ns && range->begin_ns > sum->newest_ns) {
		time_length_show(range->begin_ns - sum->newest_ns, shown);
		(void)fprintf(out, "; the time range begins %s after the last sample", shown);
	} else if (sum->after_ns && range->end_ns <= sum->oldest_ns) {
		time_length_show(sum->oldest_ns - range->end_ns, shown);
		(void)fprintf(out, "; the time range ends %s before the first sample", shown);
	} else if (range->begin_ns < sum->newest_ns && range->end_ns > sum->oldest_ns) {
		(void)fputs("; slices that overlap the time range by only a few seconds "
			    "are not included",
			    out);
	}
}

static void write_no_time(FILE *out, const struct selection_error *what)
{
	struct session_parts sum;
	char shown[TIME_RANGE_SHOWN_BYTES];

	sum_up(what, &sum);
	time_range_show(what->side->range.begin_ns, what->side->range.end_ns, shown);
	(void)fprintf(out, "nothing was sampled %s", shown);
	if (!sum.oldest_ns) {
		(void)fputs("; the session has no samples yet", out);
		return;
	}
	if (what->side->shared) {
		(void)fputs(" alone: the samples of this time range are in a slice that also has "
			    "samples of the other side, and the other side's time range overlaps "
			    "this slice for longer",
			    out);
		return;
	}
	time_range_show(sum.oldest_ns, sum.newest_ns, shown);
	(void)fprintf(out, ": there are samples %s", shown);
	write_place(out, &sum, &what->side->range);
}

/* Writes how many sample files the sessions have, for example "; DIR has 2 sample files". */
static void write_nr_files(FILE *out, const struct selection_error *what)
{
	const size_t nr_more = what->side->nr_sessions - 1;

	(void)fprintf(out, "; %s", session_of(what, 0)->path);
	if (nr_more)
		(void)fprintf(out, " and %zu more session%s", nr_more, nr_more == 1 ? "" : "s");
	(void)fprintf(out, " %s %zu sample file%s", nr_more ? "have" : "has", what->nr_seen,
		      what->nr_seen == 1 ? "" : "s");
	if (what->side->timed)
		(void)fputs(" in that time range", out);
}

static void write_no_match(FILE *out, const struct selection_error *what)
{
	char spec[256];

	spec_show(what->spec, spec, sizeof(spec));
	if (what->nr_idle)
		(void)fprintf(out, "only samples of idle CPUs match \"%s\"", spec);
	else if (what->nr_seen)
		(void)fprintf(out, "no sample file matches \"%s\"", spec);
	else
		(void)fputs("there are no samples yet: the programs ran too briefly or "
			    "slept, or the newest samples are still in memory (oprof dump "
			    "writes them)",
			    out);
	write_nr_files(out, what);
}

int selection_refuse_nothing(const struct selection_error *what, struct diag *diag)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *out = open_memstream(&text, &nr_bytes);

	if (!out)
		return -ENOMEM;
	if (what->selection->nr_sides > 1)
		(void)fprintf(out, "%s side: ",
			      what->side == &what->selection->sides[0] ? "first" : "second");
	if (what->side->timed && !what->nr_seen)
		write_no_time(out, what);
	else
		write_no_match(out, what);
	if (what->side->nr_skipped)
		(void)fprintf(out, ", %zu more are invalid", what->side->nr_skipped);
	part_refusals_write(out, what->refusals);
	if (what->nr_dependent)
		(void)fprintf(out, "; --exclude-dependent excluded %zu", what->nr_dependent);
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	diag_set(diag, -ENOENT, "%s", text);
	free(text);
	return -ENOENT;
}

int selection_refuse_sides(const struct selection *selection, size_t index, bool on_first,
			   struct diag *diag)
{
	static const char *const tags[] = {
		[AXIS_NONE] = "event:",		  [AXIS_EVENT] = "event:",
		[AXIS_TGID] = "tgid: or -m tgid", [AXIS_TID] = "-m tid",
		[AXIS_CPU] = "cpu: or -m cpu",	  [AXIS_CGROUP] = "cgroup: or -m cgroup",
	};

	return diag_set(diag, -EINVAL,
			"cannot compare the sides: only the %s one has %s; give both sides the "
			"same columns with %s",
			on_first ? "first" : "second", selection->classes.classes[index].name,
			tags[selection->classes.axis]);
}
