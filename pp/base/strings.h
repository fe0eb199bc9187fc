/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool that keeps one copy of each text: equal texts have equal pointers. All copies are
 * freed together.
 */
#ifndef PP_STRINGS_H
#define PP_STRINGS_H

#include <stddef.h>

struct strings {
	char **slots;	 /* hash table with open addressing; NULL: an empty slot */
	size_t nr_slots; /* 0, or a power of two */
	size_t nr_used;
};

/* Returns the pool's copy of `text`, or NULL if out of memory. A pool of zeros is empty. */
const char *strings_keep(struct strings *strings, const char *text);
void strings_deinit(struct strings *strings);

#endif
