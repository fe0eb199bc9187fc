// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/code/disassembly_wire.h"

#include "pp/symbols/symbol_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static int open_parts(struct disassembly *read, const struct disassembly_wire_header *header)
{
	size_t room = read->memory_bytes - sizeof(*header);
	const char *lines = (const char *)read->memory + sizeof(*header);

	if (header->magic != DISASSEMBLY_WIRE_MAGIC || header->lack > SYMBOLS_DAMAGED ||
	    header->nr_lines > room / sizeof(*read->lines))
		return -EILSEQ;
	room -= header->nr_lines * sizeof(*read->lines);
	if (header->nr_parts > room / sizeof(*read->parts))
		return -EILSEQ;
	room -= header->nr_parts * sizeof(*read->parts);
	if (header->strings_bytes != room || !room || header->note >= room)
		return -EILSEQ;
	read->lines = (const void *)lines;
	read->nr_lines = header->nr_lines;
	read->parts = (const void *)(read->lines + read->nr_lines);
	read->nr_parts = header->nr_parts;
	read->strings = (const char *)(read->parts + read->nr_parts);
	read->lack = (enum symbols_lack)header->lack;
	return read->strings[room - 1] ? -EILSEQ : 0;
}

/*
 * Returns false if the part's lines are invalid. Sets *end to the key after the part's last line.
 */
static bool check_part(const struct disassembly *read, const struct disassembly_part *part,
		       size_t nr_strings, uint64_t *end)
{
	if (part->nr > read->nr_lines - part->first)
		return false;
	*end = part->key;
	for (uint64_t i = part->first; i < part->first + part->nr; i++) {
		const struct disassembly_line *line = &read->lines[i];

		if (!line->nr_bytes || line->text >= nr_strings ||
		    __builtin_add_overflow(*end, line->nr_bytes, end))
			return false;
	}
	return true;
}

static int check_parts(const struct disassembly *read, size_t nr_strings)
{
	uint64_t next = 0, end = 0;

	for (size_t i = 0; i < read->nr_parts; i++) {
		const struct disassembly_part *part = &read->parts[i];

		if (part->first != next || part->key < end ||
		    !check_part(read, part, nr_strings, &end))
			return -EILSEQ;
		next += part->nr;
	}
	return next == read->nr_lines ? 0 : -EILSEQ;
}

/*
 * Replaces control characters in the private mapping. The kernel copies only pages that contain
 * control characters, because the other pages are not written.
 */
static void hide_controls(char *bytes, size_t nr_bytes)
{
	for (size_t i = 0; i < nr_bytes; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if ((c && c < 0x20 && c != '\t') || c == 0x7f)
			bytes[i] = '?';
	}
}

static int check(struct disassembly *read)
{
	const struct disassembly_wire_header *header = read->memory;
	int error = open_parts(read, header);

	if (!error)
		error = check_parts(read, header->strings_bytes);
	if (error)
		return error;
	hide_controls((char *)read->memory + read->memory_bytes - header->strings_bytes,
		      header->strings_bytes);
	if (!header->note)
		return 0;
	read->note = strdup(read->strings + header->note);
	return read->note ? 0 : -ENOMEM;
}

/* No lock or copy is needed: the child, the only writer, has ended. */
int disassembly_wire_read(int fd, struct disassembly *disassembly)
{
	struct disassembly read = {0};
	struct stat status;
	int error;

	if (fstat(fd, &status))
		return -errno;
	if (status.st_size < (off_t)sizeof(struct disassembly_wire_header) ||
	    status.st_size > SYMBOL_WIRE_MAX_BYTES)
		return -EILSEQ;
	read.memory_bytes = (size_t)status.st_size;
	read.memory = mmap(NULL, read.memory_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (read.memory == MAP_FAILED)
		return -errno;
	error = check(&read);
	if (error)
		disassembly_deinit(&read);
	else
		*disassembly = read;
	return error;
}

void disassembly_deinit(struct disassembly *disassembly)
{
	if (disassembly->memory)
		(void)munmap(disassembly->memory, disassembly->memory_bytes);
	free(disassembly->note);
	*disassembly = (struct disassembly){0};
}
