// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_slice.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct slice_section make_slice_section(unsigned int i)
{
	static const char *const images[] = {"/usr/bin/program", "/usr/lib/libc.so.6", "vmlinux",
					     "[heap]", "/opt/a name with blanks"};
	static const char *const events[] = {"cpu-clock", "cycles"};
	struct slice_section section = {
		.image = {.kind = i % 5 == 2 ? SAMPLE_PATH_KERN : SAMPLE_PATH_ROOT,
			  .path = images[i % 5]},
		.app = {.kind = SAMPLE_PATH_ROOT, .path = i % 2 ? "/usr/bin/program" : "/bin/sh"},
		.identity = {.build_id = {(uint8_t)(i % 5), 7}, .nr_build_id = 20},
		.image_kind = OPROF_IMAGE_FILE,
		.event = events[i % 7 == 0],
		.period_or_hz = 997,
		.unit_mask = i % 3,
		.flags = i % 7 == 0 ? OPROF_SDB_FREQUENCY | OPROF_SDB_WEIGHTED : 0,
		.tgid = SAMPLE_NAME_ALL,
		.tid = i % 4 == 0 ? (int64_t)i : SAMPLE_NAME_ALL,
		.cpu = i % 8 == 1 ? (int64_t)(i / 8) : SAMPLE_NAME_ALL,
		.cgroup = i % 11 == 3 ? "/system.slice/a.service" : NULL,
	};

	if (i % 5 == 3) {
		section.image.kind = SAMPLE_PATH_ANON;
		section.image.tgid = i;
		section.image.start = 0x7f0000000000;
		section.image.end = 0x7f0000001000 + i;
		section.image_kind = OPROF_IMAGE_ANON;
		section.image_start = section.image.start;
		section.identity = (struct oprof_image_identity){0};
	}
	if (i % 5 == 4)
		section.identity = (struct oprof_image_identity){.dev = 8,
								 .inode = i,
								 .inode_generation = 3,
								 .mtime_ns = -5,
								 .size_bytes = 9};
	if (i % 5 == 0 && i)
		section.image_kind = OPROF_IMAGE_IDLE;
	return section;
}

void make_slice_deinit(struct make_slice *make)
{
	free(make->adds);
	memset(make, 0, sizeof(*make));
}

static uint64_t plain_weight(const struct slice_section *section, uint64_t nr_samples)
{
	return section->flags & OPROF_SDB_FREQUENCY ? nr_samples
						    : nr_samples * section->period_or_hz;
}

void make_slice_add(struct make_slice *make, struct slice_builder *builder, unsigned int section,
		    uint64_t key, uint64_t nr_samples, uint64_t weight)
{
	const struct slice_section what = make_slice_section(section);
	int64_t number = slice_builder_section(builder, &what);

	ck_assert_int_ge(number, 0);
	if (!weight)
		weight = plain_weight(&what, nr_samples);
	ck_assert_int_eq(slice_builder_add(builder, number, key, nr_samples, weight), 0);
	if (make->nr_adds == make->room) {
		make->room = make->room ? 2 * make->room : 1024;
		make->adds = realloc(make->adds, make->room * sizeof(*make->adds));
		ck_assert_ptr_nonnull(make->adds);
	}
	make->adds[make->nr_adds++] = (struct make_slice_add){section, key, nr_samples, weight};
}

static uint64_t make_random(struct make_slice *make)
{
	uint64_t z = make->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void make_slice_add_random(struct make_slice *make, struct slice_builder *builder, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const unsigned int section =
			(unsigned int)(make_random(make) % MAKE_SLICE_NR_SECTIONS);
		const uint64_t random = make_random(make);
		const uint64_t nr_samples = 1 + make_random(make) % (i % 9 ? 3 : 100000);

		make_slice_add(make, builder, section, random >> (random % 4 ? 48 : random % 50),
			       nr_samples, section % 7 ? 0 : nr_samples * 1000 + i % 5);
	}
}

struct slice_info make_slice_info(uint64_t epoch)
{
	static struct oprof_stats_entry begin[2], end[2];
	const int64_t minute_ns = 60000000000;

	memcpy(begin, (struct oprof_stats_entry[2]){{"seen", 10 * epoch}, {"lost_file", 5}},
	       sizeof(begin));
	memcpy(end, (struct oprof_stats_entry[2]){{"seen", 10 * epoch + 10}, {"lost_file", 4}},
	       sizeof(end));
	return (struct slice_info){.level = OPROF_SLICE_MINUTE,
				   .epoch_first = epoch,
				   .epoch_last = epoch,
				   .begin_ns = (int64_t)epoch * minute_ns,
				   .end_ns = (int64_t)(epoch + 1) * minute_ns,
				   .first_sample_ns = (int64_t)epoch * minute_ns + 3,
				   .last_sample_ns = (int64_t)(epoch + 1) * minute_ns - 3,
				   .boot_id = {1, 2, 3},
				   .clock = 1,
				   .cpu_khz = 2600000,
				   .host = "here",
				   .cpu_type = "timer",
				   .begin = begin,
				   .end = end,
				   .nr_counters = 2};
}

uint64_t make_slice_write(struct slice_builder *builder, const struct slice_info *info,
			  const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t nr_bytes = 0;
	struct stat status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(slice_builder_write(builder, info, fd, &nr_bytes), 0);
	ck_assert_int_eq(fstat(fd, &status), 0);
	ck_assert_uint_eq(nr_bytes, (uint64_t)status.st_size);
	ck_assert_int_eq(close(fd), 0);
	return nr_bytes;
}

void make_slice_file(struct make_slice *make, uint64_t epoch, size_t nr, const char *path)
{
	const struct slice_info info = make_slice_info(epoch);
	struct slice_builder *builder;

	ck_assert_int_eq(slice_builder_create(&builder), 0);
	make_slice_add_random(make, builder, nr);
	(void)make_slice_write(builder, &info, path);
	slice_builder_destroy(builder);
}

/* ---- what should be there ---- */

static int compare_adds(const void *a, const void *b)
{
	const struct make_slice_add *left = a, *right = b;

	if (left->section != right->section)
		return left->section < right->section ? -1 : 1;
	return (left->key > right->key) - (left->key < right->key);
}

static struct make_slice_add *sum_adds(const struct make_slice *make, size_t *nr_sums)
{
	struct make_slice_add *sums = malloc((make->nr_adds + 1) * sizeof(*sums));
	size_t nr = 0;

	ck_assert_ptr_nonnull(sums);
	if (make->nr_adds)
		memcpy(sums, make->adds, make->nr_adds * sizeof(*sums));
	qsort(sums, make->nr_adds, sizeof(*sums), compare_adds);
	for (size_t i = 0; i < make->nr_adds; i++) {
		if (nr && !compare_adds(&sums[nr - 1], &sums[i])) {
			sums[nr - 1].nr_samples += sums[i].nr_samples;
			sums[nr - 1].weight += sums[i].weight;
		} else {
			sums[nr++] = sums[i];
		}
	}
	*nr_sums = nr;
	return sums;
}

static unsigned int section_number(const struct slice_section *section)
{
	for (unsigned int i = 0; i < MAKE_SLICE_NR_SECTIONS; i++) {
		const struct slice_section known = make_slice_section(i);

		if (!slice_section_compare(section, &known))
			return i;
	}
	ck_abort_msg("a section that was never added");
	return 0;
}

/* One section against what was added to it: all of that, and no more. */
static size_t verify_section(struct slice *slice, const struct slice_section *section,
			     const struct make_slice_add *sums, size_t nr_sums)
{
	struct sdb_entry *entries = calloc(section->nr_keys, sizeof(*entries));
	const unsigned int number = section_number(section);
	struct diag diag;
	size_t s = 0;

	ck_assert_ptr_nonnull(entries);
	ck_assert_msg(!slice_read_section(slice, entries, &diag), "%s", diag_show(&diag));
	while (s < nr_sums && sums[s].section < number)
		s++;
	for (uint64_t i = 0; i < section->nr_keys; i++, s++) {
		ck_assert(s < nr_sums && sums[s].section == number);
		ck_assert_uint_eq(entries[i].key, sums[s].key);
		ck_assert_uint_eq(entries[i].nr_samples, sums[s].nr_samples);
		ck_assert_uint_eq(entries[i].weight, sums[s].weight);
	}
	ck_assert(s == nr_sums || sums[s].section != number);
	free(entries);
	return section->nr_keys;
}

void make_slice_verify(const struct make_slice *make, const char *path)
{
	struct slice_check_result result;
	const struct slice_section *sections;
	struct slice *slice;
	struct diag diag;
	struct make_slice_add *sums;
	size_t nr_sums, nr_sections, nr_found = 0;

	ck_assert_msg(!slice_check(path, &result, &diag), "%s", diag_show(&diag));
	ck_assert_msg(!slice_open(&slice, path, &diag), "%s", diag_show(&diag));
	sums = sum_adds(make, &nr_sums);
	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections; i++)
		nr_found += verify_section(slice, &sections[i], sums, nr_sums);
	ck_assert_uint_eq(nr_found, nr_sums);
	ck_assert_int_eq(slice_read_section(slice, NULL, NULL), -ENODATA);
	ck_assert_uint_eq(result.nr_keys, nr_sums);
	ck_assert_uint_eq(result.nr_samples, make_slice_nr_samples(make));
	ck_assert_uint_eq(slice_header(slice)->nr_samples, result.nr_samples);
	free(sums);
	slice_close(slice);
}

uint64_t make_slice_nr_samples(const struct make_slice *make)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < make->nr_adds; i++) {
		if (make_slice_section(make->adds[i].section).image_kind != OPROF_IMAGE_IDLE)
			nr += make->adds[i].nr_samples;
	}
	return nr;
}
