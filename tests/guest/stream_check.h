/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the module's stream, record by record, against doc/kmod.md: complete records; cookies
 * announced before use and not used after release; generations not used after their end; times in
 * order on each CPU. Counts samples by cookie, and losses by reason. Prints faults with "# " in
 * front.
 */
#ifndef TESTS_GUEST_STREAM_CHECK_H
#define TESTS_GUEST_STREAM_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "oprof/kmod.h"

#define STREAM_CHECK_NR_CPUS 256

struct stream_image {
	uint8_t told, released;
	uint32_t kind;
	uint64_t nr_samples;
	uint64_t generation; /* of a region */
	char *name;	     /* of a region or module; the reader may set a file's name */
};

struct stream_check {
	struct stream_image *images; /* indexed by cookie */
	size_t nr_images;
	uint64_t *ended; /* a bit for each generation */
	size_t nr_ended_words;
	uint64_t last_ns[STREAM_CHECK_NR_CPUS];
	uint32_t cpu;
	int has_cpu, has_task, wants_task;
	struct oprof_task task;

	uint64_t nr_records, nr_samples, nr_user, nr_kernel, nr_frames;
	uint64_t nr_switches, nr_switches_lost, nr_ends, nr_modules, nr_throttled;
	uint64_t nr_lost; /* the sum of lost_by */
	uint64_t lost_by[OPROF_LOST_NR];
	uint64_t nr_faults;

	/* Callbacks, which may be NULL: for each IMAGE of a file, and for each sample. */
	void (*file)(struct stream_check *check, uint32_t cookie);
	void (*sample)(struct stream_check *check, const struct oprof_sample *sample);
	int fd; /* for the callbacks: the buffer */
};

/* A check that is all zero, except for the callbacks, is initialised. */
void stream_check_feed(struct stream_check *check, const void *bytes, size_t nr_bytes);
void stream_check_deinit(struct stream_check *check);

/*
 * Compares SAMPLE and LOST records with the module's own counts; call after enable 0, dump and
 * reading everything.
 */
void stream_check_sums(struct stream_check *check);

#endif
