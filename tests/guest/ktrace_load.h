/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of trace sessions do meanwhile, and how each of them ends. */
#ifndef TESTS_GUEST_KTRACE_LOAD_H
#define TESTS_GUEST_KTRACE_LOAD_H

#include <pthread.h>

#include "tests/guest/ktrace_session.h"

uint64_t ktrace_tid(void);
void ktrace_nap(unsigned int ms); /* whatever signals come */
void ktrace_getppid(unsigned int nr);
/* Of each kind of event something, where the machine has it. */
void ktrace_bit_of_all(void);

/* Threads do one or the other until they are ended. */
extern volatile bool ktrace_stop_load;
void *ktrace_load(void *unused);
void *ktrace_load_calls(void *unused);
void ktrace_begin(pthread_t *thread, void *(*function)(void *));
void ktrace_end(pthread_t thread);

int ktrace_control(struct ktrace *trace, unsigned long command);
/* All kinds that this kernel has, and all system calls. */
void ktrace_add_all(struct ktrace *trace);

/* Stop, and have all in the folder: what was lost is told there, too. */
struct ktrace_found ktrace_finish(struct ktrace *trace, struct ktrace_folder *folder,
				  void (*look)(const struct ctf_record *record, void *context),
				  void *context);
/* The folder and the module's counts say the same. */
void ktrace_check(struct ktrace *trace, const struct ktrace_found *found, const char *of);

#endif
