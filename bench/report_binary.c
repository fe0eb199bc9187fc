// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/report_binary.h"

#include "bench/bench.h"
#include "lib/buildid.h"
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Change the name when the generated program changes, so that an old program in
 * the cache is not used.
 */
#define NAME	     "report-24mb-1"
#define NR_FILES     48
#define NR_FUNCTIONS 248 /* functions in each file */

/* ---- generating ---- */

static unsigned int random_below(uint64_t *state, unsigned int limit)
{
	return (unsigned int)(bench_random(state) % limit);
}

static void write_struct(FILE *file, unsigned int number, uint64_t *state)
{
	unsigned int nr_members = 3 + random_below(state, 6);

	fprintf(file, "struct s%u {\n", number);
	for (unsigned int i = 0; i < nr_members; i++)
		fprintf(file, "\tlong member_%u_%u;\n", number, i);
	fprintf(file, "\tint array_%u[%u];\n};\n", number, 1 + random_below(state, 16));
}

static void write_statement(FILE *file, unsigned int number, uint64_t *state)
{
	unsigned int a = random_below(state, 1000), b = 1 + random_below(state, 30);

	switch (random_below(state, 4)) {
	case 0:
		fprintf(file, "\tlong v%u_%u = x * %u + p->member_%u_0;\n\tx ^= v%u_%u >> %u;\n", a,
			number, a, number, a, number, b);
		break;
	case 1:
		fprintf(file, "\tif (x & %u)\n\t\tp->member_%u_1 += x - %u;\n", a + 1, number, b);
		break;
	case 2:
		fprintf(file, "\tfor (int i = 0; i < %u; i++)\n\t\tx += p->array_%u[0] ^ i;\n", b,
			number);
		break;
	default:
		fprintf(file, "\tp->member_%u_2 = x %% %u;\n", number, a + 2);
		break;
	}
}

static void write_function(FILE *file, unsigned int number, uint64_t *state)
{
	unsigned int nr_statements = 6 + random_below(state, 28);

	write_struct(file, number, state);
	fprintf(file, "%slong function_%u(struct s%u *p, long x)\n{\n",
		random_below(state, 3) ? "" : "__attribute__((used)) static ", number, number);
	for (unsigned int i = 0; i < nr_statements; i++) {
		fputs("\t{\n", file);
		write_statement(file, number, state);
		fputs("\t}\n", file);
	}
	fputs("\treturn x;\n}\n", file);
}

static void write_source(const char *folder, unsigned int index)
{
	uint64_t state = index + 1;
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u.c", folder, index);
	file = fopen(path, "w");
	if (!file)
		bench_fail(path, errno);
	for (unsigned int i = 0; i < NR_FUNCTIONS; i++)
		write_function(file, index * NR_FUNCTIONS + i, &state);
	if (!index)
		fputs("int main(void) { return 0; }\n", file);
	if (ferror(file) || fclose(file))
		bench_fail(path, EIO);
}

void report_binary_write_sources(const char *folder)
{
	for (unsigned int i = 0; i < NR_FILES; i++)
		write_source(folder, i);
}

static void build(const char *cache)
{
	char folder[PATH_MAX - 64], command[2 * PATH_MAX];

	fprintf(stderr, "# building a binary of 24 MB, once: %s/%s\n", cache, NAME);
	snprintf(folder, sizeof(folder), "%s/build.XXXXXX", cache);
	if (!mkdtemp(folder))
		bench_fail(folder, errno);
	report_binary_write_sources(folder);
	snprintf(command, sizeof(command),
		 "cd '%s' && ls *.c | xargs -n 4 -P 2 ${CC:-cc} -g -O0 -w -c && "
		 "${CC:-cc} -g -Wl,--build-id -o all *.o && mv all '%s/%s'",
		 folder, cache, NAME);
	if (system(command) != 0)
		bench_fail("compiling", EIO);
	(void)file_remove_tree(folder);
}

/* ---- properties of the program ---- */

static void find_text(struct report_binary *binary, Elf *elf)
{
	size_t names;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (elf_getshdrstrndx(elf, &names))
		bench_fail(binary->path, ENOEXEC);
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (!name || strcmp(name, ".text") != 0)
			continue;
		binary->text_offset = header.sh_offset;
		binary->text_bytes = header.sh_size;
		return;
	}
	bench_fail("no .text", ENOEXEC);
}

static void measure(struct report_binary *binary)
{
	int fd = open(binary->path, O_RDONLY | O_CLOEXEC);
	struct buildid id;
	struct stat status;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (!elf || fstat(fd, &status) || buildid_read_fd(fd, &id))
		bench_fail(binary->path, ENOEXEC);
	binary->file_bytes = (uint64_t)status.st_size;
	binary->identity.size_bytes = binary->file_bytes;
	binary->identity.inode = status.st_ino;
	memcpy(binary->identity.build_id, id.bytes, id.nr_bytes);
	binary->identity.nr_build_id = id.nr_bytes;
	find_text(binary, elf);
	elf_end(elf);
	close(fd);
}

static void find_cache(char *cache, size_t nr_bytes)
{
	const char *top = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int error;

	if (top && top[0] == '/')
		snprintf(cache, nr_bytes, "%s/oprof/bench", top);
	else
		snprintf(cache, nr_bytes, "%s/.cache/oprof/bench", home ? home : "/tmp");
	error = file_make_dirs(cache, 0755);
	if (error)
		bench_fail(cache, error);
}

void report_binary_open(struct report_binary *binary)
{
	char cache[PATH_MAX / 2];

	*binary = (struct report_binary){.file_bytes = 0};
	find_cache(cache, sizeof(cache));
	snprintf(binary->path, sizeof(binary->path), "%s/%s", cache, NAME);
	if (access(binary->path, R_OK))
		build(cache);
	measure(binary);
}
