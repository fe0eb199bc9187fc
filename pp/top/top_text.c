// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top_text.h"

#include "pp/base/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S      INT64_C(1000000000)
#define NUMBERS_WIDTH 25 /* share, error, samples, and the blank after them */

static const struct {
	const char *name;
	const char *head, *detail_head;
	enum cells_cut cut; /* where long names are cut */
} views[TOP_NR_VIEWS] = {
	[TOP_SYMBOLS] = {"Symbols", "SYMBOL", "IMAGE", CELLS_CUT_END},
	[TOP_IMAGES] = {"Images", "IMAGE", NULL, CELLS_CUT_FRONT},
	[TOP_PROGRAMS] = {"Programs", "PROGRAM", NULL, CELLS_CUT_FRONT},
	[TOP_PROCESSES] = {"Processes", "PROCESS", "PROGRAM", CELLS_CUT_END},
	[TOP_THREADS] = {"Threads", "THREAD", "PROGRAM", CELLS_CUT_END},
	[TOP_CGROUPS] = {"Cgroups", "CGROUP", "PATH", CELLS_CUT_FRONT},
	[TOP_CPUS] = {"CPUs", "CPU", "IDLE", CELLS_CUT_END},
};

const char *top_view_name(enum top_view view)
{
	return views[view].name;
}

/* Writes at most width cells, without blanks at the end. */
static void fit_line(char line[TOP_LINE_BYTES], int width, const char *text)
{
	cells_fit_last(line, TOP_LINE_BYTES, text, width, CELLS_CUT_END);
}

/* ---- above the rows ---- */

static double seconds_of(const struct top_samples *samples)
{
	return (double)(samples->end_ns - samples->begin_ns) / (double)NS_PER_S;
}

static const struct top_event *event_of(const struct top_show *show)
{
	const struct top_samples *samples = show->samples;

	return show->choice.event < samples->nr_events ? &samples->events[show->choice.event]
						       : NULL;
}

static void show_event(const struct top_show *show, char *text, size_t nr_bytes)
{
	const struct top_event *event = event_of(show);
	char number[64] = "";

	if (!event) {
		(void)snprintf(text, nr_bytes, "no event");
		return;
	}
	if (show->samples->nr_events > 1)
		(void)snprintf(number, sizeof(number), " (%zu of %zu)", show->choice.event + 1,
			       show->samples->nr_events);
	if (event->exact)
		(void)snprintf(text, nr_bytes, "%s, time%s", event->name, number);
	else if (event->frequency)
		(void)snprintf(text, nr_bytes, "%s at %" PRIu64 " Hz%s", event->name,
			       event->period_or_hz, number);
	else
		(void)snprintf(text, nr_bytes, "%s, one of %" PRIu64 "%s", event->name,
			       event->period_or_hz, number);
}

void top_text_title(char line[TOP_LINE_BYTES], int width, const struct top_show *show)
{
	time_t end = (time_t)(show->samples->end_ns / NS_PER_S);
	char clock[16] = "--:--:--";
	char event[256];
	char text[TOP_LINE_BYTES];
	struct tm tm;

	if (show->samples->end_ns && localtime_r(&end, &tm))
		(void)strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	show_event(show, event, sizeof(event));
	(void)snprintf(text, sizeof(text), "oprof top  %.64s  %s, last %.1f s  %s",
		       show->host && *show->host ? show->host : "-", clock,
		       seconds_of(show->samples), event);
	fit_line(line, width, text);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/*
 * Shows the sums of an event. Several tasks are off CPU at the same time: the sum of their times
 * divided by the elapsed time is the average number of tasks off CPU.
 */
static void show_sum(const struct top_event *event, double seconds, char *text, size_t nr_bytes)
{
	double per_second = seconds > 0 ? 1 / seconds : 0;

	if (event->exact)
		(void)snprintf(text, nr_bytes, "off %" PRIu64 " times, average %.1f tasks",
			       event->nr_samples,
			       (double)event->weight / (double)NS_PER_S * per_second);
	else
		(void)snprintf(text, nr_bytes, "samples %" PRIu64 " (%.0f/s)  idle %.1f %%",
			       event->nr_samples, (double)event->nr_samples * per_second,
			       percent(event->nr_idle, event->nr_idle + event->nr_samples));
}

void top_text_sums(char line[TOP_LINE_BYTES], int width, const struct top_show *show)
{
	static const struct top_event nothing;
	const struct top_event *event = event_of(show);
	double seconds = seconds_of(show->samples);
	char cost[64] = "";
	char lost[64] = "";
	char text[TOP_LINE_BYTES];
	char what[128];

	if (!event)
		event = &nothing;
	if (show->samples->lost)
		(void)snprintf(lost, sizeof(lost), " (%.1f %%)",
			       percent(show->samples->lost, show->samples->seen));
	if (show->daemon_percent >= 0)
		(void)snprintf(cost, sizeof(cost), "  daemon %.2f %% of a CPU",
			       show->daemon_percent);
	show_sum(event, seconds, what, sizeof(what));
	(void)snprintf(text, sizeof(text), "%s  lost %" PRIu64 "%s%s", what, show->samples->lost,
		       lost, cost);
	fit_line(line, width, text);
}

void top_text_state(char line[TOP_LINE_BYTES], int width, const struct top_show *show)
{
	char hidden[64] = "";
	char text[TOP_LINE_BYTES];

	if (*show->choice.filter)
		(void)snprintf(hidden, sizeof(hidden), " (%zu rows hidden)", show->rows->nr_hidden);
	(void)snprintf(text, sizeof(text), "%s%s%s%s%.200s%s", views[show->choice.view].name,
		       show->paused ? "  [paused]" : "",
		       show->rows->nr_loading ? "  [loading symbols]" : "",
		       *show->choice.filter ? "  filter: " : "", show->choice.filter, hidden);
	fit_line(line, width, text);
}

/* ---- rows ---- */

/* Returns the width of the detail column in cells; 0: there is no such column. */
static int detail_width(int width, enum top_view view)
{
	int rest = width - NUMBERS_WIDTH;

	if (!views[view].detail_head)
		return 0;
	return rest / 3 < 24 ? rest / 3 : 24;
}

static void put_names(char line[TOP_LINE_BYTES], int width, enum top_view view, const char *name,
		      const char *detail)
{
	int for_detail = detail_width(width, view);
	int for_name = width - NUMBERS_WIDTH - (for_detail ? for_detail + 1 : 0);
	size_t used = strlen(line);

	cells_fit(line + used, TOP_LINE_BYTES - used, name, for_name, views[view].cut);
	if (!for_detail)
		return;
	used = strlen(line);
	if (used + 2 > TOP_LINE_BYTES)
		return;
	line[used++] = ' ';
	cells_fit(line + used, TOP_LINE_BYTES - used, detail, for_detail, CELLS_CUT_END);
}

void top_text_heads(char line[TOP_LINE_BYTES], int width, const struct top_show *show)
{
	enum top_view view = show->choice.view;
	const struct top_event *event = event_of(show);
	const char *detail = views[view].detail_head ? views[view].detail_head : "";
	bool exact = event && event->exact;

	/* The event is time off CPU: its symbols are reasons for waiting, which have no image. */
	if (exact && view == TOP_SYMBOLS)
		detail = "PROGRAM";
	/* Time off CPU belongs to the CPU on which the task last ran. It has no idle share. */
	if (exact && view == TOP_CPUS)
		detail = "";
	(void)snprintf(line, TOP_LINE_BYTES, "%7s %6s %9s ", "SHARE", exact ? "TIME" : "+-",
		       exact ? "TIMES" : "SAMPLES");
	put_names(line, width, view, views[view].head, detail);
}

void top_text_row(char line[TOP_LINE_BYTES], int width, enum top_view view,
		  const struct top_row *row)
{
	char idle[32];
	char error[DURATION_BYTES];
	const char *detail = row->detail;

	if (view == TOP_CPUS && !row->exact) {
		(void)snprintf(idle, sizeof(idle), "%.1f %%",
			       percent(row->nr_idle, row->nr_idle + row->nr_samples));
		detail = idle;
	}
	if (row->exact)
		duration_show(row->weight, error);
	else
		(void)snprintf(error, sizeof(error), "%.2f%%", row->error);
	(void)snprintf(line, TOP_LINE_BYTES, "%6.2f%% %6s %9" PRIu64 " ", row->share, error,
		       row->nr_samples);
	put_names(line, width, view, row->name, detail);
}

const char *top_text_nothing(const struct top_show *show)
{
	const struct top_event *event = event_of(show);

	if (show->rows->nr_rows)
		return NULL;
	if (show->rows->nr_hidden)
		return "no row contains the filter's text";
	if (event && event->nr_idle)
		return "all CPUs were idle";
	return "no samples: sampling may be stopped; see oprof status";
}
