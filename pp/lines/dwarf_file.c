// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/dwarf_file.h"

#include <gelf.h>
#include <stdlib.h>
#include <zstd.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static const char *const names[NR_DWARF_SECTIONS] = {
	[DWARF_ABBREV] = "abbrev",     [DWARF_ADDR] = "addr",
	[DWARF_CU_INDEX] = "cu_index", [DWARF_INFO] = "info",
	[DWARF_LINE] = "line",	       [DWARF_LINE_STR] = "line_str",
	[DWARF_RANGES] = "ranges",     [DWARF_RNGLISTS] = "rnglists",
	[DWARF_STR] = "str",	       [DWARF_STR_OFFSETS] = "str_offsets",
};

/*
 * Returns the number of the section with this name: ".debug_NAME" or ".zdebug_NAME" (old
 * compression), with ".dwo" appended in split files. Returns -1 for other sections.
 */
static int section_of(const char *name, bool split, bool *old_compressed)
{
	*old_compressed = name[0] == '.' && name[1] == 'z';
	if (strncmp(name, *old_compressed ? ".zdebug_" : ".debug_", *old_compressed ? 8 : 7) != 0)
		return -1;
	name += *old_compressed ? 8 : 7;
	for (int i = 0; i < NR_DWARF_SECTIONS; i++) {
		size_t nr_bytes = strlen(names[i]);
		/* A package's index has no ".dwo" in its name. */
		const char *end = split && i != DWARF_CU_INDEX ? ".dwo" : "";

		if (!strncmp(name, names[i], nr_bytes) && !strcmp(name + nr_bytes, end))
			return i;
	}
	return -1;
}

/*
 * Maximum compression ratio. zlib cannot reach a higher ratio. zstd does not reach a higher ratio
 * with real debug information.
 */
#define RATIO_MAX 1100

/*
 * Returns the decompressed section in malloc'ed memory of *nr_bytes bytes; NULL if the data are
 * damaged or if out of memory.
 */
static uint8_t *decompress_zstd(Elf *elf, Elf_Scn *section, const GElf_Chdr *compressed,
				size_t *nr_bytes)
{
	size_t nr_header = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
	const Elf_Data *data = elf_rawdata(section, NULL);
	uint8_t *bytes;

	if (!data || !data->d_buf || data->d_size < nr_header || !compressed->ch_size)
		return NULL;
	bytes = malloc(compressed->ch_size);
	if (!bytes)
		return NULL;
	*nr_bytes = ZSTD_decompress(bytes, compressed->ch_size, (uint8_t *)data->d_buf + nr_header,
				    data->d_size - nr_header);
	if (*nr_bytes == compressed->ch_size)
		return bytes;
	free(bytes);
	return NULL;
}

/* Takes the section's bytes without a copy: they belong to libelf. */
static bool take_elf_data(struct dwarf_bytes *taken, Elf_Scn *section)
{
	const Elf_Data *data = elf_rawdata(section, NULL);

	if (data && data->d_buf && data->d_size)
		*taken = (struct dwarf_bytes){.bytes = data->d_buf, .nr_bytes = data->d_size};
	return true;
}

static bool take_compressed(struct dwarf_file *file, int number, Elf *elf, Elf_Scn *section,
			    const GElf_Shdr *header)
{
	struct dwarf_bytes *taken = &file->sections[number];
	GElf_Chdr compressed;

	if (!gelf_getchdr(section, &compressed) || compressed.ch_size / RATIO_MAX > header->sh_size)
		return false;
	if (compressed.ch_type != ELFCOMPRESS_ZSTD)
		return elf_compress(section, 0, 0) >= 0 && take_elf_data(taken, section);
	file->decompressed[number] = decompress_zstd(elf, section, &compressed, &taken->nr_bytes);
	taken->bytes = file->decompressed[number];
	if (!taken->bytes)
		taken->nr_bytes = 0;
	return taken->bytes != NULL;
}

/*
 * Takes a section with the old compression: a ".zdebug_" section begins with "ZLIB" and the
 * decompressed size.
 */
static bool take_old_compressed(struct dwarf_bytes *taken, Elf_Scn *section)
{
	const Elf_Data *data = elf_rawdata(section, NULL);
	const uint8_t *bytes = data ? data->d_buf : NULL;
	uint64_t nr_bytes = 0;

	if (!bytes || data->d_size < 12 || memcmp(bytes, "ZLIB", 4) != 0)
		return false;
	for (int i = 4; i < 12; i++)
		nr_bytes = nr_bytes << 8 | bytes[i];
	return nr_bytes / RATIO_MAX <= data->d_size && elf_compress_gnu(section, 0, 0) >= 0 &&
	       take_elf_data(taken, section);
}

static void take_section(struct dwarf_file *file, Elf *elf, Elf_Scn *section,
			 const GElf_Shdr *header, const char *name)
{
	bool old_compressed, whole;
	int number = section_of(name, file->split, &old_compressed);

	if (number < 0 || file->sections[number].bytes || header->sh_type == SHT_NOBITS)
		return;
	if (header->sh_flags & SHF_COMPRESSED)
		whole = take_compressed(file, number, elf, section, header);
	else if (old_compressed)
		whole = take_old_compressed(&file->sections[number], section);
	else
		whole = take_elf_data(&file->sections[number], section);
	file->undecompressed |= !whole;
}

static void take_alt_link(struct dwarf_file *file, Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	struct cursor cursor;

	if (!data || !data->d_buf)
		return;
	cursor = (struct cursor){.at = data->d_buf, .end = (uint8_t *)data->d_buf + data->d_size};
	file->alt_name = cursor_text(&cursor);
	if (cursor.failed || !*file->alt_name) {
		file->alt_name = NULL;
		return;
	}
	file->alt_id = cursor.at;
	file->alt_id_bytes = cursor_left(&cursor);
}

void dwarf_file_init(struct dwarf_file *file, Elf *elf, bool split)
{
	const char *ident = elf_getident(elf, NULL);
	bool big = ident && ident[EI_DATA] == ELFDATA2MSB;
	Elf_Scn *section = NULL;
	size_t name_index;

	*file = (struct dwarf_file){.split = split,
				    .swapped = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)};
	if (elf_getshdrstrndx(elf, &name_index))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, name_index, header.sh_name)
					   : NULL;

		if (name && !strcmp(name, ".gnu_debugaltlink"))
			take_alt_link(file, section);
		else if (name)
			take_section(file, elf, section, &header, name);
	}
}

void dwarf_file_deinit(struct dwarf_file *file)
{
	for (int i = 0; i < NR_DWARF_SECTIONS; i++)
		free(file->decompressed[i]);
	*file = (struct dwarf_file){.split = false};
}

struct dwarf_file dwarf_file_copy(const struct dwarf_file *file)
{
	struct dwarf_file copy = *file;

	for (int i = 0; i < NR_DWARF_SECTIONS; i++)
		copy.decompressed[i] = NULL;
	return copy;
}

struct cursor dwarf_file_at(const struct dwarf_file *file, enum dwarf_section section,
			    uint64_t offset)
{
	static const uint8_t nothing[1];
	const struct dwarf_bytes *bytes = &file->sections[section];
	const uint8_t *begin = bytes->bytes ? bytes->bytes : nothing;
	struct cursor cursor = {
		.at = begin, .end = begin + bytes->nr_bytes, .swapped = file->swapped};

	cursor_skip(&cursor, offset);
	return cursor;
}

const char *dwarf_file_text(const struct dwarf_file *file, enum dwarf_section section,
			    uint64_t offset)
{
	struct cursor cursor = dwarf_file_at(file, section, offset);

	return cursor_text(&cursor);
}
