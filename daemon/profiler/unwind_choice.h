/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names by which users choose how call chains are found: auto, fp, tables. */
#ifndef DAEMON_UNWIND_CHOICE_H
#define DAEMON_UNWIND_CHOICE_H

#include "daemon/source.h"

/* Limits of the size of a copy of a stack: a useful minimum, and the kernel's maximum. */
#define UNWIND_STACK_BYTES_MIN 1024
#define UNWIND_STACK_BYTES_MAX 65528

int unwind_choice_parse(const char *text, enum source_unwind *unwind); /* returns 0 or -EINVAL */
const char *unwind_choice_name(enum source_unwind unwind);

#endif
