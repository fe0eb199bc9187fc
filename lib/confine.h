/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drops the privileges of a child process before the child reads untrusted binaries. */
#ifndef LIB_CONFINE_H
#define LIB_CONFINE_H

#include <stddef.h>

struct confine_limits {
	unsigned int max_seconds; /* CPU time */
	size_t max_bytes;      /* address space, in addition to the current size of the process */
	size_t max_file_bytes; /* maximum size of a file that the process writes */
};

enum confine_calls {
	CONFINE_READ_FILES, /* the process may still open files for reading */
	/*
	 * The process may use only open descriptors. confine_process() also drops all capabilities
	 * and, if permitted (CAP_SETUID, CAP_SETGID), changes the user from root to nobody.
	 */
	CONFINE_DESCRIPTORS,
};

/*
 * To be called in the child process. After this call, the kernel kills the child when its parent
 * dies. Sets the limits, redirects stdio to /dev/null, closes all other descriptors except keep_a
 * and keep_b (keep_a < keep_b), and makes the kernel refuse all system calls except reading,
 * writing to open descriptors, and memory management (seccomp, if available). Returns 0, or -errno
 * of the step that failed; -EPERM: the process is still root, and no seccomp filter prevents it
 * from opening root's files.
 */
int confine_process(const struct confine_limits *limits, enum confine_calls calls, int keep_a,
		    int keep_b);

#endif
