/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access to the module's control files at OPROF_KMOD_MOUNT, for programs in guests. */
#ifndef TESTS_GUEST_KMOD_FILES_H
#define TESTS_GUEST_KMOD_FILES_H

#include <stddef.h>
#include <stdint.h>

/* Returns a descriptor or -errno. */
int kmod_open(const char *name, int flags);

/* Writes the bytes in one call. Returns 0 or -errno. */
int kmod_write(const char *name, const void *bytes, size_t nr_bytes);
int kmod_write_text(const char *name, const char *text);
int kmod_write_number(const char *name, uint64_t value);

/* Returns the number in a file; if there is none, prints an error and ends the program. */
uint64_t kmod_number(const char *name);
/* The same for stats/NAME, and for the sum of all stats that begin with prefix. */
uint64_t kmod_stats(const char *name);
uint64_t kmod_stats_sum(const char *prefix);

/* Makes counter 0 the module's timer with that period, and turns all others off. */
void kmod_use_timer(uint64_t period_ns);

/* Ends the program with a message if status is not 0. */
void kmod_must(int status, const char *what);

#endif
