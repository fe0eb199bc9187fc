/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What opreport writes to standard error around a report: whose samples it shows, what it lacks
 * and why. In the terminal layout these are paragraphs in lines of the terminal's width, which are
 * written whole: without memory to divide the lines, they are written undivided.
 */
#ifndef PP_REPORT_NOTES_H
#define PP_REPORT_NOTES_H

#include "pp/report/report_calls.h"

#include <stdio.h>

struct report_notes {
	const struct profile *profile;
	const struct report_calls *calls; /* NULL: no report of call stacks */
	const struct report_options *options;
	int width; /* of the terminal, in cells */
};

/* These write what is known before and after the report. */
void report_notes_before(FILE *err, const struct report_notes *notes);
void report_notes_after(FILE *err, const struct report_notes *notes);

#endif
