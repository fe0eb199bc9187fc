/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a report for people at a terminal (doc/man/opreport.1, OUTPUT, Terminal): lines
 * that fit its width, shares with bars, colours. What the options' threshold hides is summed up
 * in one line, so that the shares of all lines are 100 %.
 */
#ifndef PP_FORMAT_TERMINAL_H
#define PP_FORMAT_TERMINAL_H

#include "pp/base/display.h"
#include "pp/format/format_text.h"

#include <stdio.h>

#define TERMINAL_THRESHOLD 0.5 /* percent; for reports that ask for none */

/*
 * Writes the symbols of a profile that has symbols, else applications with their images. The
 * profile has one side. All shares are of all samples. Characters are those of the program's
 * locale (LC_CTYPE). Returns 0 or -ENOMEM; the caller checks out for errors.
 */
int terminal_format(FILE *out, const struct profile *profile, const struct text_options *options,
		    const struct display *display);

#endif
