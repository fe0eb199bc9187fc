// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/page/page_data.h"

#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>

#define NUMBER_BYTES_MAX 10

void page_data_begin(struct page_data *data, const char *name)
{
	struct page_array *array;

	if (data->error)
		return;
	if (data->nr_arrays == PAGE_ARRAYS_MAX) {
		data->error = -E2BIG;
		return;
	}
	array = &data->arrays[data->nr_arrays++];
	(void)snprintf(array->name, sizeof(array->name), "%s", name);
	array->first = data->nr_bytes;
	array->nr = 0;
}

void page_data_begin_column(struct page_data *data, const char *name, size_t column)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%s_%zu", name, column);
	page_data_begin(data, text);
}

void page_data_add(struct page_data *data, uint64_t number)
{
	if (!data->error)
		data->error =
			array_reserve(&data->bytes, &data->room, data->nr_bytes, NUMBER_BYTES_MAX);
	if (data->error)
		return;
	for (; number >= 128; number >>= 7)
		data->bytes[data->nr_bytes++] = (uint8_t)(number | 128);
	data->bytes[data->nr_bytes++] = (uint8_t)number;
	data->arrays[data->nr_arrays - 1].nr++;
}

void page_data_directory(const struct page_data *data, struct json_writer *json, const char *key)
{
	json_begin(json, key, '{');
	for (size_t i = 0; i < data->nr_arrays; i++) {
		const uint64_t place[] = {data->arrays[i].first, data->arrays[i].nr};

		json_numbers(json, data->arrays[i].name, place, 2);
	}
	json_end(json, '}');
}

void page_data_base64(const struct page_data *data, FILE *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < data->nr_bytes; i += 3) {
		size_t nr = data->nr_bytes - i < 3 ? data->nr_bytes - i : 3;
		uint32_t bits = (uint32_t)data->bytes[i] << 16;
		char text[4];

		if (nr > 1)
			bits |= (uint32_t)data->bytes[i + 1] << 8;
		if (nr > 2)
			bits |= data->bytes[i + 2];
		for (size_t j = 0; j < 4; j++)
			text[j] = j <= nr ? digits[bits >> (18 - 6 * j) & 63] : '=';
		(void)fwrite(text, 1, sizeof(text), out);
	}
}

void page_data_deinit(struct page_data *data)
{
	free(data->bytes);
	*data = (struct page_data){0};
}
