/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a child process gives up before it touches what others made: binaries. */
#ifndef LIB_CONFINE_H
#define LIB_CONFINE_H

#include <stddef.h>

struct confine_limits {
	unsigned int max_seconds; /* of CPU */
	size_t max_bytes;	  /* of address space, beyond what the process has now */
	size_t max_file_bytes;	  /* of the result */
};

enum confine_calls {
	CONFINE_READ_FILES, /* may still open files, for reading */
	/*
	 * Only what is open already; also gives up all capabilities, and root
	 * for nobody, if it may (CAP_SETUID, CAP_SETGID).
	 */
	CONFINE_DESCRIPTORS,
};

/*
 * In the child: die with the parent, set the limits, point stdio at
 * /dev/null and close every other descriptor but keep_a and keep_b (keep_a <
 * keep_b), and have the kernel refuse all but reading, writing what is open
 * and memory (seccomp, where it is there). 0 or -errno of what could not be
 * given up; -EPERM: it would still be root, with nothing that keeps it from
 * root's files.
 */
int confine_process(const struct confine_limits *limits, enum confine_calls calls, int keep_a,
		    int keep_b);

#endif
