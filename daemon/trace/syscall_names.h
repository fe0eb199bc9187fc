/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls of this architecture, as the headers it was built with have them. */
#ifndef DAEMON_SYSCALL_NAMES_H
#define DAEMON_SYSCALL_NAMES_H

/* One more than the highest number. */
unsigned int syscall_names_nr(void);
/* NULL: none has that number. */
const char *syscall_name(unsigned int number);

#endif
