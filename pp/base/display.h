/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The properties of the terminal or file to which a report is written: its
 * width, and whether it shows colours.
 */
#ifndef PP_DISPLAY_H
#define PP_DISPLAY_H

#include "lib/diag.h"

#include <stdbool.h>

#define DISPLAY_WIDTH_DEFAULT 100 /* used if the real width is unknown */
/* smallest width of a report; narrower terminals wrap its lines */
#define DISPLAY_WIDTH_MIN 60
#define DISPLAY_WIDTH_MAX 500

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct display {
	int width; /* in cells, from DISPLAY_WIDTH_MIN to DISPLAY_WIDTH_MAX */
	bool colors;
};

/* Parses "auto", "always" or "never", the value of --color. Returns 0, or -EINVAL with diag. */
int color_when_parse(const char *text, enum color_when *when, struct diag *diag);

/*
 * Fills *display. Its width is the first known of these: COLUMNS in the environment; the width of
 * terminal fd; the width of standard error (used with a pager); DISPLAY_WIDTH_DEFAULT. COLOR_AUTO
 * chooses colours if fd is a terminal, TERM is set and not "dumb", and NO_COLOR is not set or is
 * empty. A negative fd is not a terminal.
 */
void display_find(struct display *display, int fd, enum color_when when);

#endif
