/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drops the privileges of a child process before the child reads untrusted binaries. */
#ifndef LIB_CONFINE_H
#define LIB_CONFINE_H

#include <stddef.h>
#include <sys/types.h>

struct confine_limits {
	unsigned int max_seconds; /* CPU time */
	size_t max_bytes;      /* address space, in addition to the current size of the process */
	size_t max_file_bytes; /* maximum size of a file that the process writes */
};

enum confine_calls {
	CONFINE_DESCRIPTORS, /* the process may use only open descriptors */
	CONFINE_RECEIVE,     /* it may also receive descriptors through a socket that it keeps */
	CONFINE_OPEN,	     /* it may also open files for reading, and send descriptors */
};

/* The user that confined processes of root become, if the system has it; otherwise nobody. */
#define CONFINE_USER "oprof-parse"

/*
 * Looks for CONFINE_USER in /etc/passwd, once. To be called before fork() by the process that
 * starts confined processes.
 */
void confine_prepare(void);

/*
 * To be called by a process of root that starts and ends confined processes. Makes the user of the
 * confined processes the real user of this process, so that this process may signal them without
 * CAP_KILL. After that, other processes of this user may signal this process, and access() uses
 * this user's rights. Returns 0 or -errno. -EPERM: this process is not root's, or has no
 * CAP_SETUID; or this process has CAP_KILL, and should use it, because the confined processes run
 * as the user nobody, who may have other processes.
 */
int confine_own_children(void);

/* The user and group that confined processes of root become. Call confine_prepare() first. */
void confine_user(uid_t *user, gid_t *group);

/*
 * Returns the CPU time in seconds after which the kernel ends a confined child of this process:
 * max_seconds, or less if this process has a lower hard limit (ulimit -t).
 */
unsigned int confine_cpu_seconds(const struct confine_limits *limits);

/*
 * To be called in the child process. After this call, the kernel kills the child when its parent
 * dies. Sets the limits, redirects stdio to /dev/null, and closes all other descriptors except
 * keep_a and keep_b (keep_a < keep_b). Drops all capabilities and, if permitted (CAP_SETUID,
 * CAP_SETGID), changes the user from root to CONFINE_USER or nobody. Then makes the kernel
 * (seccomp, if available) refuse all system calls except reading, writing to open descriptors, and
 * memory management. The child may also read the properties of files at paths that its user may
 * search: C libraries implement fstat() by newfstatat() with an empty path, and a filter cannot
 * read the path. A few other calls, which libraries try but do not need, fail with EPERM. Any other
 * call kills the process with SIGSYS. Returns 0, or -errno of the step that failed; -EPERM: the
 * process is still root, and no seccomp filter prevents it from opening root's files.
 */
int confine_process(const struct confine_limits *limits, enum confine_calls calls, int keep_a,
		    int keep_b);

/* Like confine_process(), but keeps nr descriptors, all above 2. */
int confine_process_keeping(const struct confine_limits *limits, enum confine_calls calls,
			    const int *keep, unsigned int nr);

/*
 * To be called in a child process that opens files for confined processes, and therefore keeps its
 * user. Redirects stdio to /dev/null, closes all other descriptors except the nr descriptors in
 * `keep` (all above 2), and drops the capabilities that opening a file for reading does not need.
 * Then makes the kernel (seccomp, if available) refuse all system calls except those of
 * CONFINE_OPEN. Returns 0 or -errno.
 */
int confine_opener(const int *keep, unsigned int nr);

/*
 * Makes the kernel refuse to insert input into a terminal (TIOCSTI, TIOCLINUX; EPERM), for this
 * process and its children. This process and its children also can no longer gain privileges by
 * executing a program. To be called by a process of root that becomes another user but keeps root's
 * terminal open: otherwise, that user could insert commands for root's shell into the terminal.
 * Does nothing if the kernel has no seccomp.
 */
void confine_terminal(void);

#endif
