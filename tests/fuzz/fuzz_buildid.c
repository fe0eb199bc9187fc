// SPDX-License-Identifier: GPL-2.0-or-later
/* Build-ids of hostile input: as an ELF file, as notes, as hexadecimal text. */
#include "lib/buildid.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int error, const struct buildid *id)
{
	struct buildid back;
	char hex[BUILDID_HEX_BYTES];

	if (error)
		return;
	buildid_to_hex(id, hex);
	if (!id->nr_bytes || id->nr_bytes > BUILDID_BYTES_MAX || buildid_from_hex(hex, &back) ||
	    memcmp(&back, id, sizeof(back)) != 0)
		abort();
}

static void try_hex(const uint8_t *data, size_t size)
{
	struct buildid id;
	char *text = malloc(size + 1);

	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	check(buildid_from_hex(text, &id), &id);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buildid id;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	if (size <= 1 << 20 && write(fd, data, size) == (ssize_t)size)
		check(buildid_read_fd(fd, &id), &id);
	close(fd);
	check(buildid_parse_notes(data, size, &id), &id);
	try_hex(data, size);
	return 0;
}
