// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_sdb.h"

#include "lib/file.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void make_sdb_init(struct make_sdb *make)
{
	const char *where = getenv("TMPDIR");

	memset(make, 0, sizeof(*make));
	(void)snprintf(make->folder, sizeof(make->folder), "%s/test_sdb.XXXXXX",
		       where ? where : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(make->folder));
	(void)snprintf(make->path, sizeof(make->path), "%s/file", make->folder);
	make->identity = (struct sdb_identity){.event = "cpu-clock",
					       .cpu_type = "timer",
					       .host = "here",
					       .app_path = "/usr/bin/app",
					       .image_path = "/usr/lib/libimage.so",
					       .image = {.build_id = {1, 2, 3}, .nr_build_id = 20},
					       .image_kind = OPROF_IMAGE_FILE,
					       .unit_mask = 5,
					       .period_or_hz = 1000};
}

void make_sdb_deinit(struct make_sdb *make)
{
	(void)file_remove_tree(make->folder);
	expected_deinit(&make->expected);
}

struct sdb *make_sdb_open(const struct make_sdb *make)
{
	struct sdb *db = NULL;
	struct diag diag;
	int error = sdb_open(&db, make->path, &make->identity, &diag);

	ck_assert_msg(!error, "%s", diag_show(&diag));
	return db;
}

void make_sdb_add(struct make_sdb *make, struct sdb *db, uint64_t key, uint64_t nr_samples)
{
	ck_assert_int_eq(sdb_add(db, key, nr_samples), 0);
	expected_add(&make->expected, key, nr_samples, 0);
}

uint64_t make_sdb_random(struct make_sdb *make)
{
	uint64_t z = make->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t make_sdb_key(struct make_sdb *make, enum key_pattern pattern, uint64_t i)
{
	switch (pattern) {
	case KEYS_SEQUENTIAL:
		return i;
	case KEYS_ALIGNED:
		return 16 * i;
	case KEYS_PAGES:
		return i << 12;
	case KEYS_NODES:
		return (i / 7 + 1) << 32 | (i % 7 + 1);
	default:
		return make_sdb_random(make) >> 24;
	}
}

/* ---- what should be there ---- */

void expected_add(struct expected *expected, uint64_t key, uint64_t nr_samples, uint64_t weight)
{
	if (expected->nr_adds == expected->room) {
		expected->room = expected->room ? 2 * expected->room : 1024;
		expected->adds = realloc(expected->adds, expected->room * sizeof(*expected->adds));
		ck_assert_ptr_nonnull(expected->adds);
	}
	expected->adds[expected->nr_adds++] = (struct expected_add){key, nr_samples, weight};
}

void expected_deinit(struct expected *expected)
{
	free(expected->adds);
	memset(expected, 0, sizeof(*expected));
}

static int compare_adds(const void *a, const void *b)
{
	const struct expected_add *left = a, *right = b;

	return (left->key > right->key) - (left->key < right->key);
}

/* Sum up what was added to each key, by ascending key. */
static struct expected_add *expected_sums(const struct expected *expected, size_t *nr_keys)
{
	struct expected_add *sums = malloc((expected->nr_adds + 1) * sizeof(*sums));
	size_t nr = 0;

	ck_assert_ptr_nonnull(sums);
	if (expected->nr_adds)
		memcpy(sums, expected->adds, expected->nr_adds * sizeof(*sums));
	qsort(sums, expected->nr_adds, sizeof(*sums), compare_adds);
	for (size_t i = 0; i < expected->nr_adds; i++) {
		if (nr && sums[nr - 1].key == sums[i].key) {
			sums[nr - 1].nr_samples += sums[i].nr_samples;
			sums[nr - 1].weight += sums[i].weight;
		} else {
			sums[nr++] = sums[i];
		}
	}
	*nr_keys = nr;
	return sums;
}

/* Walk both lists; *over is what the file has too much of ignore. */
static int compare_image(const struct sdb_image *image, const struct expected_add *sums,
			 size_t nr_keys, const struct expected_add *ignore, uint64_t *over,
			 char *text, size_t nr_bytes)
{
	size_t s = 0;

	for (size_t i = 0; i < image->nr_entries; i++) {
		const struct sdb_entry *entry = &image->entries[i];
		uint64_t wanted = 0;

		if (s < nr_keys && sums[s].key == entry->key)
			wanted = sums[s++].nr_samples;
		if (entry->nr_samples == wanted)
			continue;
		if (ignore && entry->key == ignore->key && entry->nr_samples > wanted) {
			*over = entry->nr_samples - wanted;
			continue;
		}
		(void)snprintf(text, nr_bytes, "key %#llx holds %llu, not %llu",
			       (unsigned long long)entry->key,
			       (unsigned long long)entry->nr_samples, (unsigned long long)wanted);
		return 1;
	}
	if (s == nr_keys)
		return 0;
	(void)snprintf(text, nr_bytes, "key %#llx is missing", (unsigned long long)sums[s].key);
	return 1;
}

int expected_differs(const struct expected *expected, const char *path,
		     const struct expected_add *ignore, char *text, size_t nr_bytes)
{
	struct sdb_image image;
	struct expected_add *sums;
	struct diag diag;
	uint64_t over = 0;
	size_t nr_keys;
	int error = sdb_image_load(path, &image, &diag);

	if (error == -ENODATA && !expected->nr_adds)
		return 0;
	if (error) {
		(void)snprintf(text, nr_bytes, "%s", diag_show(&diag));
		return 1;
	}
	sums = expected_sums(expected, &nr_keys);
	error = compare_image(&image, sums, nr_keys, ignore, &over, text, nr_bytes);
	if (!error && over && over != ignore->nr_samples) {
		(void)snprintf(text, nr_bytes, "the add in flight is there by a part");
		error = 1;
	}
	free(sums);
	sdb_image_deinit(&image);
	return error;
}

void make_sdb_verify(const struct make_sdb *make)
{
	struct sdb_check_result result;
	struct diag diag;
	char text[1024];

	ck_assert_msg(!sdb_check(make->path, &result, &diag), "%s", diag_show(&diag));
	ck_assert_msg(!expected_differs(&make->expected, make->path, NULL, text, sizeof(text)),
		      "%s", text);
}

/* ---- bytes ---- */

void *make_sdb_read(const char *path, size_t *nr_bytes)
{
	char *bytes;

	ck_assert_int_eq(file_read_text(path, (size_t)1 << 30, &bytes, nr_bytes), 0);
	return bytes;
}

void make_sdb_write(const char *path, const void *bytes, size_t nr_bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_write_all(fd, bytes, nr_bytes), 0);
	ck_assert_int_eq(close(fd), 0);
}
