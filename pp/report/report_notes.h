/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The notes that opreport writes to standard error before and after a report: whose samples the
 * report shows, which data are missing, and why. In the terminal layout, notes are paragraphs,
 * wrapped to the terminal's width. If there is not enough memory to wrap them, they are written
 * without line breaks.
 */
#ifndef PP_REPORT_NOTES_H
#define PP_REPORT_NOTES_H

#include "pp/report/report_calls.h"

#include <stdio.h>

struct report_notes {
	const struct profile *profile;
	const struct report_calls *calls; /* NULL: no report of call stacks */
	const struct report_options *options;
	int width; /* width of the terminal, in cells */
};

/* Write the notes that precede and that follow the report. */
void report_notes_before(FILE *err, const struct report_notes *notes);
void report_notes_after(FILE *err, const struct report_notes *notes);

#endif
