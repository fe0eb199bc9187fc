// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/image.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>

static struct image_table images;

static void setup(void)
{
	ck_assert_int_eq(image_table_init(&images), 0);
}

static void teardown(void)
{
	image_table_deinit(&images);
}

static struct image_entry *get(const char *path, const struct oprof_image_identity *identity)
{
	struct image_key key = {.kind = OPROF_IMAGE_FILE, .path = path, .identity = identity};
	struct image_entry *entry = image_table_get(&images, &key);

	ck_assert_ptr_nonnull(entry);
	return entry;
}

START_TEST(one_build_id_is_one_image_whatever_else_is_known)
{
	struct oprof_image_identity a = {.build_id = {1, 2}, .nr_build_id = 2};
	struct oprof_image_identity b = {
		.build_id = {1, 2}, .nr_build_id = 2, .dev = 5, .inode = 6, .mtime_ns = 7};
	struct oprof_image_identity c = {.build_id = {1, 2, 0}, .nr_build_id = 3};
	struct oprof_image_identity none = {.dev = 5, .inode = 6};

	ck_assert_ptr_eq(get("/a", &a), get("/a", &b));
	ck_assert_ptr_ne(get("/a", &a), get("/a", &c));
	ck_assert_ptr_ne(get("/a", &a), get("/a", &none));
	/* A copy under another name is an image of its own. */
	ck_assert_ptr_ne(get("/a", &a), get("/b", &a));
}
END_TEST

START_TEST(without_a_build_id_all_the_rest_tells_files_apart)
{
	struct oprof_image_identity a = {
		.dev = 1, .inode = 2, .inode_generation = 3, .mtime_ns = 4, .size_bytes = 5};
	struct oprof_image_identity others[] = {a, a, a, a, a};

	others[0].dev++;
	others[1].inode++;
	others[2].inode_generation++;
	others[3].mtime_ns++;
	others[4].size_bytes++;
	ck_assert_ptr_eq(get("/a", &a), get("/a", &a));
	for (size_t i = 0; i < 5; i++)
		ck_assert_ptr_ne(get("/a", &a), get("/a", &others[i]));
}
END_TEST

START_TEST(cookies_begin_at_1_and_stay)
{
	struct image_entry *a = get("/a", NULL);
	struct image_entry *b = get("/b", NULL);

	ck_assert_uint_eq(image_tell(b), 1);
	ck_assert_uint_eq(image_tell(a), 2);
	ck_assert_uint_eq(image_tell(b), 1);
	image_put(a);
	image_put(b);
	ck_assert_str_eq(image_table_find(&images, 1)->path, "/b");
	ck_assert_str_eq(image_table_find(&images, 2)->path, "/a");
	ck_assert_ptr_null(image_table_find(&images, 0));
	ck_assert_ptr_null(image_table_find(&images, 3));
	ck_assert_ptr_null(image_table_find(&images, UINT32_MAX));
	ck_assert_ptr_eq(get("/a", NULL), a);
}
END_TEST

static void note_gone(const struct image *image, void *context)
{
	uint32_t *cookies = context;

	ck_assert_ptr_eq(image_table_find(&images, image->cookie), image);
	*cookies += image->cookie;
}

START_TEST(a_cookie_ends_by_release_and_is_given_to_nobody_else)
{
	struct image_entry *region = image_table_get_region(&images, "anon", 7, 100, 200);
	uint32_t cookies = 0;

	ck_assert_uint_eq(image_tell(region), 1);
	ck_assert(!image_table_has_retired(&images));
	image_put(region);
	ck_assert(image_table_has_retired(&images));
	ck_assert_ptr_nonnull(image_table_find(&images, 1));
	/* The process may already have another region there. */
	region = image_table_get_region(&images, "anon", 7, 100, 200);
	ck_assert_uint_eq(image_tell(region), 2);
	image_table_release(&images, note_gone, &cookies);
	ck_assert_uint_eq(cookies, 1);
	ck_assert_ptr_null(image_table_find(&images, 1));
	ck_assert_ptr_nonnull(image_table_find(&images, 2));
	ck_assert(!image_table_has_retired(&images));
	image_put(region); /* told and retired, but not released when the table ends */
}
END_TEST

START_TEST(told_files_that_nothing_maps_are_kept_in_part)
{
	char path[32];
	uint32_t cookies = 0;

	for (int i = 0; i < 100000; i++) {
		struct image_entry *entry;

		snprintf(path, sizeof(path), "/x%d", i);
		entry = get(path, NULL);
		ck_assert_uint_eq(image_tell(entry), (uint32_t)i + 1);
		image_put(entry);
		image_table_release(&images, note_gone, &cookies);
		ck_assert_uint_le(images.entries.nr_nodes, 4096);
		ck_assert_uint_le(images.cookies.nr_nodes, 4096);
	}
	ck_assert_uint_eq(images.nr_released, 100000 - 4096);
	/* An image that was kept still has its cookie. */
	ck_assert_uint_eq(get("/x99000", NULL)->image.cookie, 99001);
	ck_assert_uint_eq(get("/x0", NULL)->image.cookie, OPROF_IMAGE_NONE);
}
END_TEST

START_TEST(images_that_nothing_names_or_maps_do_not_pile_up)
{
	char path[32];
	struct image_entry *kept = get("/kept", NULL);
	struct image_entry *told = get("/told", NULL);

	image_tell(told);
	image_put(told);
	for (int i = 0; i < 100000; i++) {
		snprintf(path, sizeof(path), "/x%d", i);
		image_put(get(path, NULL));
	}
	ck_assert_uint_lt(images.entries.nr_nodes, 5000);
	ck_assert_ptr_eq(get("/kept", NULL), kept);
	ck_assert_ptr_eq(get("/told", NULL), told);
	/* The newest images are still found. */
	size_t nr = images.entries.nr_nodes;

	image_put(get("/x99999", NULL));
	ck_assert_uint_eq(images.entries.nr_nodes, nr);
}
END_TEST

START_TEST(an_unused_image_can_be_told)
{
	struct image_entry *entry = get("/a", NULL);

	image_put(entry);
	ck_assert_uint_eq(image_tell(entry), 1);
	ck_assert_uint_eq(images.unused.nr, 0);
	ck_assert_uint_eq(images.told_unused.nr, 1);
	image_put(image_get(entry));
	ck_assert_uint_eq(images.unused.nr, 0);
	ck_assert_uint_eq(images.told_unused.nr, 1);
}
END_TEST

START_TEST(a_region_that_grew_is_another_one_that_shrank_is_not)
{
	struct image_entry *a = image_table_get_region(&images, "anon", 7, 100, 200);

	ck_assert_ptr_eq(image_table_get_region(&images, "anon", 7, 100, 150), a);
	ck_assert_ptr_ne(image_table_get_region(&images, "anon", 7, 100, 201), a);
	ck_assert_ptr_ne(image_table_get_region(&images, "anon", 8, 100, 200), a);
	ck_assert_ptr_ne(image_table_get_region(&images, "[heap]", 7, 100, 200), a);
	ck_assert_ptr_ne(image_table_get_region(&images, "anon", 7, 101, 200), a);
}
END_TEST

START_TEST(a_region_that_grows_page_by_page_is_a_few_images)
{
	struct image_entry *entry = NULL;

	for (uint64_t nr_pages = 1; nr_pages <= 1000; nr_pages++) {
		entry = image_table_get_region(&images, "anon", 7, 0x10000,
					       0x10000 + nr_pages * 0x1000);
		ck_assert_uint_ge(entry->image.end, 0x10000 + nr_pages * 0x1000);
		ck_assert_uint_ne(image_tell(entry), OPROF_IMAGE_NONE);
	}
	ck_assert_uint_le(images.nr_told, 11);
	ck_assert_ptr_eq(image_table_find_region(&images, "anon", 7, 0x10000, 0x20000), entry);
	ck_assert_ptr_null(image_table_find_region(&images, "anon", 7, 0x11000, 0x20000));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("image");
	TCase *tests = tcase_create("image");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, one_build_id_is_one_image_whatever_else_is_known);
	tcase_add_test(tests, without_a_build_id_all_the_rest_tells_files_apart);
	tcase_add_test(tests, cookies_begin_at_1_and_stay);
	tcase_add_test(tests, a_cookie_ends_by_release_and_is_given_to_nobody_else);
	tcase_add_test(tests, told_files_that_nothing_maps_are_kept_in_part);
	tcase_add_test(tests, images_that_nothing_names_or_maps_do_not_pile_up);
	tcase_add_test(tests, an_unused_image_can_be_told);
	tcase_add_test(tests, a_region_that_grows_page_by_page_is_a_few_images);
	tcase_add_test(tests, a_region_that_grew_is_another_one_that_shrank_is_not);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
