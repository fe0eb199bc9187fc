/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the daemon's children that work for it all the time have in common: they keep nothing of the
 * daemon except one socket, and few capabilities.
 */
#ifndef DAEMON_DAEMON_CHILD_H
#define DAEMON_DAEMON_CHILD_H

#include <stdint.h>
#include <sys/types.h>

/*
 * To be called first in the child, which is then killed when its parent dies. Closes all
 * descriptors except fd: the daemon's lock, events, sample files, clients, and its terminal or
 * pipe, whose reader would otherwise wait for a child that hangs. Returns the new number of fd.
 * Ends the child if this fails.
 */
int daemon_child_begin(const char *name, int fd, pid_t parent);

/* Returns the bit of a capability, for daemon_child_keep. */
uint64_t daemon_child_bit(unsigned int capability);

/* Returns the capability to open files in map_files: CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN. */
uint64_t daemon_child_map_files(void);

/* Drops all capabilities except those in kept, permanently. */
void daemon_child_keep(uint64_t kept);

#endif
