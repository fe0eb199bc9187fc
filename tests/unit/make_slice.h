/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices for tests: sections of all kinds, and what they should hold. */
#ifndef TESTS_UNIT_MAKE_SLICE_H
#define TESTS_UNIT_MAKE_SLICE_H

#include "libdb/slice.h"

#include <stddef.h>
#include <stdint.h>

#define MAKE_SLICE_NR_SECTIONS 40 /* that differ */

/* The i-th kind of section; every 5th is idle, every 7th of a weighted event. */
struct slice_section make_slice_section(unsigned int i);

struct make_slice_add {
	unsigned int section;
	uint64_t key, nr_samples, weight;
};

/* What was added to one slice, or to several that are summed. */
struct make_slice {
	struct make_slice_add *adds;
	size_t nr_adds, room;
	uint64_t random;
};

void make_slice_deinit(struct make_slice *make);

/* Add to the builder, and remember. weight 0: the plain one of the section. */
void make_slice_add(struct make_slice *make, struct slice_builder *builder, unsigned int section,
		    uint64_t key, uint64_t nr_samples, uint64_t weight);

/* nr adds, in any order, keys again and again. */
void make_slice_add_random(struct make_slice *make, struct slice_builder *builder, size_t nr);

/* What a slice of one epoch says of itself. */
struct slice_info make_slice_info(uint64_t epoch);

/* Write to path and assert that it works. Returns the bytes of the file. */
uint64_t make_slice_write(struct slice_builder *builder, const struct slice_info *info,
			  const char *path);

/* A slice of epoch with nr random adds, at path. */
void make_slice_file(struct make_slice *make, uint64_t epoch, size_t nr, const char *path);

/* Assert that the slice at path passes slice_check and holds what was added. */
void make_slice_verify(const struct make_slice *make, const char *path);

/* Samples that were added, but to idle sections. */
uint64_t make_slice_nr_samples(const struct make_slice *make);

#endif
