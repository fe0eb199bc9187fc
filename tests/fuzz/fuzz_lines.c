// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug information of hostile binaries. The first byte chooses. e: an ELF file, read as the helper
 * process does, whose table the parent must accept; w: a table as a hostile helper might return it.
 */
#include "pp/lines/line_reader.h"
#include "pp/lines/line_wire.h"

#include "lib/file.h"
#include "pp/symbols/file_opener.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads all of it, as reports do. */
static uint64_t use_table(const struct line_wire *wire)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < wire->header.nr_ranges; i++) {
		const struct line_wire_range *range = &wire->ranges[i];

		if (range->file == LINE_NO_FILE)
			continue;
		sum += strlen(wire->strings + wire->files[range->file]);
		for (uint32_t node = range->node; node; node = wire->nodes[node].parent) {
			sum += strlen(wire->strings + wire->nodes[node].function);
			sum += wire->files[wire->nodes[node].call_file];
		}
	}
	return sum + strlen(wire->strings + wire->header.note);
}

/* The copy comes from malloc, and so is aligned. */
static int open_copy(struct line_wire *wire, const void *bytes, size_t nr_bytes, char **copy)
{
	*copy = malloc(nr_bytes + 1);
	if (!*copy)
		return -1;
	memcpy(*copy, bytes, nr_bytes);
	return line_wire_open(wire, *copy, nr_bytes);
}

static volatile uint64_t used;

static void try_wire(const uint8_t *bytes, size_t nr_bytes)
{
	struct line_wire wire;
	char *copy;

	if (!open_copy(&wire, bytes, nr_bytes, &copy))
		used += use_table(&wire);
	free(copy);
}

static void check_result(int fd)
{
	struct line_wire wire;
	struct stat status;
	char *bytes;

	if (fstat(fd, &status))
		abort();
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes || file_pread_all(fd, bytes, (size_t)status.st_size, 0) != status.st_size ||
	    line_wire_open(&wire, bytes, (size_t)status.st_size))
		abort();
	used += use_table(&wire);
	free(bytes);
}

static void try_elf(const uint8_t *bytes, size_t nr_bytes)
{
	static const struct oprof_image_identity identity;
	static const struct symbol_search search = {.debug_path = "/nonexistent"};
	int fd = memfd_create("fuzz", MFD_CLOEXEC), result = memfd_create("result", MFD_CLOEXEC);
	char path[64];
	struct symbol_request request = {
		.path = path, .identity = &identity, .kind = OPROF_IMAGE_FILE, .search = &search};
	struct file_opener opener;

	file_opener_init(&opener, &request, -1);
	request.opener = &opener;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && result >= 0 && nr_bytes <= BYTES_MAX &&
	    write(fd, bytes, nr_bytes) == (ssize_t)nr_bytes && !line_read(&request, result))
		check_result(result);
	file_opener_deinit(&opener);
	close(fd);
	close(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == 'e')
		try_elf(data + 1, size - 1);
	else if (size && data[0] == 'w')
		try_wire(data + 1, size - 1);
	return 0;
}
