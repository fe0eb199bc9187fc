/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the kernel (seccomp) refuse system calls that the daemon and its children never make. Code
 * that an attacker injected into these processes could use such calls to attack the rest of the
 * system: calls that start programs, trace other processes, mount, load modules, open network
 * sockets, insert input into a terminal, and so on. All calls that are not in a list are permitted.
 * In contrast, lib/confine.h, which is for processes that parse untrusted files, permits only the
 * calls in its list.
 */
#ifndef LIB_DENY_CALLS_H
#define LIB_DENY_CALLS_H

#include <sys/types.h>

/*
 * Makes the calls fail with EPERM, permanently, in this process and in all children that it creates
 * later. Calls that were added after Linux 6.17 fail with ENOSYS. Also sets no_new_privs. Returns 0
 * or -errno; -ENOSYS: this architecture is not supported. Does nothing in a build with sanitizers,
 * which need some of the calls.
 */
int deny_calls(void);

/*
 * Refuses calls that affect other processes, open sockets, or make memory executable. kill() may
 * only send SIGKILL to a single process, which is sufficient to end a child process. A process may
 * change its user and group only to child_user and child_group. If child_user is (uid_t)-1, the
 * process may not change its user. To be called in addition to deny_calls().
 */
int deny_others(uid_t child_user, gid_t child_group);

/*
 * Like deny_others(), but also refuses kill(), and calls that change files. For a child that reads
 * files, but writes only to descriptors that are already open. The child can still read all files
 * that its user and capabilities permit. The lists of both functions include the system calls of
 * Linux 6.17.
 */
int deny_changes(void);

#endif
