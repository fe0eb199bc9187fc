// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/code/code_reader.h"

#include "lib/file.h"
#include "pp/symbols/symbol_wire.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns whether the section at the address has a header but no bytes, as in debug files. */
static bool is_empty_at(const struct symbol_file *file, uint64_t address)
{
	for (size_t i = 1; i < file->nr_sections; i++) {
		const struct symbol_section *section = &file->sections[i];
		Elf_Scn *scn;
		GElf_Shdr header;

		if (address < section->start || address >= section->end)
			continue;
		scn = elf_getscn(file->elf, i);
		return scn && gelf_getshdr(scn, &header) && header.sh_type == SHT_NOBITS;
	}
	return false;
}

int code_reader_range(const struct symbol_file *file, const struct code_range *range,
		      size_t padding, struct code_read *read)
{
	uint64_t nr_bytes = range->end - range->start;
	uint64_t address, offset, nr_there;
	ssize_t nr_read;
	uint8_t *bytes;

	*read = (struct code_read){0};
	if (!symbol_file_address(file, range->start, &address) ||
	    !symbol_file_offset(file, range->start, &offset, &nr_there) ||
	    is_empty_at(file, address))
		return 0;
	if (nr_bytes > nr_there)
		nr_bytes = nr_there;
	if (nr_bytes > SYMBOL_WIRE_MAX_BYTES)
		return -EFBIG;
	bytes = calloc(1, nr_bytes + padding);
	if (!bytes)
		return -ENOMEM;
	nr_read = file_pread_all(file->fd, bytes, nr_bytes, (off_t)offset);
	if (nr_read < 0) {
		free(bytes);
		return (int)nr_read;
	}
	*read = (struct code_read){.bytes = bytes, .nr_bytes = (size_t)nr_read, .address = address};
	return 0;
}

/* ---- bytes of many ranges ---- */

/*
 * Writes the bytes of one range, and advances *end, the size of the result. Leaves *part empty if
 * the file does not have all bytes, or if the result would become too large.
 */
static int write_range(const struct symbol_file *file, const struct code_range *range, int fd,
		       uint64_t *end, struct code_part *part)
{
	struct code_read read;
	int error;

	if (range->end - range->start > SYMBOL_WIRE_MAX_BYTES - *end)
		return 0;
	error = code_reader_range(file, range, 1, &read);
	if (error || !read.bytes)
		return error;
	if (read.nr_bytes == range->end - range->start) {
		*part = (struct code_part){.offset = *end, .nr_bytes = read.nr_bytes};
		*end += read.nr_bytes;
		error = file_write_all(fd, read.bytes, read.nr_bytes);
	}
	free(read.bytes);
	return error;
}

/*
 * Writes the result: the parts, then the bytes. The parts are first written empty, and at the end
 * again with their final values.
 */
static int write_ranges(const struct symbol_image *image, const struct code_bytes_request *request,
			int fd, struct code_part *parts)
{
	size_t parts_bytes = request->nr_ranges * sizeof(*parts);
	uint64_t end = parts_bytes;
	int error = file_write_all(fd, parts, parts_bytes);

	for (size_t i = 0; image && i < request->nr_ranges && !error; i++)
		error = write_range(&image->file, &request->ranges[i], fd, &end, &parts[i]);
	if (!error && lseek(fd, 0, SEEK_SET))
		error = -errno;
	return error ? error : file_write_all(fd, parts, parts_bytes);
}

/*
 * Returns whether the image has code. Copies of files in the session have no code, but the copy of
 * the vdso is complete.
 */
static bool has_code(const struct symbol_request *request, const struct symbol_image *image)
{
	return !image->kept || request->kind == OPROF_IMAGE_VDSO;
}

int code_reader_read(const struct symbol_request *request, int fd)
{
	const struct code_bytes_request *ranges = request->more;
	struct code_part *parts = calloc(ranges->nr_ranges + 1, sizeof(*parts));
	struct symbol_image image;
	int error;

	if (!parts)
		return -ENOMEM;
	error = symbol_image_open(&image, request);
	if (!error) {
		error = write_ranges(has_code(request, &image) ? &image : NULL, ranges, fd, parts);
		symbol_image_close(&image);
	} else if (error != -ENOMEM) {
		error = write_ranges(NULL, ranges, fd, parts);
	}
	free(parts);
	return error;
}
