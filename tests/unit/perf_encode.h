/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct perf_item -> the bytes that the kernel would write: perf_parse backwards, for tests. */
#ifndef TESTS_PERF_ENCODE_H
#define TESTS_PERF_ENCODE_H

#include "daemon/perf_parse.h"

#define PERF_ENCODE_BYTES_MAX 65536

/*
 * Write the record into record[PERF_ENCODE_BYTES_MAX]; its size. id: what
 * the kernel calls the event. Types that perf_item has no place for get
 * u.lost.nr bytes of zeros as their body.
 */
size_t perf_encode(const struct perf_layout *layout, uint64_t id, const struct perf_item *item,
		   void *record);

#endif
