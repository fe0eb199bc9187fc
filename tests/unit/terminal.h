/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal of the kind "linux" for tests of programs with a screen: a
 * pseudo-terminal, and what would be seen on it.
 */
#ifndef TESTS_UNIT_TERMINAL_H
#define TESTS_UNIT_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

#define TERMINAL_LINES_MAX   60
#define TERMINAL_COLUMNS_MAX 200

struct terminal {
	int master;
	pid_t child;
	int lines, columns;
	int y, x; /* of the cursor */
	char cells[TERMINAL_LINES_MAX][TERMINAL_COLUMNS_MAX + 1];
	char escape[64]; /* the sequence that is coming in */
	int nr_escape;	 /* bytes of it; 0: none */
};

/* Can there be one here? */
bool terminal_works(void);

/* Run program in one of that size. */
void terminal_start(struct terminal *terminal, int lines, int columns, const char *const *argv);

/* Until text stands in a line; false: not within half a minute, or the program ended. */
bool terminal_wait(struct terminal *terminal, const char *text);
/* Until it stands in none. */
bool terminal_wait_gone(struct terminal *terminal, const char *text);

void terminal_send(struct terminal *terminal, const char *keys);
void terminal_resize(struct terminal *terminal, int lines, int columns);

/* The program's wait status, once it has ended. */
int terminal_end(struct terminal *terminal);
void terminal_close(struct terminal *terminal);

/* Does the line discipline have echo and lines, as a shell wants it? */
bool terminal_is_sane(const struct terminal *terminal);

/* The screen to stdout, as TAP notes. */
void terminal_show(const struct terminal *terminal);

#endif
