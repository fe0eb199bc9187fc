// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damages an ELF file in place:
 *
 *   elf_mutate SEED FILE
 *   elf_mutate -i SEED FILE
 *
 * With -i the file is not damaged but gets another build-id: reports treat binaries with the same
 * build-id as one.
 *
 * The seed chooses the damage: a file that is cut, headers with wrong offsets, damaged symbol and
 * string tables, changed bytes in headers and in debug information. The modification time and the
 * mode of the file stay. Prints "sure" if every reader must notice the damage, "maybe" if the file
 * may still make sense.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTIONS_MAX 128

struct section {
	uint64_t offset, nr_bytes;
};

struct victim {
	const char *path;
	int fd;
	uint8_t *bytes;
	uint64_t nr_bytes;
	GElf_Ehdr header;
	struct section debug[SECTIONS_MAX]; /* all sections that are not loaded, symbols and strings
					       included */
	size_t nr_debug;
	struct section build_id; /* the note; size 0: there is none */
	uint64_t random;
};

static void __attribute__((noreturn)) fail(const char *path, const char *why)
{
	fprintf(stderr, "elf_mutate: %s: %s\n", path, why);
	exit(1);
}

/* splitmix64 */
static uint64_t next_random(struct victim *victim)
{
	uint64_t z = (victim->random += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t below(struct victim *victim, uint64_t limit)
{
	return limit ? next_random(victim) % limit : 0;
}

static void find_build_id(struct victim *victim, Elf *elf, const GElf_Shdr *header)
{
	size_t names;
	const char *name =
		elf_getshdrstrndx(elf, &names) ? NULL : elf_strptr(elf, names, header->sh_name);

	if (name && !strcmp(name, ".note.gnu.build-id"))
		victim->build_id =
			(struct section){.offset = header->sh_offset, .nr_bytes = header->sh_size};
}

static void list_sections(struct victim *victim, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
			find_build_id(victim, elf, &header);
		if (!gelf_getshdr(section, &header) || (header.sh_flags & SHF_ALLOC) ||
		    header.sh_type == SHT_NOBITS || !header.sh_size ||
		    victim->nr_debug == SECTIONS_MAX)
			continue;
		victim->debug[victim->nr_debug++] =
			(struct section){.offset = header.sh_offset, .nr_bytes = header.sh_size};
	}
}

static void open_victim(struct victim *victim, const char *path)
{
	struct stat status;
	Elf *elf;

	victim->path = path;
	victim->fd = open(path, O_RDWR | O_CLOEXEC);
	if (victim->fd < 0 || fstat(victim->fd, &status))
		fail(path, strerror(errno));
	victim->nr_bytes = (uint64_t)status.st_size;
	elf = elf_begin(victim->fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &victim->header))
		fail(path, "not an ELF file");
	list_sections(victim, elf);
	(void)elf_end(elf);
	victim->bytes =
		mmap(NULL, victim->nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, victim->fd, 0);
	if (victim->bytes == MAP_FAILED)
		fail(path, strerror(errno));
}

/* Changes the last 8 bytes of the build-id. */
static void change_build_id(struct victim *victim)
{
	uint64_t number = next_random(victim);

	if (victim->build_id.nr_bytes >= 16 + sizeof(number))
		memcpy(victim->bytes + victim->build_id.offset + victim->build_id.nr_bytes -
			       sizeof(number),
		       &number, sizeof(number));
}

/* ---- damage ---- */

static void spoil(struct victim *victim, uint64_t offset, uint64_t nr_bytes, uint64_t nr)
{
	for (uint64_t i = 0; nr_bytes && i < nr; i++)
		victim->bytes[offset + below(victim, nr_bytes)] = (uint8_t)next_random(victim);
}

/* Cuts the file before the section table, which is at the end. */
static bool cut(struct victim *victim)
{
	uint64_t end = victim->header.e_shoff ? victim->header.e_shoff : victim->nr_bytes / 2;

	if (ftruncate(victim->fd, (off_t)(64 + below(victim, end - 64))))
		fail(victim->path, strerror(errno));
	return true;
}

/* Moves both tables to offsets beyond the end of the file. */
static bool lose_tables(struct victim *victim)
{
	uint64_t nowhere = victim->nr_bytes + below(victim, 1 << 20);

	if (victim->header.e_ident[EI_CLASS] == ELFCLASS64) {
		memcpy(victim->bytes + offsetof(Elf64_Ehdr, e_shoff), &nowhere, 8);
	} else {
		uint32_t narrow = (uint32_t)nowhere;

		memcpy(victim->bytes + offsetof(Elf32_Ehdr, e_shoff), &narrow, 4);
	}
	return true;
}

static bool spoil_header(struct victim *victim)
{
	spoil(victim, EI_CLASS, sizeof(Elf64_Ehdr) - EI_CLASS, 1 + below(victim, 4));
	return false;
}

static bool spoil_section_table(struct victim *victim)
{
	spoil(victim, victim->header.e_shoff,
	      (uint64_t)victim->header.e_shnum * victim->header.e_shentsize, 1 + below(victim, 64));
	return false;
}

/* Damages one section, lightly or completely. */
static bool spoil_debug(struct victim *victim)
{
	const struct section *section;

	if (!victim->nr_debug)
		return spoil_section_table(victim);
	section = &victim->debug[below(victim, victim->nr_debug)];
	if (below(victim, 4))
		spoil(victim, section->offset, section->nr_bytes, 1 + below(victim, 64));
	else
		memset(victim->bytes + section->offset, (int)below(victim, 2) * 0xff,
		       section->nr_bytes);
	return false;
}

/* Damages all debug sections, a byte in a hundred. */
static bool spoil_all_debug(struct victim *victim)
{
	for (size_t i = 0; i < victim->nr_debug; i++)
		spoil(victim, victim->debug[i].offset, victim->debug[i].nr_bytes,
		      1 + victim->debug[i].nr_bytes / 100);
	return false;
}

/* Damages the file; returns whether every reader must notice. */
static bool damage(struct victim *victim)
{
	static bool (*const ways[])(struct victim *) = {
		cut,	     lose_tables, spoil_header,	  spoil_section_table,
		spoil_debug, spoil_debug, spoil_all_debug};

	return ways[below(victim, sizeof(ways) / sizeof(ways[0]))](victim);
}

int main(int argc, char **argv)
{
	static struct victim victim;
	bool only_id = argc == 4 && !strcmp(argv[1], "-i");
	const char *path = argv[argc - 1];
	struct stat before;

	if ((argc != 3 && !only_id) || stat(path, &before)) {
		fprintf(stderr, "usage: elf_mutate [-i] SEED FILE\n");
		return 2;
	}
	elf_version(EV_CURRENT);
	victim.random = strtoull(argv[argc - 2], NULL, 10);
	open_victim(&victim, path);
	if (only_id)
		change_build_id(&victim);
	else
		puts(damage(&victim) ? "sure" : "maybe");
	(void)munmap(victim.bytes, victim.nr_bytes);
	if (futimens(victim.fd, (struct timespec[]){before.st_atim, before.st_mtim}))
		fail(path, strerror(errno));
	(void)close(victim.fd);
	return 0;
}
