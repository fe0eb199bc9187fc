/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drops a child process's privileges before it reads untrusted binaries. */
#ifndef LIB_CONFINE_H
#define LIB_CONFINE_H

#include <stddef.h>

struct confine_limits {
	unsigned int max_seconds; /* CPU time */
	size_t max_bytes;      /* address space, in addition to the current size of the process */
	size_t max_file_bytes; /* size of the result */
};

enum confine_calls {
	CONFINE_READ_FILES, /* may still open files for reading */
	/*
	 * Uses only open descriptors. Also drops all capabilities, and changes from root to
	 * nobody, if permitted (CAP_SETUID, CAP_SETGID).
	 */
	CONFINE_DESCRIPTORS,
};

/*
 * Called in the child. The child will die with its parent. The function sets the limits,
 * redirects stdio to /dev/null, closes all other descriptors except keep_a and keep_b (keep_a
 * < keep_b), and makes the kernel refuse all system calls except reading, writing to open
 * descriptors, and memory management (seccomp, if available). Returns 0, or -errno of the step
 * that failed; -EPERM: the process would still be root, and no seccomp filter would keep it
 * from root's files.
 */
int confine_process(const struct confine_limits *limits, enum confine_calls calls, int keep_a,
		    int keep_b);

#endif
