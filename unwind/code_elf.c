// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/code_elf.h"

#include "lib/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WINDOW_BYTES 65536u

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "binaries of the two machines are little-endian; structs of <elf.h> are read as they are"
#endif

int code_elf_read(const struct code_elf *elf, uint64_t offset, uint64_t nr_bytes, uint8_t **bytes)
{
	uint8_t *made;
	ssize_t nr;

	if (offset > elf->file_bytes || nr_bytes > elf->file_bytes - offset)
		return -EILSEQ;
	made = malloc((size_t)nr_bytes + 1);
	if (!made)
		return -ENOMEM;
	nr = file_pread_all(elf->fd, made, (size_t)nr_bytes, (off_t)offset);
	if (nr < 0 || (uint64_t)nr != nr_bytes) {
		free(made);
		return nr < 0 ? (int)nr : -EILSEQ;
	}
	made[nr_bytes] = 0;
	*bytes = made;
	return 0;
}

/*
 * Reads nr structs of `size` bytes each into malloc'ed memory. `part` is the address of a pointer
 * variable, which is set to this memory.
 */
static int read_array(const struct code_elf *elf, uint64_t offset, size_t nr, size_t size,
		      void *part)
{
	uint8_t *bytes;
	int error = code_elf_read(elf, offset, (uint64_t)nr * size, &bytes);

	if (!error)
		memcpy(part, &bytes, sizeof(bytes));
	return error;
}

static int read_ehdr(struct code_elf *elf, struct diag *diag)
{
	const Elf64_Ehdr *ehdr = &elf->ehdr;
	ssize_t nr = file_pread_all(elf->fd, &elf->ehdr, sizeof(elf->ehdr), 0);

	if (nr < 0)
		return diag_set(diag, (int)nr, "cannot be read: %s", strerror((int)-nr));
	if (nr < EI_NIDENT || memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0)
		return diag_set(diag, -ENOEXEC, "not an ELF file");
	if (ehdr->e_ident[EI_CLASS] != ELFCLASS64 || ehdr->e_ident[EI_DATA] != ELFDATA2LSB)
		return diag_set(diag, -ENOEXEC, "not made for a 64-bit little-endian machine");
	if ((size_t)nr < sizeof(*ehdr))
		return diag_set(diag, -EILSEQ, "the ELF header is truncated");
	if (ehdr->e_machine != EM_X86_64 && ehdr->e_machine != EM_AARCH64)
		return diag_set(diag, -ENOEXEC, "made for machine %u, not for x86-64 or AArch64",
				ehdr->e_machine);
	elf->machine = ehdr->e_machine == EM_X86_64 ? CODE_X86_64 : CODE_AARCH64;
	return 0;
}

static int read_phdrs(struct code_elf *elf, struct diag *diag)
{
	int error = 0;

	if (!elf->ehdr.e_phnum)
		return 0;
	if (elf->ehdr.e_phnum == PN_XNUM || elf->ehdr.e_phentsize != sizeof(*elf->phdrs))
		error = -EILSEQ;
	if (!error)
		error = read_array(elf, elf->ehdr.e_phoff, elf->ehdr.e_phnum, sizeof(*elf->phdrs),
				   &elf->phdrs);
	if (error)
		return diag_set(diag, error, "cannot read the program headers: %s",
				strerror(-error));
	elf->nr_phdrs = elf->ehdr.e_phnum;
	return 0;
}

/*
 * Gets the number of sections, and the index of the section that contains the sections' names. A
 * value that does not fit into 16 bits is in the header of section 0.
 */
static int count_shdrs(const struct code_elf *elf, uint64_t *nr, uint64_t *names_index)
{
	Elf64_Shdr *first;
	int error;

	*nr = elf->ehdr.e_shnum;
	*names_index = elf->ehdr.e_shstrndx;
	if (elf->ehdr.e_shentsize != sizeof(*first))
		return -EILSEQ;
	if (*nr && *names_index != SHN_XINDEX)
		return 0;
	error = read_array(elf, elf->ehdr.e_shoff, 1, sizeof(*first), &first);
	if (error)
		return error;
	if (!*nr)
		*nr = first->sh_size;
	if (*names_index == SHN_XINDEX)
		*names_index = first->sh_link;
	free(first);
	return *nr > elf->file_bytes / sizeof(*first) ? -EILSEQ : 0;
}

static int read_shdrs(struct code_elf *elf)
{
	const Elf64_Shdr *names;
	uint64_t names_index = 0;
	uint64_t nr = 0;
	uint8_t *bytes;
	int error = 0;

	if (!elf->ehdr.e_shoff)
		return 0;
	error = count_shdrs(elf, &nr, &names_index);
	if (error)
		return error;
	error = read_array(elf, elf->ehdr.e_shoff, (size_t)nr, sizeof(*elf->shdrs), &elf->shdrs);
	if (error)
		return error;
	elf->nr_shdrs = (size_t)nr;
	if (names_index == SHN_UNDEF)
		return 0;
	if (names_index >= nr)
		return -EILSEQ;
	names = &elf->shdrs[names_index];
	if (names->sh_type == SHT_NOBITS)
		return 0;
	error = code_elf_read(elf, names->sh_offset, names->sh_size, &bytes);
	if (error)
		return error;
	memcpy(&elf->names, &bytes, sizeof(bytes));
	elf->names_bytes = names->sh_size;
	return 0;
}

static int compare_codes(const void *a, const void *b)
{
	const struct code_elf_code *one = a, *two = b;

	return (one->start > two->start) - (one->start < two->start);
}

static bool is_in_file(const struct code_elf *elf, const Elf64_Phdr *phdr)
{
	return phdr->p_offset <= elf->file_bytes &&
	       phdr->p_filesz <= elf->file_bytes - phdr->p_offset &&
	       phdr->p_vaddr <= UINT64_MAX - phdr->p_filesz;
}

static bool holds_code(const Elf64_Phdr *phdr)
{
	return phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X) && phdr->p_filesz;
}

/* If two segments overlap, removes the common bytes from the later segment. */
static void keep_disjoint(struct code_elf *elf)
{
	size_t nr = 0;
	uint64_t end = 0;

	for (size_t i = 0; i < elf->nr_codes; i++) {
		struct code_elf_code code = elf->codes[i];

		if (code.end <= end)
			continue;
		if (code.start < end) {
			code.address += end - code.start;
			code.start = end;
		}
		end = code.end;
		elf->codes[nr++] = code;
	}
	elf->nr_codes = nr;
}

static int find_codes(struct code_elf *elf, struct diag *diag)
{
	elf->codes = calloc(elf->nr_phdrs + 1, sizeof(*elf->codes));
	if (!elf->codes)
		return diag_set(diag, -ENOMEM, "out of memory");
	for (size_t i = 0; i < elf->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &elf->phdrs[i];

		if (!holds_code(phdr))
			continue;
		if (!is_in_file(elf, phdr))
			return diag_set(diag, -EILSEQ,
					"segment %zu extends beyond the end of the file", i);
		elf->codes[elf->nr_codes++] = (struct code_elf_code){
			phdr->p_offset, phdr->p_offset + phdr->p_filesz, phdr->p_vaddr};
	}
	qsort(elf->codes, elf->nr_codes, sizeof(*elf->codes), compare_codes);
	keep_disjoint(elf);
	return 0;
}

int code_elf_init(struct code_elf *elf, int fd, struct diag *diag)
{
	struct stat st;
	int error;

	memset(elf, 0, sizeof(*elf));
	elf->fd = fd;
	if (fstat(fd, &st))
		return diag_set(diag, -errno, "cannot be read: %s", strerror(errno));
	elf->file_bytes = (uint64_t)st.st_size;
	error = read_ehdr(elf, diag);
	if (!error)
		error = read_phdrs(elf, diag);
	if (error)
		return error;
	error = read_shdrs(elf);
	if (error)
		return diag_set(diag, error, "cannot read the section headers: %s",
				strerror(-error));
	return find_codes(elf, diag);
}

void code_elf_deinit(struct code_elf *elf)
{
	free(elf->phdrs);
	free(elf->shdrs);
	free(elf->names);
	free(elf->codes);
	free(elf->window);
}

bool code_elf_key(const struct code_elf *elf, uint64_t address, uint64_t *key)
{
	for (size_t i = 0; i < elf->nr_codes; i++) {
		const struct code_elf_code *code = &elf->codes[i];

		if (address >= code->address && address - code->address < code->end - code->start) {
			*key = code->start + (address - code->address);
			return true;
		}
	}
	return false;
}

const Elf64_Shdr *code_elf_section(const struct code_elf *elf, const char *name, size_t *index)
{
	while (*index < elf->nr_shdrs) {
		const Elf64_Shdr *shdr = &elf->shdrs[(*index)++];

		if (shdr->sh_type != SHT_NULL && shdr->sh_name < elf->names_bytes &&
		    !strcmp(elf->names + shdr->sh_name, name))
			return shdr;
	}
	return NULL;
}

const Elf64_Phdr *code_elf_segment(const struct code_elf *elf, uint64_t address)
{
	for (size_t i = 0; i < elf->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &elf->phdrs[i];

		if (phdr->p_type == PT_LOAD && is_in_file(elf, phdr) && address >= phdr->p_vaddr &&
		    address - phdr->p_vaddr < phdr->p_filesz)
			return phdr;
	}
	return NULL;
}

const uint8_t *code_elf_peek(struct code_elf *elf, uint64_t key, size_t nr_bytes)
{
	ssize_t nr;

	if (key >= elf->window_start && key <= elf->window_end && nr_bytes <= elf->window_end - key)
		return elf->window + (key - elf->window_start);
	if (!elf->window)
		elf->window = malloc(WINDOW_BYTES);
	if (!elf->window) {
		elf->peek_error = -ENOMEM;
		return NULL;
	}
	nr = file_pread_all(elf->fd, elf->window, WINDOW_BYTES, (off_t)key);
	elf->window_start = key;
	elf->window_end = key + (nr > 0 ? (uint64_t)nr : 0);
	if (nr < 0)
		elf->peek_error = (int)nr;
	return nr > 0 && (uint64_t)nr >= nr_bytes ? elf->window : NULL;
}
