// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged stack files. With the first byte 'r' the rest of the input is the file; otherwise the
 * rest is patches to a sound file: offset (2 bytes, little-endian), number of bytes (1), the bytes.
 * A file that passes the checker must open, accept more samples, and pass again with the sum of
 * both.
 */
#include "libdb/stacks/stack_file.h"

#include "lib/file.h"
#include "libdb/sdb.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];
static char *sound; /* the used part of the sound file */
static size_t nr_sound;

static void remove_file(void)
{
	(void)unlink(path);
}

static void must(bool held)
{
	if (!held)
		abort();
}

/* Adds a sample of a few frames; every failure must fill the diag. */
static int add_stack(struct stack_file *file, unsigned int i)
{
	const struct slice_section root = {.app = {.path = i % 2 ? "/bin/a" : "/bin/b"},
					   .event = "cpu-clock",
					   .period_or_hz = 1000,
					   .tgid = SAMPLE_NAME_ALL,
					   .tid = SAMPLE_NAME_ALL,
					   .cpu = SAMPLE_NAME_ALL,
					   .cgroup = i % 4 == 1 ? "/a.slice" : NULL};
	const struct stack_image image = {.path = {.kind = SAMPLE_PATH_ANON,
						   .path = i % 3 ? "[heap]" : "[stack]",
						   .tgid = 7,
						   .start = 4096,
						   .end = 8192},
					  .kind = OPROF_IMAGE_ANON,
					  .identity = {.build_id = {7}, .nr_build_id = i % 3 * 10}};
	int64_t node = stack_file_root(file, &root);
	const int64_t position = stack_file_image(file, &image);
	bool folded = false;

	if (position < 0)
		return (int)position;
	for (unsigned int depth = 0; depth < 1 + i % 5 && node > 0; depth++)
		node = stack_file_child(file, (uint32_t)node,
					(i + depth) % 7 ? (uint32_t)position : OPROF_STACK_UNKNOWN,
					i * depth % 9 * 48, &folded);
	return node < 0 ? (int)node : stack_file_add(file, (uint32_t)node, 1, 1000);
}

static void make_sound(void)
{
	struct stack_file *file;
	int fd;

	/* Use a file system in memory if possible: a disk is a hundred times slower. */
	(void)snprintf(path, sizeof(path), "%s/fuzz_stacks.XXXXXX",
		       access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	fd = mkstemp(path);
	must(fd >= 0);
	(void)close(fd);
	(void)atexit(remove_file);
	must(!sdb_catch_sigbus());
	must(!stack_file_open(&file, path, 3, 1 << 20, NULL));
	for (unsigned int i = 0; i < 30; i++)
		must(!add_stack(file, i));
	stack_file_close(file);
	must(!file_read_text(path, 1 << 20, &sound, &nr_sound));
	memcpy(&nr_sound, sound + 24, sizeof(uint64_t)); /* nr_bytes of the header */
}

static void write_file(const void *bytes, size_t nr_bytes)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	must(fd >= 0 && !file_write_all(fd, bytes, nr_bytes));
	(void)close(fd);
}

static void write_patched(const uint8_t *data, size_t size)
{
	char *bytes = malloc(nr_sound);

	if (!bytes)
		abort();
	memcpy(bytes, sound, nr_sound);
	while (size > 3) {
		const size_t offset = (size_t)(data[0] | data[1] << 8) % nr_sound;
		size_t nr_bytes = data[2];

		data += 3;
		size -= 3;
		nr_bytes = nr_bytes > size ? size : nr_bytes;
		memcpy(bytes + offset, data,
		       nr_bytes > nr_sound - offset ? nr_sound - offset : nr_bytes);
		data += nr_bytes;
		size -= nr_bytes;
	}
	write_file(bytes, nr_sound);
	/* The size is a whole number of pages, as a writer leaves it. */
	must(!truncate(path, (off_t)((nr_sound + 4095) / 4096 * 4096)));
	free(bytes);
}

static uint64_t nr_samples_of(const struct stack_tree *tree)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < tree->nr_roots; i++) {
		if (__builtin_add_overflow(nr, tree->roots[i].nr_samples, &nr))
			return UINT64_MAX;
	}
	return nr;
}

/* The file is sound: opens it and adds as many samples as the sound file has. */
static void add_to(uint64_t epoch, uint64_t nr_before)
{
	struct stack_file *file;
	struct stack_tree tree;
	uint64_t nr_now;

	if (stack_file_open(&file, path, epoch, 1 << 20, NULL))
		return; /* its last page is cut, or it is being emptied */
	for (unsigned int i = 0; i < 30; i++)
		must(!add_stack(file, i));
	stack_file_close(file);
	must(!stack_file_load(path, &tree, &epoch, NULL));
	nr_now = nr_samples_of(&tree);
	must(nr_now == UINT64_MAX || nr_now == nr_before + 30 || nr_before + 30 < nr_before);
	stack_tree_deinit(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stack_tree tree;
	uint64_t epoch, nr_samples;
	int check;

	if (!sound)
		make_sound();
	if (size && data[0] == 'r')
		write_file(data + 1, size - 1);
	else if (size)
		write_patched(data + 1, size - 1);
	else
		write_file("", 0);
	check = stack_file_check(path, NULL);
	must(check == stack_file_load(path, &tree, &epoch, NULL));
	if (check)
		return 0;
	nr_samples = nr_samples_of(&tree);
	stack_tree_deinit(&tree);
	add_to(epoch, nr_samples);
	return 0;
}
