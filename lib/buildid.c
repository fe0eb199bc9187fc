// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/buildid.h"

#include "lib/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * At most this many bytes are read (header tables and notes together), whatever sizes the file
 * states.
 */
#define READ_BYTES_MAX 65536u
#define TABLE_BYTES    4096u

/* The ELF file being read. */
struct elf_reader {
	int fd;
	bool wide; /* ELFCLASS64 */
	bool swap; /* the file has the opposite byte order */
	uint64_t file_bytes;
	size_t budget_bytes; /* bytes that may still be read */
};

/* A possible range of notes, from a program header or a section header. */
struct note_range {
	uint32_t type;
	uint64_t position;
	uint64_t nr_bytes;
	uint64_t align;
};

static uint16_t get16(const struct elf_reader *reader, uint16_t value)
{
	return reader->swap ? __builtin_bswap16(value) : value;
}

static uint32_t get32(bool swap, uint32_t value)
{
	return swap ? __builtin_bswap32(value) : value;
}

static uint64_t get64(const struct elf_reader *reader, uint64_t value)
{
	return reader->swap ? __builtin_bswap64(value) : value;
}

/*
 * Reads exactly nr_bytes at position. Returns 0; -ENOEXEC: the bytes exceed the file or the
 * budget; or another -errno.
 */
static int reader_read(struct elf_reader *reader, void *buf, uint64_t position, size_t nr_bytes)
{
	ssize_t nr;

	if (nr_bytes > reader->budget_bytes || position > reader->file_bytes ||
	    nr_bytes > reader->file_bytes - position)
		return -ENOEXEC;
	reader->budget_bytes -= nr_bytes;
	nr = file_pread_all(reader->fd, buf, nr_bytes, (off_t)position);
	if (nr < 0)
		return (int)nr;
	return (size_t)nr == nr_bytes ? 0 : -ENOEXEC;
}

static size_t align_up(size_t value, size_t align)
{
	return (value + align - 1) & ~(align - 1);
}

/*
 * Reads the note at bytes[*next] and moves *next to the following note. Returns 1 if the note is a
 * build-id, 0 if it is another note, -ENOEXEC if the note exceeds nr_bytes. The note's parts are
 * padded to multiples of align, counted from the start of the note.
 */
static int note_take(const uint8_t *bytes, size_t nr_bytes, size_t align, bool swap, size_t *next,
		     struct buildid *id)
{
	Elf32_Nhdr head;
	const uint8_t *note = bytes + *next;
	size_t room = nr_bytes - *next;
	size_t name, data, data_at, end;

	memcpy(&head, note, sizeof(head));
	name = get32(swap, head.n_namesz);
	data = get32(swap, head.n_descsz);
	if (name > room || data > room)
		return -ENOEXEC;
	data_at = align_up(sizeof(head) + name, align);
	if (data_at + data > room)
		return -ENOEXEC;
	end = align_up(data_at + data, align);
	*next = end < room ? *next + end : nr_bytes;
	if (get32(swap, head.n_type) != NT_GNU_BUILD_ID || name != sizeof(ELF_NOTE_GNU) ||
	    memcmp(note + sizeof(head), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) != 0 || !data ||
	    data > BUILDID_BYTES_MAX)
		return 0;
	memset(id, 0, sizeof(*id));
	memcpy(id->bytes, note + data_at, data);
	id->nr_bytes = (uint32_t)data;
	return 1;
}

static int notes_find(const uint8_t *bytes, size_t nr_bytes, size_t align, bool swap,
		      struct buildid *id)
{
	size_t next = 0;

	/* If fewer bytes than a header remain, they are padding. */
	while (nr_bytes - next >= sizeof(Elf32_Nhdr)) {
		int found = note_take(bytes, nr_bytes, align, swap, &next, id);

		if (found)
			return found < 0 ? found : 0;
	}
	return -ENOENT;
}

int buildid_parse_notes(const void *notes, size_t nr_bytes, struct buildid *id)
{
	return notes_find(notes, nr_bytes, 4, false, id);
}

/* Searches one range if its type is `wanted`. Only the first TABLE_BYTES of the range are read. */
static int range_find(struct elf_reader *reader, const struct note_range *range, uint32_t wanted,
		      struct buildid *id)
{
	uint8_t notes[TABLE_BYTES];
	size_t nr_bytes = range->nr_bytes < sizeof(notes) ? (size_t)range->nr_bytes : sizeof(notes);
	int error;

	if (range->type != wanted || !range->nr_bytes)
		return -ENOENT;
	error = reader_read(reader, notes, range->position, nr_bytes);
	if (error)
		return error;
	/* Only a segment of property notes can have an alignment of 8. */
	error = notes_find(notes, nr_bytes, range->align == 8 ? 8 : 4, reader->swap, id);
	/*
	 * If only the start of the range was read, a note that is incomplete there may be complete
	 * in the file.
	 */
	return error == -ENOEXEC && nr_bytes < range->nr_bytes ? -ENOENT : error;
}

static void range_of_program(const struct elf_reader *reader, const void *entry,
			     struct note_range *range)
{
	if (reader->wide) {
		Elf64_Phdr head;

		memcpy(&head, entry, sizeof(head));
		*range = (struct note_range){
			get32(reader->swap, head.p_type), get64(reader, head.p_offset),
			get64(reader, head.p_filesz), get64(reader, head.p_align)};
	} else {
		Elf32_Phdr head;

		memcpy(&head, entry, sizeof(head));
		*range = (struct note_range){
			get32(reader->swap, head.p_type), get32(reader->swap, head.p_offset),
			get32(reader->swap, head.p_filesz), get32(reader->swap, head.p_align)};
	}
}

static void range_of_section(const struct elf_reader *reader, const void *entry,
			     struct note_range *range)
{
	if (reader->wide) {
		Elf64_Shdr head;

		memcpy(&head, entry, sizeof(head));
		*range = (struct note_range){
			get32(reader->swap, head.sh_type), get64(reader, head.sh_offset),
			get64(reader, head.sh_size), get64(reader, head.sh_addralign)};
	} else {
		Elf32_Shdr head;

		memcpy(&head, entry, sizeof(head));
		*range = (struct note_range){
			get32(reader->swap, head.sh_type), get32(reader->swap, head.sh_offset),
			get32(reader->swap, head.sh_size), get32(reader->swap, head.sh_addralign)};
	}
}

/* A header table, as described by the ELF header. */
struct header_table {
	uint64_t position;
	size_t entry_bytes, nr_entries;
	size_t least_bytes; /* minimum size of an entry in this table */
	uint32_t note_type;
	void (*range)(const struct elf_reader *reader, const void *entry, struct note_range *range);
};

/* Searches a table, reading it in pieces. Returns 0, -ENOENT, -ENOEXEC or -errno. */
static int table_find(struct elf_reader *reader, const struct header_table *table,
		      struct buildid *id)
{
	uint8_t entries[TABLE_BYTES];
	size_t per_read;

	if (!table->position || !table->nr_entries)
		return -ENOENT;
	if (table->entry_bytes < table->least_bytes || table->entry_bytes > sizeof(entries))
		return -ENOEXEC;
	per_read = sizeof(entries) / table->entry_bytes;
	for (size_t i = 0; i < table->nr_entries; i++) {
		size_t at = i % per_read;
		struct note_range range;
		int error;

		if (!at) {
			size_t left = table->nr_entries - i;
			size_t nr = left < per_read ? left : per_read;

			error = reader_read(reader, entries,
					    table->position + i * table->entry_bytes,
					    nr * table->entry_bytes);
			if (error)
				return error;
		}
		table->range(reader, entries + at * table->entry_bytes, &range);
		error = range_find(reader, &range, table->note_type, id);
		if (error != -ENOENT)
			return error;
	}
	return -ENOENT;
}

/* Reads and checks the ELF header, and sets *programs and *sections to its two header tables. */
static int header_read(struct elf_reader *reader, struct header_table *programs,
		       struct header_table *sections)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} head;
	int error = reader_read(reader, &head, 0, sizeof(head.narrow));

	if (error)
		return error;
	if (memcmp(head.ident, ELFMAG, SELFMAG) != 0 ||
	    (head.ident[EI_CLASS] != ELFCLASS32 && head.ident[EI_CLASS] != ELFCLASS64) ||
	    (head.ident[EI_DATA] != ELFDATA2LSB && head.ident[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	reader->wide = head.ident[EI_CLASS] == ELFCLASS64;
	reader->swap = head.ident[EI_DATA] !=
		       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	*programs = (struct header_table){.note_type = PT_NOTE, .range = range_of_program};
	*sections = (struct header_table){.note_type = SHT_NOTE, .range = range_of_section};
	if (!reader->wide) {
		programs->position = get32(reader->swap, head.narrow.e_phoff);
		programs->entry_bytes = get16(reader, head.narrow.e_phentsize);
		programs->nr_entries = get16(reader, head.narrow.e_phnum);
		programs->least_bytes = sizeof(Elf32_Phdr);
		sections->position = get32(reader->swap, head.narrow.e_shoff);
		sections->entry_bytes = get16(reader, head.narrow.e_shentsize);
		sections->nr_entries = get16(reader, head.narrow.e_shnum);
		sections->least_bytes = sizeof(Elf32_Shdr);
		return 0;
	}
	error = reader_read(reader, &head, 0, sizeof(head.wide));
	if (error)
		return error;
	programs->position = get64(reader, head.wide.e_phoff);
	programs->entry_bytes = get16(reader, head.wide.e_phentsize);
	programs->nr_entries = get16(reader, head.wide.e_phnum);
	programs->least_bytes = sizeof(Elf64_Phdr);
	sections->position = get64(reader, head.wide.e_shoff);
	sections->entry_bytes = get16(reader, head.wide.e_shentsize);
	sections->nr_entries = get16(reader, head.wide.e_shnum);
	sections->least_bytes = sizeof(Elf64_Shdr);
	return 0;
}

int buildid_read_fd(int fd, struct buildid *id)
{
	struct elf_reader reader = {.fd = fd, .budget_bytes = READ_BYTES_MAX};
	struct header_table programs, sections;
	struct buildid found;
	struct stat st;
	int error;

	if (fstat(fd, &st))
		return -errno;
	/* Reading a pipe or device may block, or consume data meant for other readers. */
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	reader.file_bytes = (uint64_t)st.st_size;
	error = header_read(&reader, &programs, &sections);
	if (error)
		return error;
	error = table_find(&reader, &programs, &found);
	if (error == -ENOENT)
		error = table_find(&reader, &sections, &found);
	if (!error)
		*id = found;
	return error;
}

int buildid_read_file(const char *path, struct buildid *id)
{
	struct stat st;
	int error;
	int fd;

	/*
	 * Merely opening a device may have side effects. If path becomes a FIFO between stat() and
	 * open(), O_NONBLOCK prevents waiting for a writer.
	 */
	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	error = buildid_read_fd(fd, id);
	close(fd);
	return error;
}

void buildid_to_hex(const struct buildid *id, char *hex)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t nr = id->nr_bytes < BUILDID_BYTES_MAX ? id->nr_bytes : BUILDID_BYTES_MAX;

	for (uint32_t i = 0; i < nr; i++) {
		*hex++ = digits[id->bytes[i] >> 4];
		*hex++ = digits[id->bytes[i] & 15];
	}
	*hex = '\0';
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -EINVAL;
}

int buildid_from_hex(const char *hex, struct buildid *id)
{
	struct buildid read = {.nr_bytes = 0};

	for (; *hex; hex += 2) {
		int high = hex_value(hex[0]);
		int low = high < 0 ? high : hex_value(hex[1]);

		if (high < 0 || low < 0 || read.nr_bytes == BUILDID_BYTES_MAX)
			return -EINVAL;
		read.bytes[read.nr_bytes++] = (uint8_t)(high << 4 | low);
	}
	if (!read.nr_bytes)
		return -EINVAL;
	*id = read;
	return 0;
}
