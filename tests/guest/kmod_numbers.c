// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "tests/guest/kmod_files.h"
#include "tests/guest/kmod_numbers.h"

struct kmod_number kmod_numbers[6 + 8 * OPROF_KMOD_COUNTERS_MAX] = {
	/* The size cannot be below the watershed, nor the watershed above the size. */
	{"buffer_size", 32768, 4194304, 131072},
	{"buffer_watershed", 1, 131072, 32768},
	{"cpu_buffer_size", 128, 1048576, 8192},
	{"backtrace_depth", 0, 127, 0},
	{"switches", 0, 1, 0},
	{"cgroups", 0, 1, 0},
};

const unsigned int kmod_nr_numbers = sizeof(kmod_numbers) / sizeof(*kmod_numbers);

static const struct kmod_number of_counter[8] = {
	{"enabled", 0, 1, 0},	   {"type", 0, 0xffffffff, 4},	{"event", 0, UINT64_MAX, 0},
	{"unit_mask", 0, 0xff, 0}, {"count", 1, UINT64_MAX, 0}, {"hz", 0, 100000, 0},
	{"kernel", 0, 1, 1},	   {"user", 0, 1, 1},
};

void kmod_numbers_init(void)
{
	struct kmod_number *number = &kmod_numbers[6];
	int counter, i;

	for (counter = 0; counter < OPROF_KMOD_COUNTERS_MAX; counter++) {
		for (i = 0; i < 8; i++, number++) {
			*number = of_counter[i];
			snprintf(number->name, sizeof(number->name), "%d/%.12s", counter,
				 of_counter[i].name);
		}
	}
}

void kmod_numbers_reset(void)
{
	unsigned int i;

	/* With the smallest watershed, the size can be set to any value. */
	kmod_must(kmod_write_number("buffer_watershed", 1), "buffer_watershed");
	for (i = 0; i < kmod_nr_numbers; i++) {
		const struct kmod_number *number = &kmod_numbers[i];
		uint64_t value = number->preset < number->min ? number->min : number->preset;

		if (kmod_number(number->name) != value &&
		    kmod_number(number->name) != number->preset)
			kmod_must(kmod_write_number(number->name, value), number->name);
	}
}
