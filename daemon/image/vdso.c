// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/vdso.h"

#include "lib/buildid.h"
#include "lib/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPS_BYTES_MAX (16u << 20)
#define VDSO_BYTES_MAX (1u << 20)

/*
 * Returns the size of the mapping that begins at start; 0 if there is no such mapping, or it is too
 * big.
 */
static size_t mapping_bytes(const char *maps, uint64_t start)
{
	const char *line = maps;

	while (line && *line) {
		uint64_t from, to;
		char *next;

		/* The text comes from the kernel, so every line begins with two addresses. */
		from = strtoull(line, &next, 16);
		to = *next ? strtoull(next + 1, NULL, 16) : 0;
		if (from == start && to > from)
			return to - from <= VDSO_BYTES_MAX ? (size_t)(to - from) : 0;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}

static void identify(struct vdso *vdso)
{
	struct buildid id;
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	/* buildid_read_fd needs a file, so copy the bytes to one. */
	if (fd >= 0 && !file_write_all(fd, vdso->bytes, vdso->nr_bytes) &&
	    !buildid_read_fd(fd, &id)) {
		memcpy(vdso->identity.build_id, id.bytes, sizeof(id.bytes));
		vdso->identity.nr_build_id = id.nr_bytes;
	} else {
		vdso->identity.size_bytes = vdso->nr_bytes;
	}
	if (fd >= 0)
		close(fd);
}

int vdso_init(struct vdso *vdso)
{
	unsigned long start = getauxval(AT_SYSINFO_EHDR);
	char *maps;

	*vdso = (struct vdso){.nr_bytes = 0};
	/* The daemon's own mappings are in the real /proc, even if tests replace proc_path. */
	if (!start || file_read_text("/proc/self/maps", MAPS_BYTES_MAX, &maps, NULL))
		return 0;
	vdso->nr_bytes = mapping_bytes(maps, start);
	free(maps);
	if (!vdso->nr_bytes)
		return 0;
	vdso->bytes = malloc(vdso->nr_bytes);
	if (!vdso->bytes)
		return -ENOMEM;
	memcpy(vdso->bytes, (const void *)start, vdso->nr_bytes);
	identify(vdso);
	return 0;
}

void vdso_deinit(struct vdso *vdso)
{
	free(vdso->bytes);
	*vdso = (struct vdso){.nr_bytes = 0};
}
