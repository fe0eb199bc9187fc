// SPDX-License-Identifier: GPL-2.0-or-later
/* Slices are written, read back, partly skipped, and refused when damaged. */
#include "libdb/slice/slice.h"
#include "libdb/slice/slice_format.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/make_slice.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct make_sdb live; /* only its folder is used */
static char path[300];
static struct make_slice make;
static struct slice_builder *builder;

static void setup(void)
{
	make_sdb_init(&live);
	(void)snprintf(path, sizeof(path), "%s/slice", live.folder);
	memset(&make, 0, sizeof(make));
	ck_assert_int_eq(slice_builder_create(&builder), 0);
}

static void teardown(void)
{
	slice_builder_destroy(builder);
	make_slice_deinit(&make);
	make_sdb_deinit(&live);
}

static void write_slice(void)
{
	const struct slice_info info = make_slice_info(1);

	(void)make_slice_write(builder, &info, path);
}

START_TEST(a_slice_holds_what_was_added_in_any_order)
{
	static const size_t nr[] = {0, 1, 200, 20000};

	make_slice_add_random(&make, builder, nr[_i]);
	write_slice();
	make_slice_verify(&make, path);
}
END_TEST

START_TEST(a_long_slice_is_read_a_window_at_a_time)
{
	for (uint64_t i = 0; i < 300000; i++) {
		make_slice_add(&make, builder, 1, i * (1 + i % 900), 1 + i % 3, 0);
		make_slice_add(&make, builder, 7, i * 4096, 1, i * i);
	}
	write_slice();
	make_slice_verify(&make, path);
}
END_TEST

START_TEST(the_largest_numbers_come_back)
{
	make_slice_add(&make, builder, 1, 0, 1, 0);
	make_slice_add(&make, builder, 1, UINT64_MAX, UINT64_MAX / 997 - 1, 0);
	make_slice_add(&make, builder, 7, UINT64_MAX, 1, UINT64_MAX);
	make_slice_add(&make, builder, 7, UINT64_MAX - 1, UINT64_MAX / 2, 7);
	write_slice();
	make_slice_verify(&make, path);
}
END_TEST

/*
 * Adjacent keys compress to almost nothing; the writer makes the frame longer, and the reader
 * accepts it.
 */
START_TEST(what_compresses_too_well_is_kept_within_the_bound_of_readers)
{
	const struct slice_section what = make_slice_section(1);
	const uint64_t nr_keys = 3000000;
	int64_t section = slice_builder_section(builder, &what);
	struct slice_check_result result;
	struct slice *slice;
	struct diag diag;

	for (uint64_t i = 0; i < nr_keys; i++)
		ck_assert_int_eq(slice_builder_add(builder, section, i, 1, 997), 0);
	write_slice();
	ck_assert_int_eq(slice_open(&slice, path, &diag), 0);
	ck_assert_uint_gt(slice_header(slice)->keys.nr_raw_bytes, SLICE_RAW_FREE_BYTES);
	ck_assert_uint_lt(slice_header(slice)->keys.nr_bytes, 300000);
	slice_close(slice);
	ck_assert_msg(!slice_check(path, &result, &diag), "%s", diag_show(&diag));
	ck_assert_uint_eq(result.nr_keys, nr_keys);
}
END_TEST

START_TEST(what_a_slice_says_of_itself_comes_back)
{
	const struct slice_info wanted = make_slice_info(17);
	const struct slice_info *info;
	struct slice *slice;

	make_slice_add_random(&make, builder, 100);
	(void)make_slice_write(builder, &wanted, path);
	ck_assert_int_eq(slice_open(&slice, path, NULL), 0);
	info = slice_info(slice);
	ck_assert_uint_eq(info->epoch_first, 17);
	ck_assert_int_eq(info->begin_ns, wanted.begin_ns);
	ck_assert_int_eq(info->end_ns, wanted.end_ns);
	ck_assert_int_eq(info->first_sample_ns, wanted.first_sample_ns);
	ck_assert_int_eq(info->last_sample_ns, wanted.last_sample_ns);
	ck_assert_mem_eq(info->boot_id, wanted.boot_id, sizeof(info->boot_id));
	ck_assert_uint_eq(info->clock, 1);
	ck_assert_uint_eq(info->cpu_khz, 2600000);
	ck_assert_str_eq(info->host, "here");
	ck_assert_str_eq(info->cpu_type, "timer");
	ck_assert_uint_eq(info->nr_counters, 2);
	ck_assert_str_eq(info->begin[0].name, "seen");
	ck_assert_uint_eq(info->begin[0].value, 170);
	ck_assert_uint_eq(info->end[0].value, 180);
	ck_assert_uint_eq(info->end[1].value, 4); /* counters may be corrected */
	slice_close(slice);
}
END_TEST

START_TEST(a_clock_that_was_set_back_makes_no_slice_that_cannot_be_read)
{
	struct slice_info info = make_slice_info(1);
	struct slice *slice;

	info.end_ns = info.begin_ns - 5;
	info.last_sample_ns = info.first_sample_ns - 5;
	make_slice_add_random(&make, builder, 10);
	(void)make_slice_write(builder, &info, path);
	make_slice_verify(&make, path);
	ck_assert_int_eq(slice_open(&slice, path, NULL), 0);
	ck_assert_int_eq(slice_info(slice)->end_ns, info.begin_ns);
	slice_close(slice);
}
END_TEST

START_TEST(every_field_of_a_section_comes_back)
{
	const struct slice_section *sections;
	struct slice *slice;
	size_t nr_sections;

	for (unsigned int i = 0; i < MAKE_SLICE_NR_SECTIONS; i++)
		make_slice_add(&make, builder, i, i, 1, 0);
	write_slice();
	ck_assert_int_eq(slice_open(&slice, path, NULL), 0);
	sections = slice_sections(slice, &nr_sections);
	ck_assert_uint_eq(nr_sections, MAKE_SLICE_NR_SECTIONS);
	for (size_t i = 0; i < nr_sections; i++) {
		struct sdb_entry entry;
		struct slice_section wanted;

		ck_assert_int_eq(slice_read_section(slice, &entry, NULL), 0);
		wanted = make_slice_section((unsigned int)entry.key);
		ck_assert_int_eq(slice_section_compare(&sections[i], &wanted), 0);
		ck_assert_mem_eq(&sections[i].identity, &wanted.identity, sizeof(wanted.identity));
		ck_assert_uint_eq(sections[i].image_start, wanted.image_start);
		ck_assert(sections[i].image.end == wanted.image.end);
		/* The only weight is the default one: no weights are stored. */
		ck_assert_uint_eq(sections[i].flags, wanted.flags & ~OPROF_SDB_WEIGHTED);
	}
	slice_close(slice);
}
END_TEST

START_TEST(sections_differ_in_each_field_that_tells_live_files_apart)
{
	for (unsigned int i = 0; i < MAKE_SLICE_NR_SECTIONS; i++) {
		for (unsigned int j = 0; j < MAKE_SLICE_NR_SECTIONS; j++) {
			const struct slice_section a = make_slice_section(i);
			const struct slice_section b = make_slice_section(j);
			const int order = slice_section_compare(&a, &b);

			ck_assert_int_eq(!order, i == j);
			ck_assert_int_eq(order<0, slice_section_compare(&b, &a)> 0);
		}
	}
}
END_TEST

START_TEST(skipping_sections_leaves_the_others_as_they_are)
{
	const struct slice_section *sections;
	struct sdb_entry *entries = calloc(20000, sizeof(*entries));
	struct slice *slice;
	uint64_t nr_samples;
	size_t nr_sections;

	make_slice_add_random(&make, builder, 20000);
	write_slice();
	ck_assert_int_eq(slice_open(&slice, path, NULL), 0);
	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections; i++) {
		if ((i + (unsigned int)_i) % 3) {
			ck_assert_int_eq(slice_skip_section(slice, NULL), 0);
			continue;
		}
		ck_assert_int_eq(slice_read_section(slice, entries, NULL), 0);
		nr_samples = 0;
		for (size_t k = 0; k < sections[i].nr_keys; k++)
			nr_samples += entries[k].nr_samples;
		ck_assert_uint_eq(nr_samples, sections[i].nr_samples);
	}
	ck_assert_int_eq(slice_skip_section(slice, NULL), -ENODATA);
	slice_close(slice);
	free(entries);
}
END_TEST

START_TEST(the_section_of_a_live_file_is_what_its_name_says)
{
	struct sample_name name = {
		.app = {.kind = SAMPLE_PATH_ROOT, .path = "/usr/bin/app"},
		.image = {.kind = SAMPLE_PATH_ROOT, .path = "/usr/lib/libimage.so"},
		.event = "cpu-clock",
		.period_or_hz = 1000,
		.unit_mask = 5,
		.tgid = SAMPLE_NAME_ALL,
		.tid = 12,
		.cpu = SAMPLE_NAME_ALL,
		.cgroup = 4};
	struct slice_section section;
	struct sdb_image image;

	live.identity.cgroup = "/user.slice";
	sdb_close(make_sdb_open(&live));
	ck_assert_int_eq(sdb_image_load(live.path, &image, NULL), 0);
	name.identity = sample_identity(&live.identity.image);
	slice_section_of_file(&section, &name, &image);
	ck_assert_str_eq(section.cgroup, "/user.slice");
	ck_assert_int_eq(section.app.kind, SAMPLE_PATH_ROOT);
	ck_assert_str_eq(section.app.path, name.app.path);
	ck_assert_int_eq(section.image.kind, SAMPLE_PATH_ROOT);
	ck_assert_str_eq(section.image.path, name.image.path);
	ck_assert_str_eq(section.event, name.event);
	ck_assert_uint_eq(section.period_or_hz, 1000);
	ck_assert_uint_eq(section.unit_mask, 5);
	ck_assert_int_eq(section.tgid, SAMPLE_NAME_ALL);
	ck_assert_int_eq(section.tid, 12);
	ck_assert_int_eq(section.cpu, SAMPLE_NAME_ALL);
	sdb_image_deinit(&image);
}
END_TEST

START_TEST(a_lost_page_of_a_live_file_is_told_of_its_slice)
{
	struct slice_section section = make_slice_section(1);
	struct slice *slice;
	size_t nr_sections;

	make_slice_add(&make, builder, 1, 5, 1, 0);
	section.flags |= OPROF_SDB_HOLED;
	ck_assert_int_eq(slice_builder_section(builder, &section), 0);
	write_slice();
	ck_assert_int_eq(slice_open(&slice, path, NULL), 0);
	ck_assert_uint_eq(slice_info(slice)->flags, OPROF_SLICE_HOLED);
	ck_assert(slice_sections(slice, &nr_sections)->flags & OPROF_SDB_HOLED);
	slice_close(slice);
}
END_TEST

START_TEST(a_slice_in_a_memfd_is_read_as_one_in_a_file)
{
	const struct slice_info info = make_slice_info(0); /* without an epoch */
	const int fd = memfd_create("slice", MFD_CLOEXEC);
	struct slice *slice;
	uint64_t nr_bytes;

	ck_assert_int_ge(fd, 0);
	make_slice_add_random(&make, builder, 500);
	ck_assert_int_eq(slice_builder_write(builder, &info, fd, &nr_bytes), 0);
	ck_assert_int_eq(slice_open_fd(&slice, fd, "recent samples", NULL), 0);
	ck_assert_uint_eq(slice_header(slice)->nr_samples, make_slice_nr_samples(&make));
	slice_close(slice);
	ck_assert_int_eq(close(fd), -1); /* slice_open_fd() took the descriptor */
}
END_TEST

/* ---- damage ---- */

static void write_bytes(const void *bytes, size_t nr_bytes)
{
	make_sdb_write(path, bytes, nr_bytes);
}

static void check_says(int error, const char *words)
{
	struct slice_check_result result;
	struct diag diag;

	ck_assert_int_eq(slice_check(path, &result, &diag), error);
	ck_assert_msg(strstr(diag.text, words), "%s", diag.text);
}

static void flip(int fd, const uint8_t *bytes, size_t i, uint8_t bits)
{
	const uint8_t byte = bytes[i] ^ bits;

	ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)i), 1);
}

/*
 * A few bits of a zstd frame carry no information: after such a change the whole content must still
 * be there.
 */
START_TEST(every_byte_that_is_changed_is_found_or_harmless)
{
	struct slice_check_result result;
	size_t nr_bytes, nr_harmless = 0;
	uint8_t *bytes;
	int fd;

	make_slice_add_random(&make, builder, 50);
	write_slice();
	bytes = make_sdb_read(path, &nr_bytes);
	fd = open(path, O_RDWR | O_CLOEXEC);
	for (size_t i = 0; i < nr_bytes; i++) {
		int error;

		flip(fd, bytes, i, (uint8_t)(1u << (i % 8)));
		error = slice_check(path, &result, NULL);
		if (!error) {
			nr_harmless++;
			make_slice_verify(&make, path);
		} else {
			ck_assert_msg(error == -EILSEQ || error == -EINVAL ||
					      error == -EPROTONOSUPPORT,
				      "byte %zu: %d", i, error);
		}
		flip(fd, bytes, i, 0);
	}
	ck_assert_uint_lt(nr_harmless, 5);
	ck_assert_int_eq(close(fd), 0);
	free(bytes);
}
END_TEST

START_TEST(a_slice_that_was_cut_or_grew_is_refused)
{
	struct slice_check_result result;
	struct stat status;

	make_slice_add_random(&make, builder, 30);
	write_slice();
	ck_assert_int_eq(stat(path, &status), 0);
	for (off_t i = status.st_size + 1; i >= 0; i--) {
		ck_assert_int_eq(truncate(path, i), 0);
		ck_assert_msg(!slice_check(path, &result, NULL) == (i == status.st_size),
			      "%lld bytes", (long long)i);
	}
}
END_TEST

static void put_header(struct oprof_slice_header *header, size_t nr_bytes)
{
	header->checksum = htole64(slice_header_checksum(header));
	write_bytes(header, nr_bytes);
}

START_TEST(wrong_fields_of_the_header_are_named)
{
	struct oprof_slice_header *header;
	size_t nr_bytes;

	make_slice_add_random(&make, builder, 100);
	write_slice();
	header = make_sdb_read(path, &nr_bytes);
	switch (_i) {
	case 0:
		header->magic[0] = 'x';
		put_header(header, nr_bytes);
		check_says(-EINVAL, "not a slice");
		break;
	case 1:
		header->version = htole32(OPROF_SLICE_VERSION + 1);
		put_header(header, nr_bytes);
		check_says(-EPROTONOSUPPORT,
			   "version 3 of the format, but this program reads versions 1 to 2");
		header->version = 0;
		put_header(header, nr_bytes);
		check_says(-EPROTONOSUPPORT, "version 0");
		break;
	case 2:
		header->flags = htole32(4);
		put_header(header, nr_bytes);
		check_says(-EPROTONOSUPPORT, "flags 0x4");
		break;
	case 3:
		header->begin_ns = (int64_t)htole64((uint64_t)INT64_MAX);
		put_header(header, nr_bytes);
		check_says(-EILSEQ, "time range");
		break;
	case 4:
		header->nr_samples = htole64(le64toh(header->nr_samples) + 1);
		put_header(header, nr_bytes);
		check_says(-EILSEQ, "samples");
		break;
	case 5:
		header->nr_keys = htole64(le64toh(header->nr_keys) + 1);
		put_header(header, nr_bytes);
		check_says(-EILSEQ, "keys");
		break;
	case 6: /* 4 GB from a few bytes: refused before memory is allocated */
		header->keys.nr_raw_bytes = htole64((uint64_t)1 << 32);
		put_header(header, nr_bytes);
		check_says(-EILSEQ, "cannot decompress to");
		break;
	default:
		header->begin_ns ^= 1;
		write_bytes(header, nr_bytes);
		check_says(-EILSEQ, "checksum");
		break;
	}
	free(header);
}
END_TEST

START_TEST(files_that_are_no_slices_are_told)
{
	struct slice *slice;
	struct diag diag;

	write_bytes("", 0);
	ck_assert_int_eq(slice_open(&slice, path, &diag), -EINVAL);
	write_bytes(OPROF_SLICE_MAGIC, 8);
	ck_assert_int_eq(slice_open(&slice, path, &diag), -EILSEQ);
	ck_assert_int_eq(slice_open(&slice, live.folder, &diag), -EINVAL);
	ck_assert_int_eq(slice_open(&slice, "/dev/null", &diag), -EINVAL);
	(void)unlink(path);
	ck_assert_int_eq(slice_open(&slice, path, &diag), -ENOENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slice");
	TCase *tests = tcase_create("slices");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_slice_holds_what_was_added_in_any_order, 0, 4);
	tcase_add_test(tests, a_long_slice_is_read_a_window_at_a_time);
	tcase_add_test(tests, the_largest_numbers_come_back);
	tcase_add_test(tests, what_compresses_too_well_is_kept_within_the_bound_of_readers);
	tcase_add_test(tests, what_a_slice_says_of_itself_comes_back);
	tcase_add_test(tests, a_clock_that_was_set_back_makes_no_slice_that_cannot_be_read);
	tcase_add_test(tests, every_field_of_a_section_comes_back);
	tcase_add_test(tests, sections_differ_in_each_field_that_tells_live_files_apart);
	tcase_add_loop_test(tests, skipping_sections_leaves_the_others_as_they_are, 0, 3);
	tcase_add_test(tests, the_section_of_a_live_file_is_what_its_name_says);
	tcase_add_test(tests, a_lost_page_of_a_live_file_is_told_of_its_slice);
	tcase_add_test(tests, a_slice_in_a_memfd_is_read_as_one_in_a_file);
	tcase_add_test(tests, every_byte_that_is_changed_is_found_or_harmless);
	tcase_add_test(tests, a_slice_that_was_cut_or_grew_is_refused);
	tcase_add_loop_test(tests, wrong_fields_of_the_header_are_named, 0, 8);
	tcase_add_test(tests, files_that_are_no_slices_are_told);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
