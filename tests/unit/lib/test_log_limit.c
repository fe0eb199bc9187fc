// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/log_limit.h"
#include "tests/fixture/run_suite.h"

#include <check.h>

#define NS UINT64_C(1000000000)

static struct log_limit limit;
static uint64_t nr_left_out;

static void setup(void)
{
	log_limit_init(&limit, 3);
}

static unsigned int let_through(const char *format, unsigned int nr, uint64_t now_ns)
{
	unsigned int nr_through = 0;

	for (unsigned int i = 0; i < nr; i++)
		nr_through += log_limit_take(&limit, format, now_ns, &nr_left_out);
	return nr_through;
}

START_TEST(a_place_has_its_number_of_messages_in_a_turn)
{
	ck_assert_uint_eq(let_through("a", 10, NS), 3);
	ck_assert_uint_eq(let_through("a", 10, NS + LOG_LIMIT_NS - 1), 0);
}
END_TEST

START_TEST(another_place_is_not_held_back_by_the_first)
{
	ck_assert_uint_eq(let_through("a", 10, NS), 3);
	ck_assert_uint_eq(let_through("b", 10, NS), 3);
}
END_TEST

START_TEST(the_next_turn_tells_how_many_were_left_out)
{
	(void)let_through("a", 10, NS);
	ck_assert(log_limit_take(&limit, "a", NS + LOG_LIMIT_NS, &nr_left_out));
	ck_assert_uint_eq(nr_left_out, 7);
	ck_assert(log_limit_take(&limit, "a", NS + LOG_LIMIT_NS, &nr_left_out));
	ck_assert_uint_eq(nr_left_out, 0);
}
END_TEST

START_TEST(a_turn_that_nobody_follows_is_told_once)
{
	(void)let_through("a", 5, NS);
	ck_assert_uint_eq(log_limit_over(&limit, NS + LOG_LIMIT_NS - 1), 0);
	ck_assert_uint_eq(log_limit_over(&limit, NS + LOG_LIMIT_NS), 2);
	ck_assert_uint_eq(log_limit_over(&limit, NS + LOG_LIMIT_NS), 0);
}
END_TEST

START_TEST(more_places_than_there_is_room_for_do_no_harm)
{
	static const char formats[LOG_LIMIT_PLACES * 4];

	for (size_t i = 0; i < sizeof(formats); i++)
		ck_assert_uint_eq(let_through(&formats[i], 10, NS + i), 3);
}
END_TEST

START_TEST(what_a_place_left_out_is_told_after_another_has_taken_it)
{
	static const char formats[LOG_LIMIT_PLACES + 1];

	(void)let_through(&formats[0], 10, NS);
	(void)let_through(&formats[1], 5, NS + 1);
	for (size_t i = 2; i < sizeof(formats); i++)
		(void)let_through(&formats[i], 1, NS + i);
	ck_assert_uint_eq(log_limit_over(&limit, NS * 2), 7);
	ck_assert_uint_eq(log_limit_over(&limit, NS * 2), 0);
	ck_assert_uint_eq(log_limit_over(&limit, NS * 2 + LOG_LIMIT_NS), 2);
}
END_TEST

START_TEST(the_messages_left_out_of_every_place_are_reported)
{
	static const char formats[LOG_LIMIT_PLACES];
	unsigned int nr = 0;

	for (size_t i = 0; i < sizeof(formats); i++)
		(void)let_through(&formats[i], 4, NS);
	while (nr <= sizeof(formats) && log_limit_over(&limit, NS + LOG_LIMIT_NS) == 1)
		nr++;
	ck_assert_uint_eq(nr, sizeof(formats));
	ck_assert_uint_eq(log_limit_over(&limit, NS + LOG_LIMIT_NS), 0);
}
END_TEST

START_TEST(without_a_bound_everything_is_let_through)
{
	log_limit_init(&limit, 0);
	ck_assert_uint_eq(let_through("a", 1000, NS), 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log_limit");
	TCase *tc = tcase_create("log_limit");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_place_has_its_number_of_messages_in_a_turn);
	tcase_add_test(tc, another_place_is_not_held_back_by_the_first);
	tcase_add_test(tc, the_next_turn_tells_how_many_were_left_out);
	tcase_add_test(tc, a_turn_that_nobody_follows_is_told_once);
	tcase_add_test(tc, more_places_than_there_is_room_for_do_no_harm);
	tcase_add_test(tc, what_a_place_left_out_is_told_after_another_has_taken_it);
	tcase_add_test(tc, the_messages_left_out_of_every_place_are_reported);
	tcase_add_test(tc, without_a_bound_everything_is_let_through);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
