// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads and checks a sample file while its writer empties it or adds to it, with the steps of both
 * interleaved in every way. The reader must get samples of one epoch only, and must not report the
 * writer's changes as damage.
 */
#include "libdb/sdb_internal.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/meanwhile.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_KEYS	   1300u /* more than an emptied file keeps */
#define NR_RENEWED 3u	 /* keys of the next epoch */
#define TIME_NS	   77	 /* of the samples of every other epoch */
#define WEIGHT	   10u	 /* of each of these samples; else it is the period */
#define NR_TURNS   12u	 /* readings after which keys were added to all lines */
#define PERIOD	   1000u

static struct make_sdb make;
static struct sdb *db;
static uint64_t epoch; /* before the file was emptied */
static uint64_t next_key;
static unsigned int nr_readings, nr_in_line[SDB_PAGE_LINES];

/* The reader's result. */
static struct {
	int error;
	struct diag diag;
	struct sdb_image image;
	uint64_t nr_samples, weight;
} found;

/* Epochs with an even number store weights and have times. */
static void fill(uint64_t nr_keys)
{
	const bool weighted = sdb_header(db)->flags & OPROF_SDB_WEIGHTED;

	for (uint64_t i = 0; i < nr_keys; i++) {
		const uint64_t key = i * 0x9e3779b97f4a7c15u;

		if (weighted)
			ck_assert_int_eq(sdb_add_weighted(db, key, 1, WEIGHT), 0);
		else
			ck_assert_int_eq(sdb_add(db, key, 1), 0);
	}
	if (weighted)
		sdb_set_time(db, TIME_NS);
}

static void restart(void)
{
	struct sdb_identity identity = make.identity;

	identity.epoch = sdb_header(db)->epoch + 1;
	identity.flags = identity.epoch % 2 ? 0 : OPROF_SDB_WEIGHTED;
	ck_assert_int_eq(sdb_restart(db, &identity), 0);
}

static void setup(void)
{
	make_sdb_init(&make);
	make.identity.epoch = 1;
	make.identity.period_or_hz = PERIOD;
	db = make_sdb_open(&make);
	epoch = 1;
	next_key = 0;
	nr_readings = 0;
	memset(nr_in_line, 0, sizeof(nr_in_line));
	memset(&found, 0, sizeof(found));
}

static void teardown(void)
{
	sdb_close(db);
	make_sdb_deinit(&make);
}

static void empty_it(void *context)
{
	(void)context;
	restart();
	fill(NR_RENEWED);
}

static void keep_image(void)
{
	if (found.error)
		return;
	found.nr_samples = found.image.nr_samples;
	found.weight = found.image.weight;
	sdb_image_deinit(&found.image);
}

/* Keeps the header in found.image. */
static void read_header(void *context)
{
	struct sdb_image image;

	(void)context;
	found.error = sdb_image_load_header(make.path, &image, &found.diag);
	if (found.error)
		return;
	found.image.header = image.header;
	sdb_image_deinit(&image);
}

static void read_all(void *context)
{
	(void)context;
	found.error = sdb_image_load(make.path, &found.image, &found.diag);
	if (!found.error) {
		const struct oprof_sdb_header header = found.image.header;

		keep_image();
		found.image.header = header;
	}
}

static void verify_header(const char *where)
{
	const struct oprof_sdb_header *header = &found.image.header;
	const bool weighted = header->epoch % 2 == 0;

	ck_assert_msg(!found.error, "%s: %s", where, diag_show(&found.diag));
	ck_assert_msg(header->epoch == epoch || header->epoch == epoch + 1, "%s: epoch %lu", where,
		      (unsigned long)header->epoch);
	if (header->epoch_emptied == header->epoch)
		return; /* being emptied */
	ck_assert_msg(!(header->flags & OPROF_SDB_WEIGHTED) == !weighted,
		      "%s: epoch %lu has the flags of another", where,
		      (unsigned long)header->epoch);
	ck_assert_msg(!header->start_time_ns || (weighted && header->start_time_ns == TIME_NS),
		      "%s: epoch %lu has the times of another", where,
		      (unsigned long)header->epoch);
}

static void verify_all(const char *where)
{
	const bool weighted = found.image.header.epoch % 2 == 0;

	verify_header(where);
	if (found.image.header.epoch_emptied == found.image.header.epoch)
		ck_assert_msg(!found.nr_samples, "%s: samples while it is emptied", where);
	else if (found.image.header.epoch == epoch)
		ck_assert_msg(found.nr_samples == NR_KEYS, "%s: %lu samples", where,
			      (unsigned long)found.nr_samples);
	else
		ck_assert_msg(found.nr_samples <= NR_RENEWED, "%s: %lu samples of the next epoch",
			      where, (unsigned long)found.nr_samples);
	/*
	 * If the next epoch was read between an addition and its weight, the last sample has no
	 * weight yet.
	 */
	ck_assert_msg(found.weight == found.nr_samples * (weighted ? WEIGHT : PERIOD) ||
			      (weighted && found.image.header.epoch == epoch + 1),
		      "%s: weight %lu of %lu samples", where, (unsigned long)found.weight,
		      (unsigned long)found.nr_samples);
}

static unsigned int try(const struct meanwhile *both, const struct meanwhile_plan *plan,
			void (*verify)(const char *where))
{
	char where[128];
	unsigned int nr_steps;

	restart();
	fill(NR_KEYS);
	ck_assert_uint_gt(sdb_nr_bytes(db), 65536);
	epoch = sdb_header(db)->epoch;
	nr_steps = meanwhile_run(both, plan);
	(void)snprintf(where, sizeof(where), "%u stores before step %u, the rest before %u",
		       plan->nr_stores, plan->first, plan->second);
	verify(where);
	return nr_steps;
}

START_TEST(emptied_at_any_look_at_its_header_a_file_tells_one_epoch)
{
	const struct meanwhile both = {
		.read = read_header, .write = empty_it, .descending = _i % 2};
	struct meanwhile_plan plan = {.nr_stores = MEANWHILE_ALL, .second = MEANWHILE_ALL};

	while (try(&both, &plan, verify_header) > plan.first)
		plan.first++;
	ck_assert_uint_gt(plan.first, 40);
}
END_TEST

/* The next step to try; every step under OPROF_CHECK_ALL. */
static unsigned int next(unsigned int later)
{
	return getenv("OPROF_CHECK_ALL") ? later + 1 : later * 1000;
}

START_TEST(at_no_two_steps_of_emptying_does_a_header_tell_two_epochs)
{
	const struct meanwhile both = {
		.read = read_header, .write = empty_it, .descending = _i % 2};
	const unsigned int nr_stores = meanwhile_count_stores(&both);
	struct meanwhile_plan plan = {0};
	unsigned int nr_steps = 1;

	restart(); /* the long epochs are the even ones */

	/* Stops the writer at the beginning of the emptying, and from its end on. */
	ck_assert_uint_gt(nr_stores, 20);
	plan.nr_stores = _i < 4 ? 1 + (unsigned int)_i / 2 : nr_stores - (unsigned int)_i / 2;
	for (plan.first = 0; plan.first < nr_steps; plan.first++) {
		nr_steps = plan.first + 2;
		for (unsigned int later = 1; plan.first + later <= nr_steps; later = next(later)) {
			plan.second = plan.first + later;
			nr_steps = try(&both, &plan, verify_header);
		}
	}
}
END_TEST

START_TEST(emptied_at_any_step_of_reading_a_file_is_read_as_of_one_epoch)
{
	const struct meanwhile both = {.read = read_all, .write = empty_it, .descending = _i % 2};
	struct meanwhile_plan plan = {.nr_stores = _i < 2 ? MEANWHILE_ALL : 2};

	do {
		plan.second = plan.first + 3;
	} while (try(&both, &plan, verify_all) > plan.first++);
	ck_assert_uint_gt(plan.first, 60);
}
END_TEST

#define EMPTIED_MAX 10 /* how often the file is emptied during one read */

static long long last_position;
static unsigned int nr_looks; /* how often the reader checked the epoch */
static unsigned int nr_empty; /* the file is emptied before so many of these checks */

/*
 * A check begins with reading the epoch's word; a read of the whole header also passes it, word by
 * word.
 */
static void empty_before_look(void *context)
{
	const long long epoch_at = offsetof(struct oprof_sdb_header, epoch);
	const long long position = meanwhile_position();

	if (position == epoch_at && last_position != epoch_at - 8 && nr_looks++ < nr_empty)
		empty_it(context);
	last_position = position;
}

START_TEST(a_file_that_is_emptied_whenever_it_was_read_is_given_up_after_ten_times)
{
	const struct meanwhile both = {.read = read_all, .write = empty_before_look};

	for (nr_empty = EMPTIED_MAX - 2; nr_empty <= EMPTIED_MAX + 1; nr_empty++) {
		const bool too_often = nr_empty >= EMPTIED_MAX;

		nr_looks = 0;
		epoch = sdb_header(db)->epoch + nr_empty - 1;
		(void)meanwhile_run_at_each(&both);
		ck_assert_uint_eq(nr_looks, too_often ? EMPTIED_MAX : nr_empty + 1);
		ck_assert_int_eq(found.error, too_often ? -EAGAIN : 0);
		if (too_often)
			ck_assert_ptr_nonnull(strstr(found.diag.text, "emptied too often"));
		else
			verify_all("emptied at each look");
	}
}
END_TEST

/* ---- growing ---- */

/* Returns a key whose home is that line of the root page, and which was not added yet. */
static uint64_t key_of_line(uint32_t line, uint32_t nr_lines)
{
	while (sdb_probe_begin(sdb_mix(++next_key), nr_lines).line != line)
		;
	return next_key;
}

/*
 * Adds a key to the line that is being read: it may lie before or after the part already read. Each
 * time that the page is read, other lines are chosen.
 */
static void add_to_line(void *context)
{
	const uint64_t position = (uint64_t)meanwhile_position();
	uint32_t page, start_bytes, line;

	(void)context;
	sdb_narrow_root(sdb_header(db)->header_bytes, &page, &start_bytes);
	nr_readings += position == 0;
	if (page || position < start_bytes || position % SDB_LINE_BYTES != SDB_LINE_BYTES / 2)
		return;
	line = (uint32_t)(position - start_bytes) / SDB_LINE_BYTES;
	if (line % NR_TURNS != nr_readings % NR_TURNS)
		return;
	while (nr_in_line[line] < SDB_LINE_NARROW - 2) {
		const uint64_t key = key_of_line(line, sdb_page_lines(start_bytes));

		ck_assert_int_eq(sdb_add(db, key, 1), 0);
		nr_in_line[line]++;
	}
}

static void read_result(void *context)
{
	struct sdb_check_result result;

	(void)context;
	found.error = sdb_check(make.path, &result, &found.diag);
}

/*
 * The checker reads a line slot by slot while later slots are filled: that must not look like a
 * hole in the line.
 */
START_TEST(a_file_that_is_added_to_while_it_is_checked_is_not_told_as_damaged)
{
	const struct meanwhile both = {
		.read = read_result, .write = add_to_line, .nr_torn_bytes = SDB_PAGE_BYTES};

	(void)meanwhile_run_at_each(&both);
	ck_assert_msg(!found.error, "%s", diag_show(&found.diag));
	ck_assert_uint_gt(nr_readings, 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_meanwhile");
	TCase *tc = tcase_create("meanwhile");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, emptied_at_any_look_at_its_header_a_file_tells_one_epoch, 0, 2);
	tcase_add_loop_test(tc, at_no_two_steps_of_emptying_does_a_header_tell_two_epochs, 0, 8);
	tcase_add_loop_test(tc, emptied_at_any_step_of_reading_a_file_is_read_as_of_one_epoch, 0,
			    4);
	tcase_add_test(tc, a_file_that_is_emptied_whenever_it_was_read_is_given_up_after_ten_times);
	tcase_add_test(tc, a_file_that_is_added_to_while_it_is_checked_is_not_told_as_damaged);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
