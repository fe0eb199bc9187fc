// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jit/jitdump.h"

#include "tests/fixture/jitdump_encode.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define NR_BUFFER (2 * JITDUMP_NAME_MAX)
#define NOW	  UINT64_C(1000000)

static struct code_pool pool;
static struct code_map *map;
static struct jitdump dump;
static struct jitdump_counts counts;
static struct jitdump_bytes bytes;
static char buffer[NR_BUFFER];
static int fd;

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(code_pool_init(&pool), 0);
	map = code_map_create(&pool);
	ck_assert_ptr_nonnull(map);
	memset(&dump, 0, sizeof(dump));
	memset(&counts, 0, sizeof(counts));
	bytes = (struct jitdump_bytes){NULL, 0, 0};
	fd = open("dump", O_RDWR | O_CREAT | O_APPEND, 0600);
	ck_assert_int_ge(fd, 0);
}

static void teardown(void)
{
	(void)close(fd);
	free(bytes.bytes);
	code_map_put(map);
	ck_assert_uint_eq(pool.nr_bytes, 0);
	code_pool_deinit(&pool);
	test_folder_teardown();
}

/* Write the bytes made so far except the last nr_held_back; the next flush begins with those. */
static void flush(size_t nr_held_back)
{
	size_t nr = bytes.nr_bytes - nr_held_back;

	ck_assert_int_eq(write(fd, bytes.bytes, nr), (ssize_t)nr);
	memmove(bytes.bytes, bytes.bytes + nr, nr_held_back);
	bytes.nr_bytes = nr_held_back;
}

static int read_until(uint64_t until_ns)
{
	return jitdump_read(&dump, fd, until_ns, NOW, &map, buffer, sizeof(buffer), &counts);
}

static const char *at(uint64_t address)
{
	const struct named_range *range = code_map_find(map, address);

	return range ? range->name->text : "";
}

START_TEST(an_address_used_again_has_the_name_of_its_time)
{
	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, 100, 0x1000, 0x100, "first", 0x100);
	jitdump_load(&bytes, 200, 0x1000, 0x80, "second", 0x80);
	flush(0);
	ck_assert_int_eq(read_until(99), 1);
	ck_assert_uint_eq(dump.next_ns, 100);
	ck_assert_str_eq(at(0x1000), "");
	ck_assert_int_eq(read_until(199), 1);
	ck_assert_str_eq(at(0x1000), "first");
	ck_assert_int_eq(read_until(200), 0);
	ck_assert_uint_eq(dump.next_ns, 0);
	ck_assert_str_eq(at(0x1000), "second");
	ck_assert_str_eq(at(0x1080), "first");
	ck_assert_uint_eq(counts.nr_bad_records, 0);
}
END_TEST

START_TEST(a_record_that_is_being_written_is_waited_for)
{
	jitdump_header(&bytes, 1, 0);
	flush(20);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_int_eq(dump.state, JITDUMP_NEW);
	flush(0);
	jitdump_load(&bytes, 100, 0x1000, 0x100, "a", 0x100);
	flush(0x101);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_str_eq(at(0x1000), "");
	flush(0);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_str_eq(at(0x1000), "a");
	ck_assert_uint_eq(counts.nr_records, 1);
}
END_TEST

START_TEST(code_that_moves_takes_its_name_along)
{
	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, 100, 0x1000, 0x100, "a", 0);
	jitdump_move(&bytes, 200, 0x1000, 0x1080, 0x100);
	jitdump_move(&bytes, 300, 0x9000, 0xa000, 0x100);
	flush(0);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_str_eq(at(0x1000), "");
	ck_assert_str_eq(at(0x107f), "");
	ck_assert_str_eq(at(0x1080), "a");
	ck_assert_str_eq(at(0x117f), "a");
	ck_assert_str_eq(at(0xa000), "");
	ck_assert_uint_eq(counts.nr_bad_records, 0);
}
END_TEST

START_TEST(what_is_not_code_is_skipped_and_after_the_close_nothing_is_read)
{
	char *much = calloc(1, 100000);

	jitdump_header(&bytes, 1, 0);
	jitdump_record(&bytes, 2, 50, much, 100000);
	jitdump_record(&bytes, 4, 60, much, 8);
	jitdump_record(&bytes, 99, 70, much, 0);
	jitdump_load(&bytes, 100, 0x1000, 0x100, "a", 50000);
	jitdump_load(&bytes, 110, 0x2000, 0x100, "b", 0);
	jitdump_record(&bytes, 3, 120, much, 0);
	jitdump_load(&bytes, 130, 0x3000, 0x100, "c", 0);
	flush(0);
	free(much);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_int_eq(dump.state, JITDUMP_CLOSED);
	ck_assert_str_eq(at(0x1000), "a");
	ck_assert_str_eq(at(0x2000), "b");
	ck_assert_str_eq(at(0x3000), "");
	ck_assert_int_eq(read_until(900), 0);
	ck_assert_uint_eq(counts.nr_records, 6);
}
END_TEST

START_TEST(a_time_that_has_not_come_is_of_another_clock_and_not_waited_for)
{
	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, UINT64_MAX, 0x1000, 0x100, "a", 0);
	jitdump_load(&bytes, NOW + 1, 0x2000, 0x100, "b", 0);
	flush(0);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_str_eq(at(0x1000), "a");
	ck_assert_str_eq(at(0x2000), "b");
}
END_TEST

/* Wrong byte order, version, header size, and the processor's clock. */
START_TEST(a_file_that_is_not_for_us_is_refused_once_and_for_all)
{
	static const struct {
		size_t position;
		char value;
	} wrong[] = {{0, 'D'}, {4, 2}, {8, 39}, {10, 1}, {32, 1}};

	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, 100, 0x1000, 0x100, "a", 0);
	bytes.bytes[wrong[_i].position] = wrong[_i].value;
	if (!wrong[_i].position)
		memcpy(bytes.bytes, "JiTD", 4); /* the magic in the other byte order */
	flush(0);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_int_eq(dump.state, JITDUMP_REFUSED);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_uint_eq(counts.nr_bad_records, 1);
	ck_assert_str_eq(at(0x1000), "");
}
END_TEST

START_TEST(sizes_that_make_no_sense_end_the_reading)
{
	const uint32_t head[4] = {0, 15, 100, 0};

	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, 100, 0x1000, 0x100, "a", 0);
	jitdump_put(&bytes, head, sizeof(head));
	jitdump_load(&bytes, 100, 0x2000, 0x100, "b", 0);
	flush(0);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_int_eq(dump.state, JITDUMP_REFUSED);
	ck_assert_str_eq(at(0x1000), "a");
	ck_assert_str_eq(at(0x2000), "");
}
END_TEST

START_TEST(records_that_make_no_sense_are_skipped)
{
	char nothing[64] = {0};
	char *name = malloc(JITDUMP_NAME_MAX + 10);

	memset(name, 'n', JITDUMP_NAME_MAX + 9);
	name[JITDUMP_NAME_MAX + 9] = '\0';
	jitdump_header(&bytes, 1, 0);
	jitdump_record(&bytes, 0, 10, nothing, 39);   /* too short for a load */
	jitdump_record(&bytes, 0, 10, nothing, 40);   /* no name */
	jitdump_record(&bytes, 0, 10, nothing, 64);   /* an empty name */
	jitdump_record(&bytes, 1, 10, nothing, 47);   /* too short for a move */
	jitdump_load(&bytes, 10, 0x1000, 8, name, 0); /* a name that is too long */
	jitdump_load(&bytes, 10, UINT64_MAX - 4, 8, "wraps", 0);
	jitdump_load(&bytes, 10, 0x1000, UINT64_C(1) << 63, "huge", 0);
	jitdump_move(&bytes, 10, 0x1000, UINT64_MAX - 4, 8);
	jitdump_load(&bytes, 10, 0x2000, 0, "no code", 0);
	jitdump_load(&bytes, 10, 0x3000, 8, "good", 0);
	flush(0);
	free(name);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_uint_eq(counts.nr_records, 10);
	ck_assert_uint_eq(counts.nr_bad_records, 8);
	ck_assert_str_eq(at(0x1000), "");
	ck_assert_str_eq(at(0x3000), "good");
	ck_assert_uint_eq(map->nr_ranges, 1);
}
END_TEST

START_TEST(a_file_that_shrank_is_another_file)
{
	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, 100, 0x1000, 0x100, "a", 0);
	flush(0);
	ck_assert_int_eq(read_until(500), 0);
	ck_assert_int_eq(ftruncate(fd, 50), 0);
	ck_assert_int_eq(read_until(500), -ESTALE);
}
END_TEST

START_TEST(much_is_read_in_parts)
{
	unsigned int nr_calls = 1;

	jitdump_header(&bytes, 1, 0);
	for (unsigned int i = 0; i < 2000; i++)
		jitdump_load(&bytes, 10, 0x1000 + i * 16, 16, "f", NR_BUFFER);
	flush(0);
	while (read_until(500))
		nr_calls++;
	ck_assert_uint_gt(nr_calls, 2);
	ck_assert_uint_eq(counts.nr_records, 2000);
	ck_assert_uint_eq(map->nr_ranges, 2000);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("jitdump");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_address_used_again_has_the_name_of_its_time);
	tcase_add_test(tc, a_record_that_is_being_written_is_waited_for);
	tcase_add_test(tc, code_that_moves_takes_its_name_along);
	tcase_add_test(tc, what_is_not_code_is_skipped_and_after_the_close_nothing_is_read);
	tcase_add_test(tc, a_time_that_has_not_come_is_of_another_clock_and_not_waited_for);
	tcase_add_loop_test(tc, a_file_that_is_not_for_us_is_refused_once_and_for_all, 0, 5);
	tcase_add_test(tc, sizes_that_make_no_sense_end_the_reading);
	tcase_add_test(tc, records_that_make_no_sense_are_skipped);
	tcase_add_test(tc, a_file_that_shrank_is_another_file);
	tcase_add_test(tc, much_is_read_in_parts);
	return test_run(tc);
}
