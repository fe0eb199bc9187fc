// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged compressed files of a trace (ctf/packed.h). Such a file is refused, or each of its bytes
 * is read, the same at each reading, or reported as damaged. The memory that it took from the
 * memory bound is given back.
 */
#include "ctf/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define READ_BYTES 65536u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
	if (!held)
		abort();
}

static void read_packed(struct ctf_packed *packed)
{
	static uint8_t bytes[READ_BYTES], again[READ_BYTES];
	const uint64_t nr_bytes = ctf_packed_bytes(packed);

	/* An index may list more than the file holds: do not read all of it. */
	for (uint64_t at = 0, n = 0; at < nr_bytes && n < 64; at += READ_BYTES / 2, n++) {
		const ssize_t nr = ctf_packed_pread(packed, bytes, READ_BYTES, at);

		must(nr == -EBADMSG || (nr > 0 && (uint64_t)nr <= nr_bytes - at));
		if (nr < 0)
			continue;
		must(ctf_packed_pread(packed, again, READ_BYTES, at) == nr);
		must(!memcmp(bytes, again, (size_t)nr));
	}
	must(!ctf_packed_pread(packed, bytes, 1, nr_bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("packed", MFD_CLOEXEC);
	uint64_t nr_long_bytes = 0;
	struct ctf_packed *packed;
	int error;

	must(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	error = ctf_packed_open(&packed, fd, &nr_long_bytes);
	if (error) {
		must(error == -EINVAL || error == -ENOMEM);
		must(!close(fd));
	} else {
		read_packed(packed);
		ctf_packed_close(packed);
	}
	must(!nr_long_bytes);
	return 0;
}
