// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a session without profiling: sample files for any ELF files with code, written by libdb.
 *
 *   session_make [-a APP] [-e EVENT] [-c COUNT] [-k KEYS] [-s] [-t TID] SESSION_DIR FILE...
 *
 * Each FILE gets KEYS keys (default 256) spread evenly over its executable sections, with 1 to 7
 * samples each. With -s it gets one key at the start of each of its functions instead. With -a the
 * files are dependent images of APP, not applications. Prints "FILE NR_KEYS NR_SAMPLES" for each
 * file. The same arguments make the same session; the samples of several calls add up.
 */
#include "lib/buildid.h"
#include "lib/diag.h"
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PERIOD 1000000

struct options {
	const char *app; /* or NULL */
	const char *event;
	uint64_t period;
	uint64_t nr_keys;
	int64_t tid; /* of a process with the same number; or SAMPLE_NAME_ALL */
	bool by_symbol;
};

/* One file for which samples are made. */
struct target {
	const struct options *options;
	char path[PATH_MAX];
	struct oprof_image_identity identity;
	Elf *elf;
	struct sdb *db;
	uint64_t nr_keys, nr_samples;
};

static void __attribute__((noreturn)) fail(const char *what, const char *why)
{
	fprintf(stderr, "session_make: %s: %s\n", what, why);
	exit(1);
}

/* ---- the sample file ---- */

static void identify(struct target *target, int fd)
{
	struct oprof_image_identity *identity = &target->identity;
	struct stat status;
	struct buildid id;

	if (fstat(fd, &status))
		fail(target->path, strerror(errno));
	identity->dev = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev);
	identity->inode = status.st_ino;
	identity->size_bytes = (uint64_t)status.st_size;
	identity->mtime_ns = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
	if (buildid_read_fd(fd, &id))
		return;
	memcpy(identity->build_id, id.bytes, id.nr_bytes);
	identity->nr_build_id = id.nr_bytes;
}

static void name_target(const struct target *target, struct sample_name *name)
{
	const struct options *options = target->options;

	*name = (struct sample_name){.app = {.kind = SAMPLE_PATH_ROOT},
				     .image = {.kind = SAMPLE_PATH_ROOT},
				     .period_or_hz = options->period,
				     .tgid = options->tid,
				     .tid = options->tid,
				     .cpu = SAMPLE_NAME_ALL,
				     .cgroup = SAMPLE_NAME_ALL,
				     .identity = sample_identity(&target->identity)};
	(void)snprintf(name->event, sizeof(name->event), "%s", options->event);
	(void)snprintf(name->image.path, sizeof(name->image.path), "%s", target->path);
	(void)snprintf(name->app.path, sizeof(name->app.path), "%s",
		       options->app ? options->app : target->path);
}

static void open_samples(struct target *target, const char *session_dir)
{
	static struct sample_name name; /* too large for the stack */
	static char text[2 * PATH_MAX], path[3 * PATH_MAX];
	struct sdb_identity identity = {.event = target->options->event,
					.cpu_type = "session_make",
					.host = "testhost",
					.app_path = target->options->app ? target->options->app
									 : target->path,
					.image_path = target->path,
					.image = target->identity,
					.image_kind = OPROF_IMAGE_FILE,
					.period_or_hz = target->options->period};
	struct diag diag;
	int error;

	name_target(target, &name);
	if (sample_name_format(&name, text, sizeof(text)))
		fail(target->path, "no name of a sample file");
	(void)snprintf(path, sizeof(path), "%s/samples/current/%s", session_dir, text);
	error = file_make_parent_dirs(path, 0700);
	if (error)
		fail(path, strerror(-error));
	diag_clear(&diag);
	if (sdb_open(&target->db, path, &identity, &diag))
		fail(path, diag.text);
}

/* The number of samples depends only on the key. */
static void add(struct target *target, uint64_t key)
{
	uint64_t nr = 1 + (key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % 7;
	int error = sdb_add(target->db, key, nr);

	if (error)
		fail(target->path, strerror(-error));
	target->nr_keys++;
	target->nr_samples += nr;
}

/* ---- keys ---- */

static bool is_code(const GElf_Shdr *header)
{
	return header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_EXECINSTR) &&
	       header->sh_size;
}

static uint64_t code_bytes(const struct target *target)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	uint64_t nr = 0;

	while ((section = elf_nextscn(target->elf, section)))
		if (gelf_getshdr(section, &header) && is_code(&header))
			nr += header.sh_size;
	return nr;
}

static void add_spread(struct target *target)
{
	uint64_t nr_bytes = code_bytes(target), nr_keys = target->options->nr_keys;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	uint64_t begin = 0; /* of this section, in bytes of code */
	uint64_t i = 0;

	if (nr_keys > nr_bytes)
		nr_keys = nr_bytes;
	while ((section = elf_nextscn(target->elf, section))) {
		if (!gelf_getshdr(section, &header) || !is_code(&header))
			continue;
		for (; i < nr_keys; i++) {
			uint64_t at = (uint64_t)((unsigned __int128)i * nr_bytes / nr_keys);

			if (at - begin >= header.sh_size)
				break;
			add(target, header.sh_offset + at - begin);
		}
		begin += header.sh_size;
	}
}

static void add_symbol(struct target *target, const GElf_Sym *sym)
{
	Elf_Scn *section = elf_getscn(target->elf, sym->st_shndx);
	GElf_Shdr header;

	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC || !section || !gelf_getshdr(section, &header) ||
	    !is_code(&header) || sym->st_value - header.sh_addr >= header.sh_size)
		return;
	add(target, header.sh_offset + (sym->st_value - header.sh_addr));
}

static void add_symbols(struct target *target)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(target->elf, section))) {
		Elf_Data *data;
		GElf_Sym sym;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 1; data && gelf_getsym(data, i, &sym); i++)
			add_symbol(target, &sym);
	}
}

static void make_target(const struct options *options, const char *session_dir, const char *path)
{
	static struct target target; /* too large for the stack */
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	target = (struct target){.options = options};
	if (fd < 0 || !realpath(path, target.path))
		fail(path, strerror(errno));
	identify(&target, fd);
	target.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!target.elf || elf_kind(target.elf) != ELF_K_ELF)
		fail(path, "not an ELF file");
	open_samples(&target, session_dir);
	if (options->by_symbol)
		add_symbols(&target);
	else
		add_spread(&target);
	sdb_close(target.db);
	(void)elf_end(target.elf);
	(void)close(fd);
	printf("%s %" PRIu64 " %" PRIu64 "\n", target.path, target.nr_keys, target.nr_samples);
}

/* ---- the command line ---- */

static uint64_t number_of(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (*end || !value)
		fail(text, "not a number above 0");
	return value;
}

static void parse_options(int argc, char **argv, struct options *options)
{
	int letter;

	while ((letter = getopt(argc, argv, "a:e:c:k:st:")) >= 0) {
		if (letter == 'a')
			options->app = optarg;
		else if (letter == 'e')
			options->event = optarg;
		else if (letter == 'c')
			options->period = number_of(optarg);
		else if (letter == 'k')
			options->nr_keys = number_of(optarg);
		else if (letter == 's')
			options->by_symbol = true;
		else if (letter == 't')
			options->tid = (int64_t)number_of(optarg);
		else
			exit(2);
	}
}

int main(int argc, char **argv)
{
	struct options options = {
		.event = "cpu-clock", .period = PERIOD, .nr_keys = 256, .tid = SAMPLE_NAME_ALL};

	parse_options(argc, argv, &options);
	if (argc - optind < 2) {
		fprintf(stderr, "usage: session_make [-a APP] [-e EVENT] [-c COUNT] [-k KEYS] "
				"[-s] [-t TID] SESSION_DIR FILE...\n");
		return 2;
	}
	elf_version(EV_CURRENT);
	for (int i = optind + 1; i < argc; i++)
		make_target(&options, argv[optind], argv[i]);
	return 0;
}
