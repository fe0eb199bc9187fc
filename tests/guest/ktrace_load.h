/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads that run during tests of trace sessions, and the common end of these tests. */
#ifndef TESTS_GUEST_KTRACE_LOAD_H
#define TESTS_GUEST_KTRACE_LOAD_H

#include <pthread.h>

#include "tests/guest/ktrace_session.h"

uint64_t ktrace_tid(void);
void ktrace_nap(unsigned int ms); /* sleeps for ms, whatever signals come */
void ktrace_getppid(unsigned int nr);
/* Causes some events of each kind that the machine supports. */
void ktrace_bit_of_all(void);

/* Threads run one of these functions until they are ended. */
extern volatile bool ktrace_stop_load;
void *ktrace_load(void *unused);
void *ktrace_load_calls(void *unused);
void ktrace_begin(pthread_t *thread, void *(*function)(void *));
void ktrace_end(pthread_t thread);

int ktrace_control(struct ktrace *trace, unsigned long command);
/* Adds all kinds of events that this kernel supports, and all system calls. */
void ktrace_add_all(struct ktrace *trace);

/* Stops the session and writes everything to the folder, including the reported losses. */
struct ktrace_found ktrace_finish(struct ktrace *trace, struct ktrace_folder *folder,
				  void (*look)(const struct ctf_record *record, void *context),
				  void *context);
/* Checks that the folder and the module's counts agree. */
void ktrace_check(struct ktrace *trace, const struct ktrace_found *found, const char *of);

#endif
