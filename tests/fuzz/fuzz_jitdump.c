// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile jitdump files: the input is the file, read while it grows by halves and as time advances.
 *
 * Checked: reading ends, and all memory of the pool is given back.
 */
#include "daemon/jit/jitdump.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_BUFFER (2 * JITDUMP_NAME_MAX)
#define NOW	  UINT64_C(0x4000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz {
	struct code_pool pool;
	struct code_map *map;
	struct jitdump dump;
	struct jitdump_counts counts;
	int fd;
	char buffer[NR_BUFFER];
};

static void read_until(struct fuzz *fuzz, uint64_t until_ns, size_t size)
{
	unsigned int nr_calls = 0;
	uint64_t position;
	int more;

	do {
		position = fuzz->dump.position;
		more = jitdump_read(&fuzz->dump, fuzz->fd, until_ns, NOW, &fuzz->map, fuzz->buffer,
				    NR_BUFFER, &fuzz->counts);
		/* Each call that reports more to read must advance, or wait for a time. */
		if (++nr_calls > size + 2)
			abort();
	} while (more > 0 && fuzz->dump.position > position);
	if (fuzz->dump.next_ns && fuzz->dump.next_ns <= until_ns)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz fuzz;
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0))
		abort();
	fuzz.fd = fd;
	fuzz.dump = (struct jitdump){.position = 0};
	fuzz.map = code_pool_init(&fuzz.pool) ? NULL : code_map_create(&fuzz.pool);
	if (!fuzz.map || pwrite(fd, data, size / 2, 0) != (ssize_t)(size / 2))
		abort();
	read_until(&fuzz, 0x100, size);
	if (pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	read_until(&fuzz, 0x1000, size);
	read_until(&fuzz, UINT64_MAX, size);
	if (fuzz.dump.position && ftruncate(fd, (off_t)fuzz.dump.position - 1) == 0 &&
	    (fuzz.dump.state == JITDUMP_NEW || fuzz.dump.state == JITDUMP_READING) &&
	    jitdump_read(&fuzz.dump, fd, 0, NOW, &fuzz.map, fuzz.buffer, NR_BUFFER, &fuzz.counts) !=
		    -ESTALE)
		abort();
	code_map_put(fuzz.map);
	if (fuzz.pool.nr_bytes || fuzz.pool.names.nr_nodes)
		abort();
	code_pool_deinit(&fuzz.pool);
	return 0;
}
