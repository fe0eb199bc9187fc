/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the kernel (seccomp) refuse system calls that the daemon and its children never make, but
 * that code injected into them could use to leave them: calls that start programs, trace
 * other processes, mount, load modules, open network sockets, insert input into a terminal, and so
 * on. A call that no list names is permitted, in contrast to lib/confine.h, which is for processes
 * that parse files of others.
 */
#ifndef LIB_DENY_CALLS_H
#define LIB_DENY_CALLS_H

#include <sys/types.h>

/*
 * Refuses the calls (EPERM) in this process and in all its later children, permanently; calls that
 * were added after Linux 6.17 are unknown there (ENOSYS). Also sets no_new_privs. Returns 0 or
 * -errno; -ENOSYS: this architecture is not supported. Does nothing in a build with sanitizers,
 * which need some of the calls.
 */
int deny_calls(void);

/*
 * Refuses calls that affect other processes, open sockets, or make memory executable. kill() can
 * only end one process, for the children of this process, and a process can only become
 * child_user in child_group, if it may; (uid_t)-1: not change its user. To be called in addition to
 * deny_calls().
 */
int deny_others(uid_t child_user, gid_t child_group);

/*
 * Like deny_others(), but also refuses kill(), and calls that change files: for a child that only
 * reads, and writes only to descriptors that it has. It can still read what its user and
 * capabilities permit. Both lists have the calls of Linux 6.17.
 */
int deny_changes(void);

#endif
