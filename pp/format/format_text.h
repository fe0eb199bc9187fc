/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text layouts of opreport (doc/man/opreport.1, OUTPUT). They are written to a stream, which
 * the caller must check for errors. Shares measure samples, weight or time (enum class_measure).
 */
#ifndef PP_FORMAT_TEXT_H
#define PP_FORMAT_TEXT_H

#include "events/events.h"
#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum text_sort {
	TEXT_SORT_SAMPLE,
	TEXT_SORT_IMAGE,
	TEXT_SORT_APP,
	TEXT_SORT_SYMBOL,
	TEXT_SORT_VMA,
	TEXT_SORT_DEBUG, /* source file, then line */
	TEXT_SORT_NR,
};

struct text_options {
	bool header;	 /* write the lines before the columns, and the column heads */
	bool long_names; /* full paths */
	/* rows are names, not paths of applications; images are not shown (--by) */
	bool named_rows;
	/*
	 * percentages of images and details refer to all samples, not to their application or
	 * symbol
	 */
	bool global_percent;
	bool accumulated;
	bool show_vma;
	bool show_lines;   /* show the source file and line */
	bool show_details; /* show the keys below each symbol */
	bool show_error;   /* show the sampling error (95 %) of percentages */
	bool reverse;
	/* in percent; lines with a smaller share in the first class are not shown */
	double threshold;
	bool any_class; /* also show lines that reach the threshold in another class */
	enum demangle_mode demangle;
	enum text_sort sort[TEXT_SORT_NR]; /* sort keys; the first has precedence */
	/* 0: sort by samples, or in a differential profile by the size of the change */
	size_t nr_sort;
};

#define TEXT_PERCENT_BYTES 32

/* Formats a percentage with a width of 7, as the man page describes, such as " 4.2000". */
void text_format_percent(double percent, char text[TEXT_PERCENT_BYTES]);

/*
 * Returns whether the event is the kernel module's own timer, which needs no counters. With perf,
 * cpu-clock and task-clock are events, not this timer.
 */
bool text_event_is_timer(const struct selection *selection, const struct class_key *key);
/*
 * Returns the description of the event `name` that is stored in a session. If no session has one,
 * returns the description in `event` (may be NULL). If this is also missing, returns "no
 * description".
 */
const char *text_event_description(const struct selection *selection, const char *name,
				   const struct event *event);

/*
 * Writes the CPU, the events and the meaning of classes. table: used to describe events; may be
 * NULL.
 */
void text_format_header(FILE *out, const struct profile *profile, const struct event_table *table);

/* Writes the applications, and below each application its images. Returns 0 or -ENOMEM. */
int text_format_flat(FILE *out, const struct profile *profile, const struct text_options *options);

/* Writes the symbols of a profile that has symbols. Returns 0 or -ENOMEM. */
int text_format_symbols(FILE *out, const struct profile *profile,
			const struct text_options *options);

#endif
