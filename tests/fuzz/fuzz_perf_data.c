// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile recordings of perf: the input is the file.
 *
 * Checked: reading ends, each record lies within the bytes read, and the records that come out are
 * complete and of types that the perf source produces.
 */
#include "daemon/import/perf_file.h"
#include "daemon/import/perf_normal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void go_through(struct perf_file *file, struct perf_normal *normal)
{
	const struct perf_layout layout = {.sample_type = normal->sample_type,
					   .regs_mask = normal->regs_mask,
					   .ids = &normal->ids};
	const struct perf_event_header *record, *made;
	struct perf_item item;
	struct diag diag;
	uint64_t time_ns;
	volatile uint8_t last;

	while (!perf_file_next(file, &record, &diag)) {
		last = ((const uint8_t *)record)[record->size - 1];
		(void)last;
		if (perf_normal_record(normal, record, &made, &time_ns))
			continue;
		if (perf_parse_size(made, made->size) != made->size)
			abort();
		(void)perf_parse(&layout, made, &item);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct perf_normal normal;
	struct perf_file file;
	struct diag diag;
	char path[64];

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (perf_file_open(&file, path, &diag))
		return 0;
	if (!perf_normal_init(&normal, &file, &diag)) {
		go_through(&file, &normal);
		perf_normal_deinit(&normal);
	}
	perf_file_close(&file);
	return 0;
}
