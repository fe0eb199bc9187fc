/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps all records that a source tells, for a test to look at. */
#ifndef TESTS_RECORD_CATCHER_H
#define TESTS_RECORD_CATCHER_H

#include "daemon/source.h"

#include <check.h>
#include <string.h>

struct record_catcher {
	struct record_sink sink;
	uint64_t words[1 << 16];
	size_t nr_words;
};

static inline void record_catcher_take(struct record_sink *sink, const struct oprof_record *record)
{
	struct record_catcher *catcher = (struct record_catcher *)(void *)sink;
	size_t nr = record->size_bytes / 8;

	ck_assert_uint_eq(record->size_bytes % 8, 0);
	ck_assert_uint_le(catcher->nr_words + nr, sizeof(catcher->words) / 8);
	memcpy(catcher->words + catcher->nr_words, record, record->size_bytes);
	catcher->nr_words += nr;
}

static inline void record_catcher_init(struct record_catcher *catcher)
{
	catcher->sink.record = record_catcher_take;
	catcher->nr_words = 0;
}

/* The nth record of a type since the last clear, or NULL. */
static inline const void *record_catcher_find(const struct record_catcher *catcher,
					      enum oprof_record_type type, unsigned int nth)
{
	size_t at = 0;

	while (at < catcher->nr_words) {
		const struct oprof_record *record = (const void *)(catcher->words + at);

		if (record->type == type && !nth--)
			return record;
		at += record->size_bytes / 8;
	}
	return NULL;
}

static inline unsigned int record_catcher_nr(const struct record_catcher *catcher,
					     enum oprof_record_type type)
{
	unsigned int nr = 0;

	while (record_catcher_find(catcher, type, nr))
		nr++;
	return nr;
}

/* Samples told, and those told to be lost. */
static inline uint64_t record_catcher_seen(const struct record_catcher *catcher)
{
	uint64_t seen = record_catcher_nr(catcher, OPROF_RECORD_SAMPLE);
	const struct oprof_lost_record *lost;

	for (unsigned int i = 0;
	     (lost = record_catcher_find(catcher, OPROF_RECORD_LOST, i)) != NULL; i++)
		seen += lost->nr_samples;
	return seen;
}

#endif
