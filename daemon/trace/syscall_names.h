/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of this architecture's system calls by number, from the headers used by the build. */
#ifndef DAEMON_SYSCALL_NAMES_H
#define DAEMON_SYSCALL_NAMES_H

/* Returns one more than the highest number of a system call. */
unsigned int syscall_names_nr(void);
/* Returns the name of the system call; NULL if no system call has this number. */
const char *syscall_name(unsigned int number);

#endif
