/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the helper gives up before it touches a binary. */
#ifndef PP_SYMBOL_CONFINE_H
#define PP_SYMBOL_CONFINE_H

#include <stddef.h>

struct symbol_limits {
	unsigned int max_seconds; /* of CPU */
	size_t max_bytes;	  /* of address space, beyond what the process has now */
	size_t max_file_bytes;	  /* of the result */
};

/*
 * In the child: die with the parent, set the limits, point stdio at
 * /dev/null and close every other descriptor but keep_a and keep_b (keep_a <
 * keep_b), and have the kernel refuse all but reading files and memory
 * (seccomp, where it is there). 0 or -errno of a limit that could not be set.
 */
int symbol_confine(const struct symbol_limits *limits, int keep_a, int keep_b);

#endif
