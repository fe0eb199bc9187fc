// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/module/module.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <unistd.h>

static struct module_answer kept, recalled;

static void keep(const char *reason, const char *remedy)
{
	module_answer_refuse(&kept, remedy, "%s", reason);
	ck_assert_int_eq(module_keep(test_fd, &kept), 0);
}

START_TEST(why_there_is_no_module_is_kept)
{
	ck_assert(!module_recall(test_fd, &recalled));
	keep("no headers\nhere", "apt-get install x");
	ck_assert(module_recall(test_fd, &recalled));
	ck_assert(!recalled.works);
	ck_assert_str_eq(recalled.reason, "no headers here");
	ck_assert_str_eq(recalled.remedy, "apt-get install x");
	keep("another", "");
	ck_assert(module_recall(test_fd, &recalled));
	ck_assert_str_eq(recalled.reason, "another");
	ck_assert_str_eq(recalled.remedy, "");
}
END_TEST

START_TEST(a_module_that_works_ends_what_was_kept)
{
	keep("no headers", "x");
	kept.works = true;
	errno = EIO; /* from an earlier failure */
	ck_assert_int_eq(module_keep(test_fd, &kept), 0);
	ck_assert(!module_recall(test_fd, &recalled));
	ck_assert_int_eq(module_keep(test_fd, &kept), 0);
}
END_TEST

START_TEST(what_cannot_be_ended_is_an_error)
{
	char folder[96];

	kept.works = true;
	(void)snprintf(folder, sizeof(folder), "%s/" MODULE_INIT_FILE, test_dir);
	ck_assert_int_eq(file_make_dirs(folder, 0700), 0);
	ck_assert_int_eq(module_keep(test_fd, &kept), -EISDIR);
}
END_TEST

START_TEST(what_was_kept_before_the_last_boot_is_not_recalled)
{
	test_put(MODULE_INIT_FILE, "boot 0-0\nreason a\nremedy b\n");
	ck_assert(!module_recall(test_fd, &recalled));
	test_put(MODULE_INIT_FILE, "");
	ck_assert(!module_recall(test_fd, &recalled));
}
END_TEST

START_TEST(without_a_folder_nothing_is_kept)
{
	module_answer_refuse(&kept, "", "x");
	ck_assert_int_eq(module_keep(-1, &kept), -EBADF);
	ck_assert(!module_recall(-1, &recalled));
}
END_TEST

START_TEST(status_tells_what_is_kept)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *stream = open_memstream(&text, &nr_bytes);

	keep("no headers", "apt-get install x");
	module_print(stream, test_fd);
	(void)fclose(stream);
	ck_assert_int_eq(strncmp(text, "module ", 7), 0);
	assert_has(text, "\nmodule_reason no headers\nmodule_remedy apt-get install x\n");
	free(text);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("module");

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, why_there_is_no_module_is_kept);
	tcase_add_test(cases, a_module_that_works_ends_what_was_kept);
	tcase_add_test(cases, what_cannot_be_ended_is_an_error);
	tcase_add_test(cases, what_was_kept_before_the_last_boot_is_not_recalled);
	tcase_add_test(cases, without_a_folder_nothing_is_kept);
	tcase_add_test(cases, status_tells_what_is_kept);
	return test_run(cases);
}
