// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoints: the input is the text of a format file up to a NUL, then a raw record. A format that
 * is parsed has a layout, and the payload has the length that the layout gives.
 */
#include "daemon/trace/trace_layout.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_record(const struct trace_layout *layout, const uint8_t *record, size_t nr_bytes)
{
	const int64_t nr_payload = trace_layout_bytes(layout, record, nr_bytes);
	uint8_t *payload;

	if (nr_payload < 0)
		return;
	payload =
		malloc((size_t)nr_payload + 1); /* exact size, so that sanitizers find an overrun */
	if (!payload)
		return;
	payload[nr_payload] = 0x5a;
	trace_layout_write(layout, record, nr_bytes, payload);
	if (payload[nr_payload] != 0x5a)
		abort();
	free(payload);
}

static void use(struct tracepoint *tracepoint, const uint8_t *record, size_t nr_bytes)
{
	struct trace_layout layout;
	uint8_t *copy;

	if (trace_layout_init(&layout, tracepoint, 1, 0, NULL))
		return;
	copy = malloc(nr_bytes ? nr_bytes : 1);
	if (copy) {
		if (nr_bytes)
			memcpy(copy, record, nr_bytes);
		write_record(&layout, copy, nr_bytes);
	}
	free(copy);
	trace_layout_deinit(&layout);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	const size_t nr_text = end ? (size_t)(end - data) : size;
	struct tracepoint *tracepoint;
	struct diag diag;
	char *text = malloc(nr_text + 1);

	if (!text)
		return 0;
	if (nr_text)
		memcpy(text, data, nr_text);
	text[nr_text] = '\0';
	diag_clear(&diag);
	if (!tracepoint_parse(&tracepoint, "sched", "format", text, &diag))
		use(tracepoint, end ? end + 1 : data, end ? size - nr_text - 1 : 0);
	else if (!diag.text[0])
		abort();
	free(text);
	return 0;
}
