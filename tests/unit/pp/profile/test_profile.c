// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/seed.h"
#include "tests/fixture/terminal.h"
#include "lib/file.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct make_session session;
static struct make_profile made;

/* With gaps before, between and after the symbols. */
static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x10, .address = 0x400100, .name = "first"},
	{.start = 0x110, .nr_bytes = 0x10, .address = 0x400110, .name = "_Z3foo"},
	{.start = 0x200, .nr_bytes = 0x80, .address = 0x400200, .name = "last"},
};

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){0};
	fake_symbols_set("/bin/a", symbols, 3, NULL);
}

static void teardown(void)
{
	fake_symbols_clear();
	make_session_deinit(&session);
}

/* Samples in class of the row with that application, image and symbol; 0 if there is none. */
static uint64_t samples_of(const char *app, const char *image, const char *name, size_t class)
{
	const struct profile *profile = &made.profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->nr_rows; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (strcmp(made.selection.apps[row->app], app) != 0 ||
		    strcmp(made.selection.images[row->image].path, image) != 0 ||
		    (!name != !row->name) || (name && strcmp(name, row->name) != 0))
			continue;
		sum += profile_counts(profile, i)[class];
	}
	return sum;
}

START_TEST(samples_fall_to_the_symbol_that_holds_their_key)
{
	const struct make_sample samples[] = {{0, 1},	    {0xff, 2},	   {0x100, 4},
					      {0x10f, 8},   {0x110, 16},   {0x11f, 32},
					      {0x120, 64},  {0x1ff, 128},  {0x200, 256},
					      {0x27f, 512}, {0x280, 1024}, {UINT64_MAX, 2048}};

	make_session_add(&session, &(struct make_file){.app = "/bin/a"}, samples, 12, NULL);
	made.profile_options.symbols = true;
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(samples_of("/bin/a", "/bin/a", "first", 0), 12);
	ck_assert_uint_eq(samples_of("/bin/a", "/bin/a", "_Z3foo", 0), 48);
	ck_assert_uint_eq(samples_of("/bin/a", "/bin/a", "last", 0), 768);
	ck_assert_uint_eq(samples_of("/bin/a", "/bin/a", NULL, 0), 4095 - 12 - 48 - 768);
	ck_assert_uint_eq(made.profile.nr_samples, 4095);
	ck_assert_uint_eq(made.profile.nr_rows, 4);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(each_image_is_opened_once_however_many_applications_use_it)
{
	for (int i = 0; i < 5; i++) {
		char app[16];

		(void)snprintf(app, sizeof(app), "/app%d", i);
		make_session_add_one(
			&session,
			&(struct make_file){.app = app, .image = "/bin/a", .cpu_behind = 1}, 0x100,
			1);
		make_session_add_one(
			&session,
			&(struct make_file){.app = app, .image = "/bin/a", .cpu_behind = 2}, 0x100,
			10);
	}
	made.profile_options.symbols = true;
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(fake_symbols_nr_loads(), 1);
	ck_assert_uint_eq(made.profile.nr_rows, 5);
	ck_assert_uint_eq(samples_of("/app3", "/bin/a", "first", 0), 1);
	ck_assert_uint_eq(samples_of("/app3", "/bin/a", "first", 1), 10);
	ck_assert_uint_eq(made.profile.totals[1], 50);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(copies_of_a_binary_are_opened_once)
{
	const struct oprof_image_identity identity = {.nr_build_id = 4, .build_id = {1, 2, 3, 4}};

	make_session_add_one(&session, &(struct make_file){.app = "/bin/a", .identity = &identity},
			     0x100, 1);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/b", .identity = &identity},
			     0x100, 1);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/c"}, 0x100, 1);
	made.profile_options.symbols = true;
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(fake_symbols_nr_loads(), 2);
	ck_assert_uint_eq(samples_of("/bin/b", "/bin/b", "first", 0), 1);
	ck_assert_uint_eq(samples_of("/bin/c", "/bin/c", NULL, 0), 1);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(a_copy_that_is_gone_has_the_symbols_of_one_that_is_there)
{
	const struct oprof_image_identity identity = {.nr_build_id = 4, .build_id = {1, 2, 3, 4}};

	make_session_add_one(&session, &(struct make_file){.app = "/bin/a", .identity = &identity},
			     0x100, 1);
	make_session_add_one(
		&session, &(struct make_file){.app = "/bin/gone", .identity = &identity}, 0x100, 1);
	make_session_add_one(
		&session, &(struct make_file){.app = "/bin/Gone", .identity = &identity}, 0x100, 1);
	made.profile_options.symbols = true;
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(samples_of("/bin/gone", "/bin/gone", "first", 0), 1);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(the_flat_profile_opens_no_binary)
{
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x100, 7);
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(fake_symbols_nr_loads(), 0);
	ck_assert_uint_eq(made.profile.nr_rows, 1);
	ck_assert_uint_eq(made.profile.nr_samples, 7);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(idle_is_counted_in_no_total)
{
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x100, 7);
	make_session_add_one(&session, &(struct make_file){.app = "{idle}"}, 0x100, 1000);
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_samples, 7);
	ck_assert_uint_eq(made.profile.nr_idle, 1000);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(symbols_are_excluded_by_either_name)
{
	const struct make_sample samples[] = {{0, 1}, {0x100, 2}, {0x110, 4}, {0x200, 8}};

	make_session_add(&session, &(struct make_file){.app = "/bin/a"}, samples, 4, NULL);
	made.profile_options.symbols = true;
	made.profile_options.demangle = DEMANGLE_NORMAL;
	ck_assert_int_eq(spec_list_parse(&made.profile_options.exclude, "foo(),la*", NULL), 0);
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_samples, 3);
	ck_assert_uint_eq(made.profile.totals[0], 3);
	ck_assert_uint_eq(made.profile.nr_filtered, 12);
	make_profile_deinit(&made);
	spec_list_deinit(&made.profile_options.exclude);
}
END_TEST

START_TEST(only_included_symbols_are_counted)
{
	const struct make_sample samples[] = {{0, 1}, {0x100, 2}, {0x110, 4}, {0x200, 8}};

	make_session_add(&session, &(struct make_file){.app = "/bin/a"}, samples, 4, NULL);
	made.profile_options.symbols = true;
	ck_assert_int_eq(spec_list_parse(&made.profile_options.include, "_Z3foo", NULL), 0);
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_samples, 4);
	ck_assert_uint_eq(made.profile.nr_filtered, 11);
	make_profile_deinit(&made);
	spec_list_deinit(&made.profile_options.include);
}
END_TEST

START_TEST(a_damaged_file_is_named_and_the_report_goes_on)
{
	const struct make_sample sample = {0x100, 1};
	char path[PATH_MAX];

	make_session_add(&session, &(struct make_file){.app = "/bin/a"}, &sample, 1, NULL);
	make_session_add(&session, &(struct make_file){.app = "/bin/b"}, &sample, 1, path);
	ck_assert_int_eq(truncate(path, 100), 0);
	made.profile_options.symbols = true;
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_damaged, 1);
	ck_assert_uint_eq(make_profile_nr_skipped(), 1);
	ck_assert_str_eq(make_profile_skipped(), path);
	ck_assert_uint_eq(made.profile.nr_samples, 1);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(times_span_all_files)
{
	make_session_add_one(
		&session,
		&(struct make_file){.app = "/bin/a", .start_time_ns = 100, .end_time_ns = 200}, 1,
		1);
	make_session_add_one(
		&session,
		&(struct make_file){.app = "/bin/b", .start_time_ns = 50, .end_time_ns = 150}, 1,
		1);
	make_profile_init(&made, &session, "");
	ck_assert_int_eq(made.profile.start_ns, 50);
	ck_assert_int_eq(made.profile.end_ns, 200);
	ck_assert_str_eq(made.profile.host, "testhost");
	ck_assert(!made.profile.several_hosts);
	make_profile_deinit(&made);
}
END_TEST

static uint64_t random_state;

static uint64_t random_below(uint64_t bound)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % bound;
}

/* The samples that were added, by class, and those of idle separately. */
struct truth {
	uint64_t totals[3];
	uint64_t idle;
};

static void make_random_file(struct truth *truth)
{
	static const char *const apps[] = {"/bin/a", "/bin/b", "/usr/bin/c", "vmlinux"};
	static const char *const images[] = {"/bin/a", "/lib/x.so", "vmlinux", "ext4", NULL};
	struct make_sample samples[64];
	uint64_t sum = 0;
	uint64_t cpu = random_below(3);
	struct make_file file = {.app = apps[random_below(4)],
				 .image = images[random_below(5)],
				 .cpu_behind = (int64_t)cpu + 1,
				 .version = (uint8_t)random_below(2)};
	size_t nr = random_below(64) + 1;
	bool idle = random_below(8) == 0;

	if (idle)
		file.app = file.image = "{idle}";
	for (size_t i = 0; i < nr; i++) {
		samples[i].key = random_below(0x300) << random_below(40);
		samples[i].nr_samples = random_below(1000) + 1;
		sum += samples[i].nr_samples;
	}
	make_session_add(&session, &file, samples, nr, NULL);
	if (idle)
		truth->idle += sum;
	else
		truth->totals[cpu] += sum;
}

static void expect_truth(const struct truth *truth)
{
	uint64_t sums[3] = {0};

	ck_assert_uint_eq(made.profile.nr_classes, 3);
	for (size_t i = 0; i < made.profile.nr_rows; i++)
		for (size_t class = 0; class < 3; class ++)
			sums[class] += profile_counts(&made.profile, i)[class];
	for (size_t class = 0; class < 3; class ++) {
		ck_assert_uint_eq(sums[class], truth->totals[class]);
		ck_assert_uint_eq(made.profile.totals[class], truth->totals[class]);
	}
	ck_assert_uint_eq(made.profile.nr_idle, truth->idle);
	ck_assert_uint_eq(made.profile.nr_samples,
			  truth->totals[0] + truth->totals[1] + truth->totals[2]);
}

START_TEST(images_and_symbols_and_sample_files_have_the_same_sums)
{
	struct truth truth = {0};
	uint64_t seed = seed_of_this_run() * 1000 + (uint64_t)_i;

	random_state = seed;
	for (int64_t cpu = 1; cpu <= 3; cpu++) {
		make_session_add_one(&session,
				     &(struct make_file){.app = "/bin/a", .cpu_behind = cpu}, 1, 1);
		truth.totals[cpu - 1]++;
	}
	for (int i = 0; i < 60; i++)
		make_random_file(&truth);
	for (int with_symbols = 0; with_symbols < 2; with_symbols++) {
		made = (struct make_profile){.profile_options.symbols = with_symbols};
		make_profile_init(&made, &session, "");
		if (made.profile.nr_samples != truth.totals[0] + truth.totals[1] + truth.totals[2])
			ck_abort_msg("sums differ, seed %llu", (unsigned long long)seed);
		expect_truth(&truth);
		make_profile_deinit(&made);
	}
}
END_TEST

/* Called through the linker's --wrap. */
static time_t seconds_each, seconds_ahead;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = __real_clock_gettime(clock, now);

	now->tv_sec += seconds_ahead += seconds_each;
	return result;
}

#define CLEAR "\r\033[K"

START_TEST(where_it_takes_long_a_line_tells_how_far_it_is_and_goes_at_the_end)
{
	static const char *const shown[] = {
		CLEAR "reading samples 0/2 /bin/a" CLEAR "reading samples 1/2 /lib/x" CLEAR,
		CLEAR "reading symbols 0/2 /bin/a" CLEAR "reading symbols 1/2 /lib/x" CLEAR,
	};
	int master = terminal_become_stderr();
	char text[512];

	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 1, 1);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a", .image = "/lib/x"}, 1,
			     1);
	made.profile_options.symbols = _i;
	seconds_each = 2;
	make_profile_init(&made, &session, "");
	seconds_each = 0;
	(void)terminal_take(master, text, sizeof(text));
	ck_assert_str_eq(text, shown[_i]);
	make_profile_deinit(&made);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("profile");
	TCase *tests = tcase_create("profile");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, samples_fall_to_the_symbol_that_holds_their_key);
	tcase_add_test(tests, each_image_is_opened_once_however_many_applications_use_it);
	tcase_add_test(tests, copies_of_a_binary_are_opened_once);
	tcase_add_test(tests, a_copy_that_is_gone_has_the_symbols_of_one_that_is_there);
	tcase_add_test(tests, the_flat_profile_opens_no_binary);
	tcase_add_test(tests, idle_is_counted_in_no_total);
	tcase_add_test(tests, symbols_are_excluded_by_either_name);
	tcase_add_test(tests, only_included_symbols_are_counted);
	tcase_add_test(tests, a_damaged_file_is_named_and_the_report_goes_on);
	tcase_add_test(tests, times_span_all_files);
	tcase_add_loop_test(
		tests, where_it_takes_long_a_line_tells_how_far_it_is_and_goes_at_the_end, 0, 2);
	tcase_add_loop_test(tests, images_and_symbols_and_sample_files_have_the_same_sums, 0, 5);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
