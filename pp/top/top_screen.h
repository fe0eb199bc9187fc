/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprof top on a terminal: draws the lines and reads the keys. top_screen_close() restores the
 * terminal; it is also called when the process exits.
 */
#ifndef PP_TOP_SCREEN_H
#define PP_TOP_SCREEN_H

#include "lib/diag.h"
#include "pp/top/top.h"

#include <stdbool.h>
#include <stddef.h>

struct top_screen {
	struct top *top;  /* borrowed */
	size_t first_row; /* first row on the screen */
	bool helping;	  /* the help is shown instead of rows */
	bool editing;	  /* keys change the text of the filter */
	char filter_before[TOP_FILTER_BYTES];
	uint64_t min_window_ns;
};

/* What the caller must do after a key. Each value includes the values listed before it. */
enum top_wish {
	TOP_WISH_NOTHING,
	TOP_WISH_DRAW,
	TOP_WISH_ROWS,	  /* make the rows again, because the choice changed */
	TOP_WISH_REFRESH, /* request samples from the daemon now */
	TOP_WISH_QUIT,
};

/* Returns 0, or -errno with diag if there is no terminal or its type is unknown. */
int top_screen_open(struct top_screen *screen, struct top *top, struct diag *diag);
void top_screen_close(void);

void top_screen_draw(struct top_screen *screen);

/*
 * Handles all keys that can be read without waiting. Returns the value that includes the values of
 * all these keys.
 */
enum top_wish top_screen_keys(struct top_screen *screen);

#endif
