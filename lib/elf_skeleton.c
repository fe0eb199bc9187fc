// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/elf_skeleton.h"

#include "lib/file.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ALIGN_BYTES    16u
#define COPY_BYTES     65536u
#define NOTE_BYTES_MAX 65536u

/* The offset and size of a field in its header. */
struct header_field {
	size_t offset, nr_bytes;
};

#define FIELD(type, name)                                                                          \
	{                                                                                          \
		offsetof(type, name), sizeof(((type *)0)->name)                                    \
	}

/* The sizes and fields of the ELF headers of one word size (32 or 64 bits). */
struct layout {
	size_t ehdr_bytes, phdr_bytes, shdr_bytes;
	struct header_field e_phoff, e_shoff, e_phentsize, e_phnum, e_shentsize, e_shnum,
		e_shstrndx;
	struct header_field p_type, p_offset, p_filesz;
	struct header_field sh_name, sh_type, sh_flags, sh_offset, sh_size, sh_link;
};

#define LAYOUT(bits)                                                                               \
	{                                                                                          \
		.ehdr_bytes = sizeof(Elf##bits##_Ehdr), .phdr_bytes = sizeof(Elf##bits##_Phdr),    \
		.shdr_bytes = sizeof(Elf##bits##_Shdr),                                            \
		.e_phoff = FIELD(Elf##bits##_Ehdr, e_phoff),                                       \
		.e_shoff = FIELD(Elf##bits##_Ehdr, e_shoff),                                       \
		.e_phentsize = FIELD(Elf##bits##_Ehdr, e_phentsize),                               \
		.e_phnum = FIELD(Elf##bits##_Ehdr, e_phnum),                                       \
		.e_shentsize = FIELD(Elf##bits##_Ehdr, e_shentsize),                               \
		.e_shnum = FIELD(Elf##bits##_Ehdr, e_shnum),                                       \
		.e_shstrndx = FIELD(Elf##bits##_Ehdr, e_shstrndx),                                 \
		.p_type = FIELD(Elf##bits##_Phdr, p_type),                                         \
		.p_offset = FIELD(Elf##bits##_Phdr, p_offset),                                     \
		.p_filesz = FIELD(Elf##bits##_Phdr, p_filesz),                                     \
		.sh_name = FIELD(Elf##bits##_Shdr, sh_name),                                       \
		.sh_type = FIELD(Elf##bits##_Shdr, sh_type),                                       \
		.sh_flags = FIELD(Elf##bits##_Shdr, sh_flags),                                     \
		.sh_offset = FIELD(Elf##bits##_Shdr, sh_offset),                                   \
		.sh_size = FIELD(Elf##bits##_Shdr, sh_size),                                       \
		.sh_link = FIELD(Elf##bits##_Shdr, sh_link),                                       \
	}

static const struct layout layouts[] = {LAYOUT(32), LAYOUT(64)};

/* A byte range that is copied from offset `from` in the binary to offset `to` in the skeleton. */
struct skeleton_piece {
	uint64_t from, to, nr_bytes;
};

struct skeleton {
	int from; /* descriptor of the binary */
	uint64_t file_bytes;
	const struct layout *layout;
	bool swap; /* the file has the opposite byte order */
	uint8_t ehdr[sizeof(Elf64_Ehdr)];
	uint8_t *phdrs, *shdrs; /* modified in place, then written */
	uint64_t nr_phdrs, nr_shdrs;
	char *names; /* section names, with a final NUL */
	uint64_t names_bytes;
	struct skeleton_piece *pieces;
	size_t nr_pieces;
	uint64_t end; /* end of the last piece in the skeleton */
};

static uint64_t get(const struct skeleton *skeleton, const uint8_t *header,
		    struct header_field field)
{
	uint64_t wide;
	uint32_t word;
	uint16_t half;

	if (field.nr_bytes == sizeof(wide)) {
		memcpy(&wide, header + field.offset, sizeof(wide));
		return skeleton->swap ? __builtin_bswap64(wide) : wide;
	}
	if (field.nr_bytes == sizeof(word)) {
		memcpy(&word, header + field.offset, sizeof(word));
		return skeleton->swap ? __builtin_bswap32(word) : word;
	}
	memcpy(&half, header + field.offset, sizeof(half));
	return skeleton->swap ? __builtin_bswap16(half) : half;
}

/* Stores value in a field of 4 or 8 bytes; leaves a field of another size as it is. */
static void put(const struct skeleton *skeleton, uint8_t *header, struct header_field field,
		uint64_t value)
{
	uint64_t wide = skeleton->swap ? __builtin_bswap64(value) : value;
	uint32_t word = skeleton->swap ? __builtin_bswap32((uint32_t)value) : (uint32_t)value;

	if (field.nr_bytes == sizeof(wide))
		memcpy(header + field.offset, &wide, sizeof(wide));
	else
		memcpy(header + field.offset, &word, sizeof(word));
}

static bool is_inside(const struct skeleton *skeleton, uint64_t position, uint64_t nr_bytes)
{
	return position <= skeleton->file_bytes && nr_bytes <= skeleton->file_bytes - position;
}

/*
 * Reads nr_bytes at position into malloc'ed memory and adds a NUL. `part` is the address of the
 * pointer in which the memory's address is stored.
 */
static int read_part(const struct skeleton *skeleton, uint64_t position, uint64_t nr_bytes,
		     uint64_t max_bytes, void *part)
{
	uint8_t *bytes;
	ssize_t nr;

	if (!is_inside(skeleton, position, nr_bytes))
		return -EILSEQ;
	if (nr_bytes > max_bytes)
		return -EFBIG;
	bytes = malloc((size_t)nr_bytes + 1);
	if (!bytes)
		return -ENOMEM;
	nr = file_pread_all(skeleton->from, bytes, (size_t)nr_bytes, (off_t)position);
	if (nr < 0 || (uint64_t)nr != nr_bytes) {
		free(bytes);
		return nr < 0 ? (int)nr : -EILSEQ;
	}
	bytes[nr_bytes] = '\0';
	memcpy(part, &bytes, sizeof(bytes));
	return 0;
}

static int read_ehdr(struct skeleton *skeleton)
{
	uint8_t *ident = skeleton->ehdr;
	ssize_t nr = file_pread_all(skeleton->from, ident, sizeof(skeleton->ehdr), 0);

	if (nr < 0)
		return (int)nr;
	if (nr < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) ||
	    (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	skeleton->layout = &layouts[ident[EI_CLASS] == ELFCLASS64];
	skeleton->swap = ident[EI_DATA] !=
			 (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	return (size_t)nr < skeleton->layout->ehdr_bytes ? -EILSEQ : 0;
}

static int read_phdrs(struct skeleton *skeleton, uint64_t max_bytes)
{
	const struct layout *layout = skeleton->layout;
	const uint8_t *ehdr = skeleton->ehdr;

	skeleton->nr_phdrs = get(skeleton, ehdr, layout->e_phnum);
	if (!skeleton->nr_phdrs)
		return 0;
	if (skeleton->nr_phdrs == PN_XNUM ||
	    get(skeleton, ehdr, layout->e_phentsize) != layout->phdr_bytes)
		return -EILSEQ;
	return read_part(skeleton, get(skeleton, ehdr, layout->e_phoff),
			 skeleton->nr_phdrs * layout->phdr_bytes, max_bytes, &skeleton->phdrs);
}

/*
 * Gets the number of section headers and the index of the section with their names. If one of
 * these numbers is too large for the ELF header, it is in section header 0.
 */
static int count_shdrs(struct skeleton *skeleton, uint64_t *names_index)
{
	const struct layout *layout = skeleton->layout;
	uint64_t position = get(skeleton, skeleton->ehdr, layout->e_shoff);
	uint8_t *first;
	int error;

	skeleton->nr_shdrs = get(skeleton, skeleton->ehdr, layout->e_shnum);
	*names_index = get(skeleton, skeleton->ehdr, layout->e_shstrndx);
	if (!position) {
		skeleton->nr_shdrs = 0;
		return 0;
	}
	if (get(skeleton, skeleton->ehdr, layout->e_shentsize) != layout->shdr_bytes)
		return -EILSEQ;
	if (skeleton->nr_shdrs && *names_index != SHN_XINDEX)
		return 0;
	error = read_part(skeleton, position, layout->shdr_bytes, layout->shdr_bytes, &first);
	if (error)
		return error;
	if (!skeleton->nr_shdrs)
		skeleton->nr_shdrs = get(skeleton, first, layout->sh_size);
	if (*names_index == SHN_XINDEX)
		*names_index = get(skeleton, first, layout->sh_link);
	free(first);
	return 0;
}

static uint8_t *shdr_of(const struct skeleton *skeleton, uint64_t index)
{
	return skeleton->shdrs + index * skeleton->layout->shdr_bytes;
}

static int read_shdrs(struct skeleton *skeleton, uint64_t max_bytes)
{
	const struct layout *layout = skeleton->layout;
	uint64_t names_index;
	const uint8_t *names;
	int error = count_shdrs(skeleton, &names_index);

	if (error || !skeleton->nr_shdrs)
		return error;
	if (skeleton->nr_shdrs > skeleton->file_bytes / layout->shdr_bytes)
		return -EILSEQ;
	error = read_part(skeleton, get(skeleton, skeleton->ehdr, layout->e_shoff),
			  skeleton->nr_shdrs * layout->shdr_bytes, max_bytes, &skeleton->shdrs);
	if (error || names_index == SHN_UNDEF)
		return error;
	if (names_index >= skeleton->nr_shdrs)
		return -EILSEQ;
	names = shdr_of(skeleton, names_index);
	skeleton->names_bytes = get(skeleton, names, layout->sh_size);
	return read_part(skeleton, get(skeleton, names, layout->sh_offset), skeleton->names_bytes,
			 max_bytes, &skeleton->names);
}

/* ---- plan ---- */

static bool begins_with_one_of(const char *name, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (!strncmp(name, *beginnings, strlen(*beginnings)))
			return true;
	return false;
}

/*
 * Returns whether the bytes of a section of this name are kept. To find the slots of a procedure
 * linkage table, libbfd uses the table's code, its relocations, the dynamic section, and on some
 * machines the global offset table or the stubs.
 */
static bool name_is_kept(const char *name)
{
	static const char *const beginnings[] = {
		".plt", ".iplt", ".got", ".opd", ".glink", ".gnu_debuglink", ".gnu_debugaltlink",
		NULL};

	return begins_with_one_of(name, beginnings);
}

static bool section_is_kept(const struct skeleton *skeleton, const uint8_t *shdr)
{
	uint64_t name = get(skeleton, shdr, skeleton->layout->sh_name);
	bool allocated = get(skeleton, shdr, skeleton->layout->sh_flags) & SHF_ALLOC;

	switch (get(skeleton, shdr, skeleton->layout->sh_type)) {
	case SHT_SYMTAB:
	case SHT_SYMTAB_SHNDX:
	case SHT_STRTAB:
	case SHT_DYNSYM:
	case SHT_DYNAMIC:
	case SHT_NOTE:
	case SHT_GNU_verdef:
	case SHT_GNU_verneed:
	case SHT_GNU_versym:
		return true;
	case SHT_REL:
	case SHT_RELA:
		return allocated;
	case SHT_NULL:
	case SHT_NOBITS:
		return false;
	default:
		return name < skeleton->names_bytes && name_is_kept(skeleton->names + name);
	}
}

static uint64_t align_up(uint64_t position)
{
	return (position + ALIGN_BYTES - 1) & ~(uint64_t)(ALIGN_BYTES - 1);
}

/*
 * Plans the copy of nr_bytes bytes at offset `from` of the binary. Sets *to to their offset in the
 * skeleton. Sums cannot wrap, since every piece lies within the file.
 */
static int add_piece(struct skeleton *skeleton, uint64_t from, uint64_t nr_bytes,
		     uint64_t max_bytes, uint64_t *to)
{
	if (!is_inside(skeleton, from, nr_bytes))
		return -EILSEQ;
	*to = align_up(skeleton->end);
	if (*to > max_bytes || nr_bytes > max_bytes - *to)
		return -EFBIG;
	skeleton->pieces[skeleton->nr_pieces++] = (struct skeleton_piece){from, *to, nr_bytes};
	skeleton->end = *to + nr_bytes;
	return 0;
}

static int plan_segment(struct skeleton *skeleton, uint8_t *phdr, uint64_t max_bytes)
{
	const struct layout *layout = skeleton->layout;
	uint64_t nr_bytes = get(skeleton, phdr, layout->p_filesz);
	uint64_t to;
	int error;

	if (get(skeleton, phdr, layout->p_type) != PT_NOTE || nr_bytes > NOTE_BYTES_MAX)
		return 0;
	error = add_piece(skeleton, get(skeleton, phdr, layout->p_offset), nr_bytes, max_bytes,
			  &to);
	if (!error)
		put(skeleton, phdr, layout->p_offset, to);
	return error;
}

static int plan_section(struct skeleton *skeleton, uint8_t *shdr, uint64_t max_bytes)
{
	const struct layout *layout = skeleton->layout;
	uint64_t flags = get(skeleton, shdr, layout->sh_flags);
	uint64_t to = 0;
	int error = 0;

	if (get(skeleton, shdr, layout->sh_type) == SHT_NULL)
		return 0;
	if (section_is_kept(skeleton, shdr)) {
		error = add_piece(skeleton, get(skeleton, shdr, layout->sh_offset),
				  get(skeleton, shdr, layout->sh_size), max_bytes, &to);
	} else {
		put(skeleton, shdr, layout->sh_type, SHT_NOBITS);
		put(skeleton, shdr, layout->sh_flags, flags & ~(uint64_t)SHF_COMPRESSED);
		to = skeleton->end;
	}
	put(skeleton, shdr, layout->sh_offset, to);
	return error;
}

/* Plans the skeleton's layout: ELF header, program headers, pieces, section headers. */
static int plan(struct skeleton *skeleton, uint64_t max_bytes)
{
	const struct layout *layout = skeleton->layout;
	uint64_t shdrs_bytes = skeleton->nr_shdrs * layout->shdr_bytes;
	uint64_t shdrs_at;
	int error = 0;

	skeleton->pieces = calloc((size_t)(skeleton->nr_phdrs + skeleton->nr_shdrs) + 1,
				  sizeof(*skeleton->pieces));
	if (!skeleton->pieces)
		return -ENOMEM;
	skeleton->end = align_up(layout->ehdr_bytes);
	put(skeleton, skeleton->ehdr, layout->e_phoff, skeleton->nr_phdrs ? skeleton->end : 0);
	skeleton->end += skeleton->nr_phdrs * layout->phdr_bytes;
	for (uint64_t i = 0; i < skeleton->nr_phdrs && !error; i++)
		error = plan_segment(skeleton, skeleton->phdrs + i * layout->phdr_bytes, max_bytes);
	for (uint64_t i = 0; i < skeleton->nr_shdrs && !error; i++)
		error = plan_section(skeleton, shdr_of(skeleton, i), max_bytes);
	shdrs_at = align_up(skeleton->end);
	if (!error && (shdrs_at > max_bytes || shdrs_bytes > max_bytes - shdrs_at))
		error = -EFBIG;
	put(skeleton, skeleton->ehdr, layout->e_shoff, skeleton->nr_shdrs ? shdrs_at : 0);
	return error;
}

/* ---- writing ---- */

/* Writes zeros from offset *written up to position, and sets *written to position. */
static int pad(int to, uint64_t *written, uint64_t position)
{
	static const uint8_t zeros[ALIGN_BYTES];
	uint64_t nr_bytes = position - *written;
	int error = file_write_all(to, zeros, (size_t)nr_bytes);

	*written = position;
	return error;
}

static int write_piece(const struct skeleton *skeleton, int to, const struct skeleton_piece *piece)
{
	uint8_t buffer[COPY_BYTES];
	uint64_t done = 0;
	int error = 0;

	while (!error && done < piece->nr_bytes) {
		uint64_t left = piece->nr_bytes - done;
		size_t nr_bytes = left < sizeof(buffer) ? (size_t)left : sizeof(buffer);
		ssize_t nr = file_pread_all(skeleton->from, buffer, nr_bytes,
					    (off_t)(piece->from + done));

		if (nr < 0 || (size_t)nr != nr_bytes)
			return nr < 0 ? (int)nr : -EILSEQ;
		error = file_write_all(to, buffer, nr_bytes);
		done += nr_bytes;
	}
	return error;
}

static int write_all(const struct skeleton *skeleton, int to)
{
	const struct layout *layout = skeleton->layout;
	uint64_t written = layout->ehdr_bytes;
	int error = file_write_all(to, skeleton->ehdr, layout->ehdr_bytes);

	if (!error)
		error = pad(to, &written, align_up(written));
	if (!error && skeleton->nr_phdrs)
		error = file_write_all(to, skeleton->phdrs,
				       (size_t)(skeleton->nr_phdrs * layout->phdr_bytes));
	written += skeleton->nr_phdrs * layout->phdr_bytes;
	for (size_t i = 0; i < skeleton->nr_pieces && !error; i++) {
		error = pad(to, &written, skeleton->pieces[i].to);
		if (!error)
			error = write_piece(skeleton, to, &skeleton->pieces[i]);
		written += skeleton->pieces[i].nr_bytes;
	}
	if (!error)
		error = pad(to, &written, align_up(written));
	if (!error && skeleton->nr_shdrs)
		error = file_write_all(to, skeleton->shdrs,
				       (size_t)(skeleton->nr_shdrs * layout->shdr_bytes));
	return error;
}

int elf_skeleton_write(int from, int to, uint64_t max_bytes)
{
	struct skeleton skeleton = {.from = from};
	struct stat st;
	int error;

	if (fstat(from, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	skeleton.file_bytes = (uint64_t)st.st_size;
	error = read_ehdr(&skeleton);
	if (!error)
		error = read_phdrs(&skeleton, max_bytes);
	if (!error)
		error = read_shdrs(&skeleton, max_bytes);
	if (!error)
		error = plan(&skeleton, max_bytes);
	if (!error)
		error = write_all(&skeleton, to);
	free(skeleton.phdrs);
	free(skeleton.shdrs);
	free(skeleton.names);
	free(skeleton.pieces);
	return error;
}
