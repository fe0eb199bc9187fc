/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What doc/kmod.md says of the module's stream, checked record by record: whole
 * records, cookies told before they are used and not after they were released,
 * generations not used after their end, times in order on each CPU. Counts
 * samples by cookie, and losses by reason. Faults are printed, a "# " in front.
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
	uint64_t generation; /* a region's */
	char *name;	     /* of a region or module; who reads may set a file's */
};

struct stream_check {
	struct stream_image *images; /* by cookie */
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

	/* If not NULL: called for each IMAGE of a file, and for each sample. */
	void (*file)(struct stream_check *check, uint32_t cookie);
	void (*sample)(struct stream_check *check, const struct oprof_sample *sample);
	int fd; /* for them: the buffer */
};

/* All zero but for the callbacks is a check to begin with. */
void stream_check_feed(struct stream_check *check, const void *bytes, size_t nr_bytes);
void stream_check_deinit(struct stream_check *check);

/* SAMPLE and LOST records against the module's own counts; after enable 0, dump and reading all. */
void stream_check_sums(struct stream_check *check);

#endif
