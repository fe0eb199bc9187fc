/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions for the child processes that work for the daemon all the time. Such a child keeps only
 * one of the daemon's descriptors, a socket, and few of the daemon's capabilities. It cannot write
 * to files through the daemon's mappings.
 */
#ifndef DAEMON_DAEMON_CHILD_H
#define DAEMON_DAEMON_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Call this first in the child. From then on, the child is killed when its parent dies. Closes the
 * daemon's lock, events, sample files, clients and all other descriptors except fd. This includes
 * the daemon's terminal or pipe; otherwise the reader of the pipe would wait for a child that
 * hangs. Also unmaps the memory that the child shares with the daemon, such as sample files;
 * otherwise a child that hangs would keep the disk space of removed files in use. Keeps only the
 * mapping that contains *shared; NULL: keeps none. Returns the new number of fd. On failure, ends
 * the child.
 */
int daemon_child_begin(const char *name, int fd, const void *shared, pid_t parent);

/* Returns the bit of a capability, for daemon_child_keep. */
uint64_t daemon_child_bit(unsigned int capability);

/* Returns the capability to open files in map_files: CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN. */
uint64_t daemon_child_map_files(void);

/* Permanently drops all capabilities except those in `kept`. */
void daemon_child_keep(uint64_t kept);

/* Returns whether a process uses a CPU or waits for one: then it is not blocked. */
bool daemon_child_runs(pid_t pid);

/*
 * Returns the processor time of a child of this process, and of that child's own children that have
 * ended, rounded down to clock ticks. Returns 0 if pid is not a child, or was waited for: then the
 * time is in this process's RUSAGE_CHILDREN.
 */
uint64_t daemon_child_cpu_ns(pid_t pid);

#endif
