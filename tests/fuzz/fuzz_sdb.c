// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged sample files. With the first byte 'r' the rest of the input is the file; otherwise the
 * rest is patches to a sound file: offset (3 bytes, little-endian), number of bytes (1), the bytes.
 * A file that passes the checker must load with the number of samples that the checker counted,
 * accept more samples, and pass again.
 */
#include "libdb/sdb.h"

#include "lib/file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];
static char *sound; /* the sound file's content */
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

/* Makes a file with all three tables, the narrow one with a directory. */
static void make_sound(void)
{
	const struct sdb_identity identity = {.event = "cpu-clock",
					      .app_path = "/bin/a",
					      .image_path = "/bin/b",
					      .image_kind = OPROF_IMAGE_FILE,
					      .flags = OPROF_SDB_WEIGHTED,
					      .period_or_hz = 1000};
	struct sdb *db;
	int fd;

	/* Use a file system in memory if possible: a disk is a hundred times slower. */
	(void)snprintf(path, sizeof(path), "%s/fuzz_sdb.XXXXXX",
		       access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	fd = mkstemp(path);
	must(fd >= 0);
	(void)close(fd);
	(void)atexit(remove_file);
	must(!sdb_catch_sigbus());
	must(!sdb_open(&db, path, &identity, NULL));
	for (uint64_t i = 0; i < 900; i++)
		must(!sdb_add(db, i * 8, 1));
	for (uint64_t i = 0; i < 90; i++)
		must(!sdb_add_weighted(db, (i + 1) << 40, 1, 3));
	sdb_close(db);
	must(!file_read_text(path, 1 << 24, &sound, &nr_sound));
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
	while (size > 4) {
		const size_t offset = (data[0] | data[1] << 8 | data[2] << 16) % nr_sound;
		size_t nr_bytes = data[3];

		data += 4;
		size -= 4;
		nr_bytes = nr_bytes > size ? size : nr_bytes;
		memcpy(bytes + offset, data,
		       nr_bytes > nr_sound - offset ? nr_sound - offset : nr_bytes);
		data += nr_bytes;
		size -= nr_bytes;
	}
	write_file(bytes, nr_sound);
	free(bytes);
}

/* Adds more keys than fit into a page. */
static void add_to(const struct sdb_image *image)
{
	const struct sdb_identity identity = {
		.event = image->event,
		.image = image->header.image,
		.image_kind = (enum oprof_image_kind)image->header.image_kind,
		.flags = image->header.flags,
		.key_kind = image->header.key_kind,
		.unit_mask = image->header.unit_mask,
		.period_or_hz = image->header.period_or_hz};
	struct sdb *db;

	if (sdb_open(&db, path, &identity, NULL))
		return;
	for (uint64_t i = 0; i < 600; i++) {
		(void)sdb_add(db, i * 24, 1);
		(void)sdb_add_weighted(db, i << 41, 1, 1);
	}
	sdb_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sdb_check_result result;
	struct sdb_image image;
	int check, load;

	if (!sound)
		make_sound();
	if (size && data[0] == 'r')
		write_file(data + 1, size - 1);
	else if (size)
		write_patched(data + 1, size - 1);
	else
		write_file("", 0);
	check = sdb_check(path, &result, NULL);
	load = sdb_image_load(path, &image, NULL);
	if (load)
		return must(check || !result.nr_keys), 0;
	if (!check && image.nr_samples != UINT64_MAX)
		must(image.nr_samples == result.nr_samples);
	add_to(&image);
	sdb_image_deinit(&image);
	if (!check)
		must(!sdb_check(path, &result, NULL));
	return 0;
}
