/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's control files, for programs in guests: those of OPROF_KMOD_MOUNT. */
#ifndef TESTS_GUEST_KMOD_FILES_H
#define TESTS_GUEST_KMOD_FILES_H

#include <stddef.h>
#include <stdint.h>

/* Open; the descriptor or -errno. */
int kmod_open(const char *name, int flags);

/* One write of bytes: 0 or -errno. */
int kmod_write(const char *name, const void *bytes, size_t nr_bytes);
int kmod_write_text(const char *name, const char *text);
int kmod_write_number(const char *name, uint64_t value);

/* The number in a file; it can't be read, or is none: says so and ends the program. */
uint64_t kmod_number(const char *name);
/* The same of stats/NAME, and of its sum over all that begin with prefix. */
uint64_t kmod_stats(const char *name);
uint64_t kmod_stats_sum(const char *prefix);

/* Counter 0 is the module's timer, with that period; all others are off. */
void kmod_use_timer(uint64_t period_ns);

/* Must be 0, or the program ends and says what failed. */
void kmod_must(int status, const char *what);

#endif
