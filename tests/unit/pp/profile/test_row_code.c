// SPDX-License-Identifier: GPL-2.0-or-later
/* Which code is requested, and which row gets it; code_bytes.h is implemented by the test. */
#include "pp/profile/row_code.h"

#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

static struct make_session session;
static struct make_profile made;
static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x401100, .name = "first"},
	{.start = 0x200, .nr_bytes = 0x80, .address = 0x401200, .name = "last"},
};

/* The requests so far; the bytes of a key begin at memory[key]. */
static uint8_t memory[0x1000];
static unsigned int nr_asked, fails_at;
static size_t nr_ranges_asked;

int code_bytes_load(struct code_bytes *code, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search, const struct code_bytes_request *request)
{
	static struct code_part parts[8];
	static unsigned int nr_used;

	(void)identity;
	(void)search;
	*code = (struct code_bytes){0};
	ck_assert_int_eq(kind, OPROF_IMAGE_FILE);
	if (++nr_asked == fails_at)
		return -ENOMEM;
	nr_ranges_asked += request->nr_ranges;
	if (strcmp(path, "/bin/a") != 0)
		return 0;
	ck_assert_uint_le(request->nr_ranges, 4);
	code->parts = parts + nr_used++ % 2 * 4;
	code->nr_parts = request->nr_ranges;
	for (size_t i = 0; i < request->nr_ranges; i++)
		parts[code->parts - parts + i] = (struct code_part){
			.offset = request->ranges[i].start,
			.nr_bytes = request->ranges[i].end - request->ranges[i].start};
	return 0;
}

const uint8_t *code_bytes_of(const struct code_bytes *code, size_t range)
{
	return range < code->nr_parts ? memory + code->parts[range].offset : NULL;
}

void code_bytes_deinit(struct code_bytes *code)
{
	*code = (struct code_bytes){0};
}

static void setup(void)
{
	const struct make_sample samples[] = {{0x10, 1}, {0x110, 2}, {0x210, 4}};

	make_session_init(&session);
	made = (struct make_profile){.profile_options = {.symbols = true, .details = true}};
	fake_symbols_set("/bin/a", symbols, 2, NULL);
	fake_symbols_set("/lib/b", symbols, 2, NULL);
	make_session_add(&session, &(struct make_file){.app = "/bin/a"}, samples, 3, NULL);
	make_session_add(&session, &(struct make_file){.app = "/bin/c", .image = "/bin/a"}, samples,
			 3, NULL);
	make_session_add(&session, &(struct make_file){.app = "/bin/a", .image = "/lib/b"}, samples,
			 2, NULL);
	make_profile_init(&made, &session, "");
	nr_asked = fails_at = 0;
	nr_ranges_asked = 0;
}

static void teardown(void)
{
	make_profile_deinit(&made);
	fake_symbols_clear();
	make_session_deinit(&session);
}

START_TEST(each_image_is_asked_once_for_each_symbol)
{
	struct row_code code;
	unsigned int nr_given = 0;

	ck_assert_int_eq(row_code_load(&code, &made.profile, &made.profile_options), 0);
	ck_assert_uint_eq(nr_asked, 2);
	ck_assert_uint_eq(nr_ranges_asked, 3);
	for (size_t i = 0; i < made.profile.nr_rows; i++) {
		const struct profile_row *row = &made.profile.rows[i];
		const char *path = made.selection.images[row->image].path;
		bool has_code = row->name && !strcmp(path, "/bin/a");

		ck_assert_ptr_eq(code.rows[i], has_code ? memory + row->start : NULL);
		nr_given += has_code;
	}
	ck_assert_uint_eq(nr_given, 4);
	row_code_deinit(&code);
}
END_TEST

/* Called through the linker's --wrap: may return NULL for 0 bytes, as the C standard allows. */
static bool nothing_is_null;
void *__real_calloc(size_t nr, size_t nr_bytes);
void *__wrap_calloc(size_t nr, size_t nr_bytes);

void *__wrap_calloc(size_t nr, size_t nr_bytes)
{
	return nothing_is_null && (!nr || !nr_bytes) ? NULL : __real_calloc(nr, nr_bytes);
}

/* row_code.c adds 1 to all sizes, so that a calloc(0) that returns NULL is not a failure. */
START_TEST(a_profile_without_rows_has_no_code)
{
	const struct selection no_images = {0};
	struct profile none = made.profile;
	struct row_code code;

	none.nr_rows = 0;
	if (_i)
		none.selection = &no_images;
	nothing_is_null = true;
	ck_assert_int_eq(row_code_load(&code, &none, &made.profile_options), 0);
	nothing_is_null = false;
	ck_assert_uint_eq(nr_asked, 0);
	ck_assert_ptr_nonnull(code.rows);
	ck_assert_ptr_nonnull(code.images);
	ck_assert_uint_eq(code.nr_images, none.selection->nr_images);
	for (size_t i = 0; i < code.nr_images; i++)
		ck_assert_uint_eq(code.images[i].nr_parts, 0);
	row_code_deinit(&code);
	ck_assert_ptr_null(code.rows);
	ck_assert_ptr_null(code.images);
	ck_assert_uint_eq(code.nr_images, 0);
}
END_TEST

START_TEST(an_image_that_fails_fails_all)
{
	struct row_code code;

	fails_at = 2;
	ck_assert_int_eq(row_code_load(&code, &made.profile, &made.profile_options), -ENOMEM);
	ck_assert_ptr_null(code.rows);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_code");
	TCase *tests = tcase_create("row_code");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_profile_without_rows_has_no_code, 0, 2);
	tcase_add_test(tests, each_image_is_asked_once_for_each_symbol);
	tcase_add_test(tests, an_image_that_fails_fails_all);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
