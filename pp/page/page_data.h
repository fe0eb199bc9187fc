/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays of numbers in the format that the page reads (pp/page/data.js), one
 * after the other. Each number is a sequence of digits of base 128, the lowest
 * digit first. 128 is added to every digit except the last. The resulting bytes
 * are written as base64.
 */
#ifndef PP_PAGE_DATA_H
#define PP_PAGE_DATA_H

#include "pp/base/json_writer.h"

#include <stddef.h>
#include <stdint.h>

#define PAGE_ARRAYS_MAX 2048

struct page_array {
	char name[32];
	size_t first; /* byte offset of the first number */
	size_t nr;    /* count of numbers */
};

struct page_data {
	uint8_t *bytes;
	size_t nr_bytes, room;
	struct page_array arrays[PAGE_ARRAYS_MAX];
	size_t nr_arrays;
	int error; /* first error: -ENOMEM or -E2BIG; after an error, nothing is added */
};

/* Begins an array, to which the numbers added next belong. A zeroed struct page_data is empty. */
void page_data_begin(struct page_data *data, const char *name);
/* Begins the array NAME_COLUMN, such as "row_0". */
void page_data_begin_column(struct page_data *data, const char *name, size_t column);
void page_data_add(struct page_data *data, uint64_t number);

/* Writes {"name":[first byte, count],...}. */
void page_data_directory(const struct page_data *data, struct json_writer *json, const char *key);
void page_data_base64(const struct page_data *data, FILE *out);
void page_data_deinit(struct page_data *data);

#endif
