/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of doc/kmod.md that are numbers: the table once more, to test against. */
#ifndef TESTS_GUEST_KMOD_NUMBERS_H
#define TESTS_GUEST_KMOD_NUMBERS_H

#include <stdint.h>

#include "oprof/kmod.h"

struct kmod_number {
	char name[24];
	uint64_t min, max; /* that are taken while all others have their defaults */
	uint64_t preset;
};

extern struct kmod_number kmod_numbers[6 + 8 * OPROF_KMOD_COUNTERS_MAX];
extern const unsigned int kmod_nr_numbers;

/* Fill the table in; before anything else. */
void kmod_numbers_init(void);

/* All defaults again; a count, which can't be set to none, becomes 1. */
void kmod_numbers_reset(void);

#endif
