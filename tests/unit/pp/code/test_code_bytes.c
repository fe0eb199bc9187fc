// SPDX-License-Identifier: GPL-2.0-or-later
/* Code of this program itself, compared with its own memory, and answers of a hostile child. */
#include "pp/code/code_bytes.h"

#include "lib/buildid.h"
#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct code_bytes code;
static struct symbol_table table;
static struct symbol_search search;
static struct oprof_image_identity identity;
static char self[PATH_MAX];

__attribute__((noinline, used)) int code_bytes_one(int x);
__attribute__((noinline, used)) int code_bytes_two(int x);

int code_bytes_one(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

int code_bytes_two(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x ^ 0x12345678;
}

static void setup(void)
{
	struct buildid id;
	ssize_t nr = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(nr, 0);
	self[nr] = '\0';
	memset(&identity, 0, sizeof(identity));
	if (!buildid_read_file(self, &id)) {
		memcpy(identity.build_id, id.bytes, id.nr_bytes);
		identity.nr_build_id = id.nr_bytes;
	}
	ck_assert_int_eq(symbol_table_load(&table, self, &identity, OPROF_IMAGE_FILE, &search), 0);
	ck_assert_uint_gt(table.nr_symbols, 0);
}

static void teardown(void)
{
	code_bytes_deinit(&code);
	symbol_table_deinit(&table);
}

static struct code_range range_of(const char *name)
{
	for (size_t i = 0; i < table.nr_symbols; i++) {
		const struct symbol *symbol = &table.symbols[i];

		if (!strcmp(symbol->name, name))
			return (struct code_range){.start = symbol->start,
						   .end = symbol->start + symbol->nr_bytes};
	}
	ck_abort_msg("no symbol %s", name);
	return (struct code_range){0};
}

static void load(const char *path, enum oprof_image_kind kind, const struct code_range *ranges,
		 size_t nr_ranges)
{
	const struct code_bytes_request request = {.ranges = ranges, .nr_ranges = nr_ranges};

	ck_assert_int_eq(code_bytes_load(&code, path, &identity, kind, &search, &request), 0);
}

START_TEST(bytes_are_those_that_run)
{
	const struct code_range ranges[] = {range_of("code_bytes_two"), range_of("code_bytes_one")};

	load(self, OPROF_IMAGE_FILE, ranges, 2);
	ck_assert_ptr_nonnull(code_bytes_of(&code, 0));
	ck_assert_ptr_nonnull(code_bytes_of(&code, 1));
	ck_assert_mem_eq(code_bytes_of(&code, 0), (const void *)(uintptr_t)code_bytes_two,
			 ranges[0].end - ranges[0].start);
	ck_assert_mem_eq(code_bytes_of(&code, 1), (const void *)(uintptr_t)code_bytes_one,
			 ranges[1].end - ranges[1].start);
	ck_assert_ptr_null(code_bytes_of(&code, 2));
}
END_TEST

START_TEST(a_range_that_the_file_ends_within_has_none)
{
	const struct code_range ranges[] = {{UINT64_MAX - 20, UINT64_MAX - 10},
					    range_of("code_bytes_one"),
					    {range_of("code_bytes_one").start, UINT32_MAX}};

	load(self, OPROF_IMAGE_FILE, ranges, 3);
	ck_assert_ptr_null(code_bytes_of(&code, 0));
	ck_assert_ptr_nonnull(code_bytes_of(&code, 1));
	ck_assert_ptr_null(code_bytes_of(&code, 2));
}
END_TEST

START_TEST(what_is_not_that_file_has_none)
{
	const struct code_range range = range_of("code_bytes_one");

	load("/nowhere/at/all", OPROF_IMAGE_FILE, &range, 1);
	ck_assert_ptr_null(code_bytes_of(&code, 0));
	code_bytes_deinit(&code);
	load(self, OPROF_IMAGE_MODULE, &range, 1);
	ck_assert_ptr_null(code_bytes_of(&code, 0));
	code_bytes_deinit(&code);
	identity.build_id[0] ^= 1;
	load(self, OPROF_IMAGE_FILE, &range, 1);
	ck_assert_ptr_null(code_bytes_of(&code, 0));
}
END_TEST

/* ---- answers of a hostile child ---- */

struct answer {
	struct code_part parts[2];
	uint8_t bytes[6];
};

static const struct code_range asked[] = {{10, 12}, {20, 24}};

static struct answer good_answer(void)
{
	return (struct answer){
		.parts = {{.offset = 32, .nr_bytes = 2}, {.offset = 34, .nr_bytes = 4}},
		.bytes = {1, 2, 3, 4, 5, 6}};
}

static int take(const struct answer *answer, size_t nr_bytes)
{
	const struct code_bytes_request request = {.ranges = asked, .nr_ranges = 2};
	int fd = memfd_create("answer", MFD_CLOEXEC);
	int error;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_write_all(fd, answer, nr_bytes), 0);
	code_bytes_deinit(&code);
	error = code_bytes_take(fd, &request, &code);
	(void)close(fd);
	return error;
}

#define ANSWER_BYTES 38

START_TEST(a_good_answer_is_taken)
{
	struct answer answer = good_answer();

	ck_assert_int_eq(take(&answer, ANSWER_BYTES), 0);
	ck_assert_uint_eq(code_bytes_of(&code, 0)[1], 2);
	ck_assert_uint_eq(code_bytes_of(&code, 1)[3], 6);
}
END_TEST

#define EXPECT_REFUSED(change)                                                                     \
	do {                                                                                       \
		struct answer answer = good_answer();                                              \
                                                                                                   \
		answer.change;                                                                     \
		ck_assert_int_eq(take(&answer, ANSWER_BYTES), -EILSEQ);                            \
	} while (0)

START_TEST(what_makes_no_sense_is_refused)
{
	struct answer cut = good_answer();

	EXPECT_REFUSED(parts[0].nr_bytes = 1);
	EXPECT_REFUSED(parts[0].nr_bytes = 3);
	EXPECT_REFUSED(parts[0].offset = 31);
	EXPECT_REFUSED(parts[1].offset = 35);
	EXPECT_REFUSED(parts[1].offset = 39);
	EXPECT_REFUSED(parts[1].offset = UINT64_MAX);
	ck_assert_int_eq(take(&cut, ANSWER_BYTES - 1), -EILSEQ);
	ck_assert_int_eq(take(&cut, 31), -EILSEQ);
	ck_assert_int_eq(take(&cut, 0), -EILSEQ);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_bytes");
	TCase *tests = tcase_create("code_bytes");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, bytes_are_those_that_run);
	tcase_add_test(tests, a_range_that_the_file_ends_within_has_none);
	tcase_add_test(tests, what_is_not_that_file_has_none);
	tcase_add_test(tests, a_good_answer_is_taken);
	tcase_add_test(tests, what_makes_no_sense_is_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
