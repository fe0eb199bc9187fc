/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprof top on a terminal: lines in their places, keys. The terminal is given
 * back as it was by top_screen_close(); also on the way out of the process.
 */
#ifndef PP_TOP_SCREEN_H
#define PP_TOP_SCREEN_H

#include "lib/diag.h"
#include "pp/top/top.h"

#include <stdbool.h>
#include <stddef.h>

struct top_screen {
	struct top *top;  /* borrowed */
	size_t first_row; /* shown at the top */
	bool helping;	  /* the help is shown instead */
	bool editing;	  /* keys go into the filter */
	char filter_before[TOP_FILTER_BYTES];
	uint64_t min_window_ns;
};

/* What keys ask for, beyond what the screen does by itself. */
enum top_wish {
	TOP_WISH_NOTHING,
	TOP_WISH_DRAW,
	TOP_WISH_ROWS,	  /* another choice: make the rows anew */
	TOP_WISH_REFRESH, /* ask the daemon now */
	TOP_WISH_QUIT,
};

/* 0, or -errno and diag: no terminal, or of an unknown kind. */
int top_screen_open(struct top_screen *screen, struct top *top, struct diag *diag);
void top_screen_close(void);

void top_screen_draw(struct top_screen *screen);

/* Take the keys that wait; the strongest wish among them. */
enum top_wish top_screen_keys(struct top_screen *screen);

#endif
