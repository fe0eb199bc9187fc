/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text layouts of opreport (doc/man/opreport.1, OUTPUT), written to a stream that the
 * caller checks for errors. Shares are of samples, or of weight (enum class_measure).
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
	bool header;	     /* lines before the columns, and column heads */
	bool long_names;     /* full paths */
	bool named_rows;     /* applications are not paths, and their images are not shown (--by) */
	bool global_percent; /* of dependent images: of all samples, not of their application */
	bool accumulated;
	bool show_vma;
	bool show_lines;   /* source file and line */
	bool show_details; /* below each symbol its keys, with percentages of the symbol */
	bool show_error;   /* sampling error of percentages, 95 % */
	bool reverse;
	double threshold; /* percent of the first class; lines with less are not shown */
	bool any_class;	  /* show lines that reach the threshold in any class */
	enum demangle_mode demangle;
	enum text_sort sort[TEXT_SORT_NR]; /* the first one counts most */
	size_t nr_sort; /* 0: by sample; in a differential profile, by the size of the change */
};

#define TEXT_PERCENT_BYTES 32

/* Writes percent into text, 7 wide as the man page says, such as " 4.2000". */
void text_format_percent(double percent, char text[TEXT_PERCENT_BYTES]);

/* Writes a file or symbol name; what affects a terminal becomes '?': utf8_next() in lib/utf8.h. */
void text_write_name(FILE *out, const char *name);

/* True for the kernel module's own timer, which needs no counters; perf's clocks are events. */
bool text_event_is_timer(const struct selection *selection, const struct class_key *key);
/* Returns the text of a session's daemon, else of event (NULL: none), else "no description". */
const char *text_event_description(const struct selection *selection, const char *name,
				   const struct event *event);

/* Writes CPU, events and the meaning of classes. table describes events; NULL: fewer words. */
void text_format_header(FILE *out, const struct profile *profile, const struct event_table *table);

/* Writes applications, each with its dependent images below. Returns 0 or -ENOMEM. */
int text_format_flat(FILE *out, const struct profile *profile, const struct text_options *options);

/* Writes the symbols of a profile that has symbols. Returns 0 or -ENOMEM. */
int text_format_symbols(FILE *out, const struct profile *profile,
			const struct text_options *options);

#endif
