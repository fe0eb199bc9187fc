/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text layouts of opreport (doc/man/opreport.1, OUTPUT), written to a
 * stream that the caller checks for errors. Shares are of samples, or of
 * weight (enum class_measure).
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
	bool header;	     /* lines before the columns, and their heads */
	bool long_names;     /* whole paths */
	bool named_rows;     /* applications are no paths, and their images are not shown (--by) */
	bool global_percent; /* of dependent images: of all samples, not of their application */
	bool accumulated;
	bool show_vma;
	bool show_lines;   /* source places */
	bool show_details; /* below each symbol its keys, with percentages of it */
	bool show_error;   /* of percentages, 95 % */
	bool reverse;
	double threshold; /* percent of the first class; below it nothing is shown */
	enum demangle_mode demangle;
	enum text_sort sort[TEXT_SORT_NR]; /* first counts most */
	size_t nr_sort; /* 0: by sample; of a differential profile by the size of the change */
};

#define TEXT_PERCENT_BYTES 32

/* "  4.2000", 7 wide, as the man page says; into text. */
void text_format_percent(double percent, char text[TEXT_PERCENT_BYTES]);

/* Shown: as format_text writes names of files and symbols, without bytes that move a terminal. */
void text_write_name(FILE *out, const char *name);

/* The kernel module's own timer, where there are no counters; perf's clocks are events. */
bool text_event_is_timer(const struct selection *selection, const struct class_key *key);
/* As the session's daemon knew the event, else as the tables do (event; or NULL). */
const char *text_event_description(const struct selection *selection, const char *name,
				   const struct event *event);

/* CPU, events, and what the classes are. table says events in words; NULL: fewer words. */
void text_format_header(FILE *out, const struct profile *profile, const struct event_table *table);

/* Images: applications, their dependent images below them. 0 or -ENOMEM. */
int text_format_flat(FILE *out, const struct profile *profile, const struct text_options *options);

/* Symbols of a profile that has them. 0 or -ENOMEM. */
int text_format_symbols(FILE *out, const struct profile *profile,
			const struct text_options *options);

#endif
