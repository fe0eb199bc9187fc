/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls that a process tries which an attacker controls. */
#ifndef E2E_TAKEN_OVER_CALLS_H
#define E2E_TAKEN_OVER_CALLS_H

#include "taken_over.h"

/* syscall() of the C library, which the preloaded library replaces. Must be set first. */
extern long (*next_syscall)(long, ...);

#define CALL(...) ((int)next_syscall(__VA_ARGS__))

/* Notes what is attacked, before the process gives up its rights: later, it may open no file. */
void taken_calls_prepare(const char *folder, const char *session_folder);

/* Makes the call. Returns 0, or -1 with its errno. process: for the names of files. */
int taken_call_make(enum taken_call call, const char *process);

#endif
