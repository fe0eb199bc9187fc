/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source that a test fills by hand: images with cookies, and records that
 * the next drain hands over. One at a time: `fake` is its state.
 */
#ifndef TESTS_UNIT_FAKE_SOURCE_H
#define TESTS_UNIT_FAKE_SOURCE_H

#include "daemon/source.h"

#define FAKE_IMAGES	64
#define FAKE_FRAMES_MAX 200

struct fake {
	struct record_sink *sink;
	struct image images[FAKE_IMAGES]; /* cookie is the index; 0 is none */
	char paths[FAKE_IMAGES][512];
	char records[1 << 18];
	size_t nr_bytes;
	uint64_t seen; /* counted when handed over */
	uint64_t late_records;
	struct source_note note; /* name NULL: none */
	bool open, running, ended;
	uint64_t keep_bytes_max; /* as it was opened with */
	int open_error;		 /* given by open, with a diag */
	unsigned int thinning;	 /* as it was set; 0: never */
	int thinning_error;	 /* given by set_thinning */
	unsigned int nr_starts, nr_stops, nr_symbols_saved, nr_reads;
	char saved_to[4096];
	uint64_t time_ns; /* of the next record; each adds 1000 */
	/* Functions are this many bytes long, in files; 0: not known. */
	uint64_t function_bytes;
	unsigned int nr_functions_asked;
	uint16_t chain_kind; /* of stacks; 0: by frame pointers */
};

extern struct fake fake;
extern const struct source_ops source_fake;

/* Nothing known, nothing waiting, sink's records to sink. For tests without a profiler. */
void fake_init(struct record_sink *sink);

/* Make image number cookie. Files get an inode of their own. */
void fake_image(uint32_t cookie, enum oprof_image_kind kind, const char *path);

void fake_task(int32_t tgid, int32_t tid, uint32_t app_image, uint64_t cgroup);
void fake_cpu(uint32_t cpu);
void fake_sample(uint16_t event, enum oprof_mode mode, uint32_t image, uint64_t offset,
		 uint64_t weight);
/* The same with callers, innermost first: FAKE_FRAMES_MAX at most; flags of the record. */
void fake_stack(uint16_t event, const struct oprof_frame *leaf, const struct oprof_frame *callers,
		uint16_t nr_callers, uint16_t flags);
void fake_lost(uint32_t reason, uint64_t nr);
void fake_release(uint32_t image);
void fake_throttle(uint16_t event, uint32_t cpu, bool begins, uint64_t time_ns);
/* Any bytes with a record's head; nr_bytes of them, a multiple of 8. */
void fake_raw(const struct oprof_record *record, size_t nr_bytes);

/* Hand over what waits, as drain does. */
void fake_flush(void);

#endif
