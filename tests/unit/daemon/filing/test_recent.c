// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/recent.h"

#include "tests/fixture/test_folder.h"

#include <stdlib.h>
#include <string.h>

#define S_NS UINT64_C(1000000000)

static struct recent *recent;
static struct stats stats; /* only values and nr_entries are read */

static void setup(void)
{
	ck_assert_int_eq(recent_create(&recent), 0);
	stats.nr_entries = STATS_NR;
	recent_mark(recent, 0, &stats);
}

static void teardown(void)
{
	recent_destroy(recent);
}

static void add_of(uint32_t image, int32_t tid, uint64_t offset, uint64_t time_ns)
{
	const struct recent_key key = {.image = image, .app = 1, .tgid = 1, .tid = tid};

	recent_add(recent, &key, offset, 10, time_ns);
	stats.values[STATS_STORED]++;
}

static void add(uint64_t offset, uint64_t time_ns)
{
	add_of(2, 1, offset, time_ns);
}

/* The number of samples in the stretch that begins at mark. */
static uint64_t samples_since(const struct recent_mark *mark)
{
	uint64_t nr = 0;

	for (uint64_t at = mark->position; at != recent->head; at++)
		nr += recent_entry(recent, at)->nr_samples;
	return nr;
}

/* Invariant: the samples and the counters of any stretch agree. */
static void consistent(void)
{
	for (uint64_t number = recent->mark_tail; number != recent->mark_head; number++) {
		const struct recent_mark *mark = &recent->marks[number % RECENT_MARKS_MAX];

		ck_assert_uint_ge(mark->position, recent->tail);
		ck_assert_uint_eq(samples_since(mark),
				  stats.values[STATS_STORED] - mark->values[STATS_STORED]);
	}
	ck_assert_uint_le(recent->head - recent->tail, RECENT_ENTRIES_MAX);
	ck_assert_uint_le(recent->keys.nr_keys, RECENT_KEYS_MAX);
}

START_TEST(a_stretch_begins_at_a_mark_and_holds_all_since)
{
	const struct recent_mark *mark;

	for (uint64_t second = 1; second <= 100; second++) {
		for (unsigned int i = 0; i < 7; i++)
			add(i, second * S_NS - 1);
		recent_mark(recent, second * S_NS, &stats);
	}
	consistent();
	mark = recent_find_mark(recent, 100 * S_NS, 10 * S_NS);
	ck_assert_uint_eq(mark->time_ns, 90 * S_NS);
	ck_assert_uint_eq(samples_since(mark), 70);
	mark = recent_find_mark(recent, 100 * S_NS, 10 * S_NS + 1);
	ck_assert_uint_eq(mark->time_ns, 89 * S_NS);
	mark = recent_find_mark(recent, 100 * S_NS, 1000 * S_NS);
	ck_assert_uint_eq(mark->time_ns, 0);
	ck_assert_uint_eq(samples_since(mark), 700);
}
END_TEST

START_TEST(a_stretch_ends_at_the_first_mark_with_all_samples_up_to_its_end)
{
	for (uint64_t second = 1; second <= 100; second++) {
		add(1, second * S_NS - 1);
		recent_mark(recent, second * S_NS, &stats);
	}
	ck_assert_uint_eq(recent_find_end(recent, 100 * S_NS, 10 * S_NS)->time_ns, 90 * S_NS);
	ck_assert_uint_eq(recent_find_end(recent, 100 * S_NS, 10 * S_NS - 1)->time_ns, 91 * S_NS);
	ck_assert_uint_eq(recent_find_end(recent, 100 * S_NS, 10 * S_NS)->position, 90);
	ck_assert_uint_eq(recent_find_end(recent, 100 * S_NS, 1000 * S_NS)->time_ns, 0);
	/* What came after the last mark ends now. */
	ck_assert_ptr_null(recent_find_end(recent, 101 * S_NS, S_NS / 2));
}
END_TEST

START_TEST(marks_are_a_second_apart)
{
	for (unsigned int i = 1; i <= 100; i++)
		recent_mark(recent, i * S_NS / 10, &stats);
	ck_assert_uint_eq(recent->mark_head - recent->mark_tail, 11 + 1 /* 0.9 s each */);
}
END_TEST

START_TEST(samples_at_one_place_between_two_marks_take_one_entry)
{
	for (unsigned int i = 0; i < 1000; i++)
		add(5, i);
	ck_assert_uint_eq(recent->head, 1);
	ck_assert_uint_eq(recent_entry(recent, 0)->nr_samples, 1000);
	ck_assert_uint_eq(recent_entry(recent, 0)->weight, 10000);
	recent_mark(recent, S_NS, &stats);
	add(5, S_NS + 1);
	ck_assert_uint_eq(recent->head, 2);
	add_of(3, 1, 5, S_NS + 2);
	ck_assert_uint_eq(recent->head, 3);
	consistent();
}
END_TEST

START_TEST(when_there_is_no_room_the_oldest_go_and_what_stays_is_whole)
{
	const struct recent_mark *mark;

	for (uint64_t second = 1; second <= 10; second++) {
		for (unsigned int i = 0; i < RECENT_ENTRIES_MAX / 4; i++)
			add(i, second * S_NS - 1);
		recent_mark(recent, second * S_NS, &stats);
		consistent();
	}
	mark = recent_find_mark(recent, 10 * S_NS, 100 * S_NS);
	ck_assert_uint_eq(mark->time_ns, 6 * S_NS);
	ck_assert_uint_eq(samples_since(mark), RECENT_ENTRIES_MAX);
}
END_TEST

START_TEST(more_keys_than_there_are_places_for_push_the_oldest_out)
{
	for (uint64_t second = 1; second <= 5; second++) {
		for (unsigned int i = 0; i < RECENT_KEYS_MAX / 2; i++)
			add_of(2, (int32_t)(second * RECENT_KEYS_MAX + i), 5, second * S_NS - 1);
		recent_mark(recent, second * S_NS, &stats);
		consistent();
	}
	ck_assert_uint_eq(recent->keys.nr_keys, RECENT_KEYS_MAX);
	ck_assert_uint_eq(recent_find_mark(recent, 5 * S_NS, 100 * S_NS)->time_ns, 3 * S_NS);
}
END_TEST

START_TEST(marks_run_out_as_well_and_their_samples_and_keys_go)
{
	add_of(9, 1, 1, 1);
	for (uint64_t second = 1; second <= RECENT_MARKS_MAX + 10; second++) {
		add(second, second * S_NS - 1);
		recent_mark(recent, second * S_NS, &stats);
		consistent();
	}
	ck_assert_uint_eq(recent->mark_head - recent->mark_tail, RECENT_MARKS_MAX);
	ck_assert_uint_lt(recent->head - recent->tail, RECENT_MARKS_MAX);
	ck_assert_uint_eq(recent->keys.nr_keys, 1);
}
END_TEST

START_TEST(a_released_image_is_kept_while_samples_name_it)
{
	char path[] = "//anon";
	const struct image region = {.cookie = 7, .path = path, .kind = OPROF_IMAGE_ANON};
	const struct image stranger = {.cookie = 8, .path = path};

	add_of(7, 1, 1, 1);
	ck_assert_ptr_null(recent_keys_image(&recent->keys, 7));
	recent_release(recent, &region);
	recent_release(recent, &region);
	recent_release(recent, &stranger);
	memset(path, 'x', 6); /* later changes of the source's string have no effect */
	ck_assert_str_eq(recent_keys_image(&recent->keys, 7)->path, "//anon");
	ck_assert_ptr_null(recent_keys_image(&recent->keys, 8));
	recent_clear(recent);
	ck_assert_ptr_null(recent_keys_image(&recent->keys, 7));
	ck_assert_uint_eq(recent->keys.images.nr_nodes, 0);
}
END_TEST

START_TEST(after_clearing_nothing_is_given_before_the_next_mark)
{
	add(1, 1);
	recent_clear(recent);
	ck_assert_ptr_null(recent_find_mark(recent, S_NS, S_NS));
	add(2, 2);
	recent_mark(recent, S_NS, &stats);
	add(3, 3);
	consistent();
	ck_assert_uint_eq(samples_since(recent_find_mark(recent, S_NS, S_NS)), 1);
}
END_TEST

START_TEST(whatever_comes_counters_and_samples_of_every_stretch_agree)
{
	uint64_t time_ns = 0;

	srand(7);
	for (unsigned int i = 0; i < 600000; i++) {
		add_of((uint32_t)rand() % 9 + 1, rand() % 40000, (uint64_t)rand() % 30, time_ns);
		if (rand() % 20000 == 0)
			recent_mark(recent, time_ns += S_NS, &stats);
		if (rand() % 300000 == 0)
			recent_clear(recent);
		if (rand() % 50000 == 0)
			consistent();
	}
	consistent();
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("recent");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_stretch_begins_at_a_mark_and_holds_all_since);
	tcase_add_test(tc, a_stretch_ends_at_the_first_mark_with_all_samples_up_to_its_end);
	tcase_add_test(tc, marks_are_a_second_apart);
	tcase_add_test(tc, samples_at_one_place_between_two_marks_take_one_entry);
	tcase_add_test(tc, when_there_is_no_room_the_oldest_go_and_what_stays_is_whole);
	tcase_add_test(tc, more_keys_than_there_are_places_for_push_the_oldest_out);
	tcase_add_test(tc, marks_run_out_as_well_and_their_samples_and_keys_go);
	tcase_add_test(tc, a_released_image_is_kept_while_samples_name_it);
	tcase_add_test(tc, after_clearing_nothing_is_given_before_the_next_mark);
	tcase_add_test(tc, whatever_comes_counters_and_samples_of_every_stretch_agree);
	return test_run(tc);
}
