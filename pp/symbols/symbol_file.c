// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_file.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_segments(struct symbol_file *file)
{
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr))
		return -EILSEQ;
	file->segments = calloc(nr + 1, sizeof(*file->segments));
	if (!file->segments)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(file->elf, (int)i, &header))
			return -EILSEQ;
		if (header.p_type != PT_LOAD || header.p_filesz > UINT64_MAX - header.p_vaddr ||
		    header.p_filesz > UINT64_MAX - header.p_offset)
			continue;
		file->segments[file->nr_segments++] =
			(struct symbol_segment){.start = header.p_vaddr,
						.end = header.p_vaddr + header.p_filesz,
						.offset = header.p_offset};
	}
	return 0;
}

static void note_section(struct symbol_file *file, Elf_Scn *section, const GElf_Shdr *header,
			 const char *name)
{
	if (header->sh_type == SHT_SYMTAB && !file->symtab)
		file->symtab = section;
	else if (header->sh_type == SHT_DYNSYM && !file->dynsym)
		file->dynsym = section;
	else if (!strcmp(name, ".gnu_debuglink") && header->sh_type == SHT_PROGBITS)
		file->debuglink = section;
}

static int read_section(struct symbol_file *file, size_t index, size_t name_index)
{
	Elf_Scn *section = elf_getscn(file->elf, index);
	struct symbol_section *kept = &file->sections[index];
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header))
		return -EILSEQ;
	kept->name = elf_strptr(file->elf, name_index, header.sh_name);
	if (!kept->name)
		kept->name = "";
	if ((header.sh_flags & SHF_ALLOC) && header.sh_size <= UINT64_MAX - header.sh_addr) {
		kept->start = header.sh_addr;
		kept->end = header.sh_addr + header.sh_size;
		kept->executable = header.sh_flags & SHF_EXECINSTR;
	}
	note_section(file, section, &header, kept->name);
	return 0;
}

static int read_sections(struct symbol_file *file)
{
	GElf_Ehdr header;
	size_t nr, name_index;
	int error = 0;

	if (elf_getshdrnum(file->elf, &nr) || !gelf_getehdr(file->elf, &header))
		return -EILSEQ;
	if (!nr) /* libelf also reports 0 sections if the table is beyond the end of the file */
		return header.e_shoff ? -EILSEQ : 0;
	if (elf_getshdrstrndx(file->elf, &name_index))
		return -EILSEQ;
	file->sections = calloc(nr, sizeof(*file->sections));
	if (!file->sections)
		return -ENOMEM;
	file->sections[0].name = "";
	file->nr_sections = nr;
	for (size_t i = 1; !error && i < nr; i++)
		error = read_section(file, i, name_index);
	return error;
}

static int read_headers(struct symbol_file *file)
{
	GElf_Ehdr header;
	int error;

	if (elf_kind(file->elf) != ELF_K_ELF)
		return -ENOEXEC;
	if (!gelf_getehdr(file->elf, &header))
		return -EILSEQ;
	file->machine = header.e_machine;
	/* A build-id is optional. */
	if (file->fd < 0 || buildid_read_fd(file->fd, &file->build_id))
		file->build_id.nr_bytes = 0;
	error = read_segments(file);
	if (!error)
		error = read_sections(file);
	return error;
}

/* The caller must have set fd, memory and elf. */
static int open_headers(struct symbol_file *file, const char *path)
{
	int error = -ENOMEM;

	file->path = strdup(path);
	if (file->path && file->elf)
		error = read_headers(file);
	else if (file->path)
		error = -ENOEXEC;
	if (error)
		symbol_file_close(file);
	return error;
}

int symbol_file_open(struct symbol_file *file, int fd, const char *path)
{
	*file = (struct symbol_file){.fd = fd};
	elf_version(EV_CURRENT);
	file->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	return open_headers(file, path);
}

int symbol_file_open_memory(struct symbol_file *file, void *bytes, size_t nr_bytes,
			    const char *path)
{
	*file = (struct symbol_file){.fd = -1, .memory = bytes};
	elf_version(EV_CURRENT);
	file->elf = elf_memory(bytes, nr_bytes);
	return open_headers(file, path);
}

void symbol_file_close(struct symbol_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->memory);
	free(file->path);
	free(file->segments);
	free(file->sections);
	*file = (struct symbol_file){.fd = -1};
}

Elf_Data *symbol_file_debuglink(const struct symbol_file *file)
{
	return file->debuglink ? elf_rawdata(file->debuglink, NULL) : NULL;
}

const struct symbol_section *symbol_file_section(const struct symbol_file *file, const char *name)
{
	for (size_t i = 1; i < file->nr_sections; i++)
		if (!strcmp(file->sections[i].name, name))
			return &file->sections[i];
	return NULL;
}

bool symbol_file_place(const struct symbol_file *file, uint64_t address, uint64_t address_limit,
		       struct listed_symbol *symbol)
{
	if (file->by_address && address < file->key_address)
		return false;
	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct symbol_segment *segment = &file->segments[i];

		if (address < segment->start || address >= segment->end)
			continue;
		if (address_limit > segment->end)
			address_limit = segment->end;
		symbol->address = address;
		symbol->start = segment->offset + (address - segment->start);
		if (file->by_address)
			symbol->start = address - file->key_address;
		symbol->limit = symbol->start + (address_limit - address);
		return true;
	}
	return false;
}

uint64_t symbol_file_bias(const struct symbol_file *image, const struct symbol_file *debug)
{
	for (size_t i = 1; i < image->nr_sections; i++) {
		const struct symbol_section *ours = &image->sections[i], *theirs;

		if (!ours->executable || !ours->name[0])
			continue;
		theirs = symbol_file_section(debug, ours->name);
		if (theirs && theirs->executable)
			return ours->start - theirs->start;
	}
	return 0;
}

/*
 * Returns the segment that contains key, or NULL. *within becomes the offset of key in the segment.
 */
static const struct symbol_segment *segment_of(const struct symbol_file *file, uint64_t key,
					       uint64_t *within)
{
	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct symbol_segment *segment = &file->segments[i];
		uint64_t begin =
			file->by_address ? segment->start - file->key_address : segment->offset;

		*within = key - begin;
		if (*within < segment->end - segment->start)
			return segment;
	}
	return NULL;
}

bool symbol_file_address(const struct symbol_file *file, uint64_t key, uint64_t *address)
{
	uint64_t within;
	const struct symbol_segment *segment = segment_of(file, key, &within);

	if (segment)
		*address = segment->start + within;
	return segment != NULL;
}

bool symbol_file_offset(const struct symbol_file *file, uint64_t key, uint64_t *offset,
			uint64_t *nr_bytes)
{
	uint64_t within;
	const struct symbol_segment *segment = segment_of(file, key, &within);

	if (!segment)
		return false;
	*offset = segment->offset + within;
	*nr_bytes = segment->end - segment->start - within;
	return true;
}

/* ---- symbols ---- */

/* A table of symbols while it is being read. */
struct table_reading {
	const struct symbol_file *image;
	const struct symbol_file *from;
	uint64_t bias;
	const char *strings; /* ends with a NUL */
	size_t strings_bytes;
	struct symbol_list *list;
};

/*
 * Returns whether a symbol only marks where code or data begins. Assemblers write such symbols on
 * Arm and RISC-V: $x, $d.3.
 */
static bool name_is_mapping_mark(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || name[2] == '.' || name[1] == 'x');
}

static bool name_is_junk(const char *name)
{
	return !name[0] || (name[0] == '.' && name[1] == 'L') || name_is_mapping_mark(name);
}

/*
 * Returns a symbol's section, or NULL. For SHN_XINDEX, finds the section by address; symbols with
 * other reserved indexes have no section.
 */
static const struct symbol_section *section_of(const struct symbol_file *file, const GElf_Sym *sym)
{
	if (sym->st_shndx == SHN_UNDEF)
		return NULL;
	if (sym->st_shndx < file->nr_sections && sym->st_shndx < SHN_LORESERVE)
		return &file->sections[sym->st_shndx];
	if (sym->st_shndx != SHN_XINDEX)
		return NULL;
	for (size_t i = 1; i < file->nr_sections; i++)
		if (sym->st_value >= file->sections[i].start &&
		    sym->st_value < file->sections[i].end)
			return &file->sections[i];
	return NULL;
}

static bool sort_of(const GElf_Sym *sym, uint16_t *sort)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	*sort = type == STT_NOTYPE ? SYMBOL_SORT_LABEL : SYMBOL_SORT_FUNCTION;
	return type == STT_NOTYPE || type == STT_FUNC || type == STT_GNU_IFUNC;
}

static uint16_t binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return SYMBOL_BINDING_LOCAL;
	case STB_WEAK:
		return SYMBOL_BINDING_WEAK;
	default:
		return SYMBOL_BINDING_GLOBAL;
	}
}

/*
 * Returns the length of a name without its version, such as "@@GLIBC_2.14" in "memcpy@@GLIBC_2.14".
 */
static uint32_t name_bytes_of(const char *name)
{
	return (uint32_t)(1 + strcspn(name + 1, "@"));
}

static int add_symbol(const struct table_reading *table, const GElf_Sym *sym)
{
	const struct symbol_section *section = section_of(table->from, sym);
	struct listed_symbol symbol = {.binding = binding_of(sym)};
	uint64_t address = sym->st_value;

	if (!section || !section->executable || !sort_of(sym, &symbol.sort))
		return 0;
	if (sym->st_name >= table->strings_bytes)
		return -EILSEQ;
	symbol.name = table->strings + sym->st_name;
	if (name_is_junk(symbol.name))
		return 0;
	if (table->image->machine == EM_ARM) /* bit 0 marks Thumb code */
		address &= ~UINT64_C(1);
	if (address < section->start || address >= section->end ||
	    !symbol_file_place(table->image, address + table->bias, section->end + table->bias,
			       &symbol))
		return 0;
	symbol.end = symbol.limit;
	if (sym->st_size < symbol.limit - symbol.start)
		symbol.end = symbol.start + sym->st_size;
	symbol.name_bytes = name_bytes_of(symbol.name);
	return symbol_list_add(table->list, &symbol);
}

static int open_strings(struct table_reading *table, size_t index)
{
	Elf_Scn *section = elf_getscn(table->from->elf, index);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;

	if (!data || !data->d_buf || !data->d_size)
		return -EILSEQ;
	table->strings = data->d_buf;
	table->strings_bytes = data->d_size;
	return table->strings[data->d_size - 1] ? -EILSEQ : 0;
}

static int add_symbols(const struct table_reading *table, Elf_Data *data, size_t nr)
{
	int result = 0;

	for (size_t i = 1; i < nr; i++) {
		GElf_Sym sym;
		int error = gelf_getsym(data, (int)i, &sym) ? add_symbol(table, &sym) : -EILSEQ;

		if (error == -ENOMEM)
			return error;
		if (error)
			result = error;
	}
	return result;
}

int symbol_file_list(const struct symbol_file *image, const struct symbol_file *from, Elf_Scn *scn,
		     uint64_t bias, struct symbol_list *list)
{
	struct table_reading table = {.image = image, .from = from, .bias = bias, .list = list};
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t symbol_bytes = gelf_fsize(from->elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Shdr header;
	int error;

	if (!data || !data->d_buf || !symbol_bytes || !gelf_getshdr(scn, &header))
		return -EILSEQ;
	error = open_strings(&table, header.sh_link);
	return error ? error : add_symbols(&table, data, data->d_size / symbol_bytes);
}
