// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/source_choice.h"

#include "tests/fixture/fake_source.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <string.h>

static const struct source_config config = {.target = SOURCE_SYSTEM};
static struct source_choice choice;
static struct source *source;
static struct diag diag;

static int refuse(struct source **to, const struct source_config *asked, struct record_sink *sink,
		  struct diag *why)
{
	(void)to;
	(void)asked;
	(void)sink;
	return diag_set(why, -ENOENT, "the module is away:\ncall it");
}

static const struct source_ops refusing = {.open = refuse};

START_TEST(a_source_that_can_be_had_is_taken_for_the_reason_it_was_asked_for)
{
	source_choice_init(&choice, SOURCE_WISH_AUTO);
	ck_assert_ptr_eq(choice.ops, &source_kmod);
	ck_assert_ptr_eq(choice.fallback, &source_perf);
	choice.ops = &source_fake;
	ck_assert_int_eq(source_choice_open(&choice, &source, &config, NULL, &diag), 0);
	ck_assert_ptr_eq(choice.ops, &source_fake);
	ck_assert_str_eq(choice.reason, "the kernel module is loaded");
	ck_assert_int_eq(choice.wish, SOURCE_WISH_AUTO);
}
END_TEST

START_TEST(where_it_cannot_be_had_the_other_is_and_the_reason_is_kept_on_one_line)
{
	choice = (struct source_choice){.ops = &refusing, .fallback = &source_fake};
	diag_clear(&diag);
	ck_assert_int_eq(source_choice_open(&choice, &source, &config, NULL, &diag), 0);
	ck_assert_ptr_eq(choice.ops, &source_fake);
	ck_assert_str_eq(choice.reason, "the module is away: call it");
	ck_assert_str_eq(diag.text, "");
}
END_TEST

START_TEST(one_that_was_asked_for_by_name_has_no_other)
{
	source_choice_init(&choice, SOURCE_WISH_PERF);
	ck_assert_ptr_eq(choice.ops, &source_perf);
	ck_assert_ptr_null(choice.fallback);
	source_choice_init(&choice, SOURCE_WISH_KMOD);
	ck_assert_ptr_null(choice.fallback);
	choice.ops = &refusing;
	ck_assert_int_eq(source_choice_open(&choice, &source, &config, NULL, &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "away"));
	ck_assert_str_eq(choice.reason, "requested");
	ck_assert_int_eq(choice.wish, SOURCE_WISH_KMOD);
}
END_TEST

START_TEST(wishes_are_three_words)
{
	static const enum source_wish wishes[] = {SOURCE_WISH_AUTO, SOURCE_WISH_KMOD,
						  SOURCE_WISH_PERF};
	static const char *const texts[] = {"auto", "kmod", "perf"};
	enum source_wish wish = SOURCE_WISH_KMOD;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_int_eq(source_wish_parse(texts[i], &wish), 0);
		ck_assert_int_eq(wish, wishes[i]);
		ck_assert_str_eq(source_wish_text(wish), texts[i]);
	}
	ck_assert_int_eq(source_wish_parse("replay", &wish), -EINVAL);
	ck_assert_int_eq(source_wish_parse("", &wish), -EINVAL);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("source_choice");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, a_source_that_can_be_had_is_taken_for_the_reason_it_was_asked_for);
	tcase_add_test(tc, where_it_cannot_be_had_the_other_is_and_the_reason_is_kept_on_one_line);
	tcase_add_test(tc, one_that_was_asked_for_by_name_has_no_other);
	tcase_add_test(tc, wishes_are_three_words);
	return test_run(tc);
}
