// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile perf map files: the input is the file, read while it grows by steps whose size the first
 * byte chooses, then truncated to half and read on.
 *
 * Checked: ranges ascend and never overlap, and all memory of the pool is given back.
 */
#include "daemon/jit/perf_map.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_BUFFER (2 * PERF_MAP_LINE_MAX)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz {
	struct code_pool pool;
	struct code_map *map;
	struct perf_map state;
	struct perf_map_counts counts;
	int fd;
	char buffer[NR_BUFFER];
};

static void check_map(const struct code_map *map)
{
	uint64_t last = 0;
	size_t nr = 0;

	for (size_t i = 0; i < map->nr_blocks; i++) {
		if (!map->blocks[i]->nr_ranges)
			abort();
		for (uint32_t k = 0; k < map->blocks[i]->nr_ranges; k++, nr++) {
			const struct named_range *range = &map->blocks[i]->ranges[k];

			if (range->start < last || range->end <= range->start ||
			    code_map_find(map, range->start) != range ||
			    code_map_find(map, range->end - 1) != range)
				abort();
			last = range->end;
		}
	}
	if (nr != map->nr_ranges)
		abort();
}

static void read_it(struct fuzz *fuzz)
{
	int more;

	do {
		more = perf_map_read(&fuzz->state, fuzz->fd, &fuzz->map, fuzz->buffer, NR_BUFFER,
				     &fuzz->counts);
		if (more == -ESTALE) {
			code_map_put(fuzz->map);
			fuzz->map = code_map_create(&fuzz->pool);
			fuzz->state = (struct perf_map){.position = 0};
			if (!fuzz->map)
				abort();
		}
	} while (more > 0 || more == -ESTALE);
	check_map(fuzz->map);
}

static void grow(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
	size_t step = size ? 1 + (size_t)data[0] * 16 : 1;

	for (size_t at = 0; at < size; at += step) {
		size_t nr = size - at < step ? size - at : step;

		if (pwrite(fuzz->fd, data + at, nr, (off_t)at) != (ssize_t)nr)
			abort();
		read_it(fuzz);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz fuzz; /* its file is created once, because that takes the most time */
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0))
		abort();
	fuzz.fd = fd;
	fuzz.state = (struct perf_map){.position = 0};
	fuzz.map = code_pool_init(&fuzz.pool) ? NULL : code_map_create(&fuzz.pool);
	if (!fuzz.map)
		abort();
	grow(&fuzz, data, size);
	if (ftruncate(fd, (off_t)(size / 2)))
		abort();
	read_it(&fuzz);
	code_map_put(fuzz.map);
	if (fuzz.pool.nr_bytes || fuzz.pool.names.nr_nodes)
		abort();
	code_pool_deinit(&fuzz.pool);
	return 0;
}
