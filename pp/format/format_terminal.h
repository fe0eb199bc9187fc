/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a report for people at a terminal (doc/man/opreport.1, OUTPUT, Terminal): lines
 * that fit the terminal's width, shares with bars, colours. One line has the sum of all lines that
 * the threshold hides, so the shares of all lines add up to 100 %.
 */
#ifndef PP_FORMAT_TERMINAL_H
#define PP_FORMAT_TERMINAL_H

#include "pp/base/display.h"
#include "pp/format/format_text.h"

#include <stdio.h>

#define TERMINAL_THRESHOLD 0.5 /* in percent; used if the options give no threshold */

/*
 * Writes the profile's symbols. If the profile has no symbols, writes the applications with their
 * images. All shares refer to the total of all samples. Characters are in the encoding of the
 * program's locale (LC_CTYPE). Returns 0 or -ENOMEM. The caller must check the stream `out` for
 * errors.
 */
int terminal_format(FILE *out, const struct profile *profile, const struct text_options *options,
		    const struct display *display);

#endif
