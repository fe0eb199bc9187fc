// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that cannot be resolved for now. test_kmod_state has the images of a stream. */
#include "daemon/module_source/kmod_images.h"

#include "tests/fixture/failing_calls.h"
#include "tests/fixture/fake_image_file.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/record_catcher.h"
#include "tests/fixture/run_suite.h"

#include <errno.h>

#define COOKIE 5

static struct fake_proc proc;
static struct record_catcher catcher;
static struct places places;
static struct kmod_images images;

static void setup(void)
{
	const struct places_config config = {
		.sink = &catcher.sink, .proc_path = proc.path, .sys_path = proc.path};

	fake_proc_init(&proc);
	record_catcher_init(&catcher);
	ck_assert_int_eq(places_init(&places, &config, NULL), 0);
	ck_assert_int_eq(kmod_images_init(&images, &places, fake_image_file_open), 0);
	fake_image_file_init("/proc/self/exe");
}

static void teardown(void)
{
	places_end(&places);
	kmod_images_deinit(&images);
	places_deinit(&places);
	fake_proc_deinit(&proc);
}

START_TEST(a_file_that_memory_did_not_suffice_for_is_tried_again)
{
	const struct oprof_kmod_image record = {.image = COOKIE, .kind = OPROF_IMAGE_FILE};
	struct image_entry *entry;
	struct kmod_image *image;

	fake_image_file.error = -EMFILE;
	ck_assert_int_eq(kmod_images_add(&images, &record, "", 0), 0);
	fake_image_file.error = 0;
	image = kmod_images_find(&images, COOKIE);
	failing_begin(FAILING_MEMORY, 1, 1);
	entry = kmod_image_entry(&images, image, image->retry_ns);
	ck_assert(failing_end());
	ck_assert_ptr_null(entry);
	ck_assert_uint_eq(fake_image_file.nr_opens, 2);
	ck_assert_uint_eq(images.nr_unopened, 0);
	/* Not at once, but when the time to retry has come. */
	ck_assert_ptr_null(kmod_image_entry(&images, image, image->retry_ns - 1));
	ck_assert_uint_eq(fake_image_file.nr_opens, 2);
	ck_assert_ptr_nonnull(kmod_image_entry(&images, image, image->retry_ns));
	ck_assert_uint_eq(fake_image_file.nr_opens, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kmod_images");
	TCase *tests = tcase_create("kmod_images");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_file_that_memory_did_not_suffice_for_is_tried_again);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
