/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numeric settings of doc/kmod.md: a second copy of the table to test against. */
#ifndef TESTS_GUEST_KMOD_NUMBERS_H
#define TESTS_GUEST_KMOD_NUMBERS_H

#include <stdint.h>

#include "oprof/kmod.h"

struct kmod_number {
	char name[24];
	uint64_t min, max; /* limits while all other settings have their defaults */
	uint64_t preset;
};

extern struct kmod_number kmod_numbers[6 + 8 * OPROF_KMOD_COUNTERS_MAX];
extern const unsigned int kmod_nr_numbers;

/* Fills the table in; call this first. */
void kmod_numbers_init(void);

/* Sets all defaults again; a count, whose default of 0 cannot be written, becomes 1. */
void kmod_numbers_reset(void);

#endif
