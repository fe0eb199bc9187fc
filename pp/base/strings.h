/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool that keeps each text once: texts that are equal have equal pointers,
 * and all go together.
 */
#ifndef PP_STRINGS_H
#define PP_STRINGS_H

#include <stddef.h>

struct strings {
	char **slots;	 /* open addressing; NULL: empty */
	size_t nr_slots; /* 0, or a power of two */
	size_t nr_used;
};

/* The pool's copy of text; NULL: no memory. A pool of all zeros is empty. */
const char *strings_keep(struct strings *strings, const char *text);
void strings_deinit(struct strings *strings);

#endif
