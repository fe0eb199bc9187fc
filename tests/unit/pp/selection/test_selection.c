// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"
#include "oprof/control.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct make_session session;
static struct make_profile made;
static struct diag diag;

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){0};
}

static void teardown(void)
{
	make_session_deinit(&session);
}

static void add(const struct make_file *file)
{
	make_session_add_one(&session, file, 1, 1);
}

/* The number of files that words select; 0 if none matches. */
static size_t nr_chosen(const char *words)
{
	int error = make_profile_select(&made, &session, words, &diag);
	size_t nr = made.selection.nr_parts;

	if (error == -ENOENT)
		return 0;
	ck_assert_msg(!error, "%s", diag_show(&diag));
	make_profile_deinit(&made);
	return nr;
}

static void add_bash_with_libraries(void)
{
	add(&(struct make_file){.app = "/bin/bash"});
	add(&(struct make_file){.app = "/bin/bash", .image = "/lib/libc.so"});
	add(&(struct make_file){.app = "/bin/bash", .image = "vmlinux"});
	add(&(struct make_file){.app = "/bin/ls", .image = "/lib/libc.so"});
}

START_TEST(applications_images_and_files_are_numbered_in_order)
{
	add_bash_with_libraries();
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_uint_eq(made.selection.nr_apps, 2);
	ck_assert_str_eq(made.selection.apps[0], "/bin/bash");
	ck_assert_uint_eq(made.selection.nr_images, 3);
	ck_assert_str_eq(made.selection.images[1].path, "/lib/libc.so");
	ck_assert_uint_eq(made.selection.nr_parts, 4);
	for (size_t i = 1; i < 4; i++)
		ck_assert_uint_le(made.selection.parts[i - 1].image, made.selection.parts[i].image);
	ck_assert_uint_eq(made.selection.parts[2].app, 1);
	ck_assert(made.selection.whole);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(images_are_chosen_as_application_as_dependent_or_as_either)
{
	add_bash_with_libraries();
	ck_assert_uint_eq(nr_chosen("image:/bin/bash"), 3);
	ck_assert_uint_eq(nr_chosen("lib-image:libc*"), 2);
	ck_assert_uint_eq(nr_chosen("libc.so"), 2);
	ck_assert_uint_eq(nr_chosen("bash"), 3);
	ck_assert_uint_eq(nr_chosen("ls vmlinux"), 2);
	ck_assert_uint_eq(nr_chosen("image-exclude:libc.so"), 2);
	ck_assert_uint_eq(nr_chosen("image-exclude:bash"), 1);
	ck_assert_uint_eq(nr_chosen("lib-image-exclude:vmlinux bash"), 2);
}
END_TEST

START_TEST(numbers_of_a_files_name_are_chosen)
{
	add(&(struct make_file){.app = "/a", .cpu_behind = 1});
	add(&(struct make_file){.app = "/a", .cpu_behind = 2});
	add(&(struct make_file){.app = "/a", .cpu_behind = 12});
	ck_assert_uint_eq(nr_chosen("cpu:0"), 1);
	ck_assert_uint_eq(nr_chosen("cpu:0,1"), 2);
	ck_assert_uint_eq(nr_chosen("cpu:1*"), 2);
	ck_assert_uint_eq(nr_chosen("cpu:all"), 0);
}
END_TEST

START_TEST(threads_and_processes_are_chosen)
{
	add(&(struct make_file){.app = "/a", .tgid = 10, .tid = 10});
	add(&(struct make_file){.app = "/a", .tgid = 10, .tid = 11});
	add(&(struct make_file){.app = "/a", .tgid = 20, .tid = 21});
	ck_assert_uint_eq(nr_chosen("tgid:10"), 2);
	ck_assert_uint_eq(nr_chosen("tid:11,21"), 2);
	ck_assert_uint_eq(nr_chosen("tgid:10 tid:21"), 0);
}
END_TEST

START_TEST(events_counts_and_unit_masks_are_chosen)
{
	add(&(struct make_file){.app = "/a"});
	add(&(struct make_file){.app = "/a", .period_or_hz = 997, .frequency = true});
	add(&(struct make_file){.app = "/a", .event = "faults", .unit_mask = 15});
	ck_assert_uint_eq(nr_chosen("event:cpu-clock"), 2);
	ck_assert_uint_eq(nr_chosen("count:997Hz"), 1);
	ck_assert_uint_eq(nr_chosen("count:1000000"), 2);
	ck_assert_uint_eq(nr_chosen("unit-mask:0x0f"), 1);
	ck_assert_uint_eq(nr_chosen("event:f*,c*"), 3);
}
END_TEST

START_TEST(cgroups_are_chosen_by_path_and_name_their_class)
{
	static const char table[] = "1 /user.slice\n2 /system.slice/a.service\n";

	make_session_meta(&session, "cgroups", table, sizeof(table) - 1);
	add(&(struct make_file){.app = "/a", .cgroup = 1});
	add(&(struct make_file){.app = "/a", .cgroup = 2});
	ck_assert_uint_eq(nr_chosen("cgroup:/system*"), 1);
	ck_assert_uint_eq(nr_chosen("cgroup:user.slice"), 1);
	ck_assert_uint_eq(nr_chosen("cgroup:a.service"), 1);
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_int_eq(made.selection.classes.axis, AXIS_CGROUP);
	ck_assert_str_eq(made.selection.classes.classes[0].name, "a.service");
	make_profile_deinit(&made);
}
END_TEST

START_TEST(merging_makes_one_class_of_several)
{
	add(&(struct make_file){.app = "/a", .cpu_behind = 1, .tgid = 1, .tid = 1});
	add(&(struct make_file){.app = "/a", .cpu_behind = 2, .tgid = 1, .tid = 2});
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), -EINVAL);
	made.selection_options.merge = MERGE_CPU;
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_int_eq(made.selection.classes.axis, AXIS_TID);
	make_profile_deinit(&made);
	made.selection_options.merge = MERGE_CPU | MERGE_TID | MERGE_TGID;
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_uint_eq(made.selection.classes.nr_classes, 1);
	ck_assert_uint_eq(made.selection.nr_parts, 2);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(unit_masks_and_cgroups_are_merged_when_asked)
{
	add(&(struct make_file){.app = "/bin/a", .unit_mask = 1, .cgroup = 1});
	add(&(struct make_file){.app = "/bin/a", .unit_mask = 2, .cgroup = 1});
	add(&(struct make_file){.app = "/bin/a", .unit_mask = 2, .cgroup = 2});
	made.selection_options.merge = MERGE_UNIT_MASK;
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_int_eq(made.selection.classes.axis, AXIS_CGROUP);
	ck_assert_uint_eq(made.selection.classes.nr_classes, 2);
	make_profile_deinit(&made);
	made.selection_options.merge = MERGE_CGROUP;
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_int_eq(made.selection.classes.axis, AXIS_EVENT);
	ck_assert_uint_eq(made.selection.classes.nr_classes, 2);
	make_profile_deinit(&made);
	made.selection_options.merge = MERGE_CGROUP | MERGE_UNIT_MASK;
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_uint_eq(made.selection.classes.nr_classes, 1);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(different_events_are_never_merged)
{
	add(&(struct make_file){.app = "/a"});
	add(&(struct make_file){.app = "/a", .event = "faults"});
	made.selection_options.merge = MERGE_ALL;
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_uint_eq(made.selection.classes.nr_classes, 2);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(merging_libraries_makes_them_applications)
{
	add_bash_with_libraries();
	made.selection_options.merge = MERGE_LIB;
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_uint_eq(made.selection.nr_apps, 3);
	ck_assert_str_eq(made.selection.apps[1], "/lib/libc.so");
	make_profile_deinit(&made);
}
END_TEST

START_TEST(dependent_images_are_left_out_when_asked)
{
	add_bash_with_libraries();
	made.selection_options.exclude_dependent = true;
	ck_assert_uint_eq(nr_chosen(""), 1);
	ck_assert_uint_eq(nr_chosen("ls"), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "--exclude-dependent"));
}
END_TEST

START_TEST(a_replaced_binary_is_another_image)
{
	add(&(struct make_file){.app = "/a", .version = 1});
	add(&(struct make_file){.app = "/a", .version = 2});
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_uint_eq(made.selection.nr_images, 2);
	ck_assert_uint_eq(made.selection.nr_apps, 1);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(idle_is_kept_apart)
{
	add(&(struct make_file){.app = "/a"});
	add(&(struct make_file){.app = "{idle}", .cpu_behind = 1});
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_uint_eq(made.selection.nr_parts, 1);
	ck_assert_uint_eq(made.selection.nr_idle, 1);
	ck_assert_uint_eq(made.selection.classes.nr_classes, 1);
	make_profile_deinit(&made);
	ck_assert_uint_eq(nr_chosen("image:{idle}"), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "idle"));
}
END_TEST

START_TEST(nothing_chosen_says_what_there_is)
{
	add(&(struct make_file){.app = "/a"});
	add(&(struct make_file){.app = "/a", .event = "faults"});
	ck_assert_uint_eq(nr_chosen("event:cycles"), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "event:cycles"));
	ck_assert_ptr_nonnull(strstr(diag.text, "cpu-clock, faults"));
	ck_assert_ptr_nonnull(strstr(diag.text, "2 sample files"));
}
END_TEST

START_TEST(an_empty_session_is_told_from_one_where_nothing_matches)
{
	static const char info[] = "host box\n";

	make_session_meta(&session, "info", info, sizeof(info) - 1);
	ck_assert_uint_eq(nr_chosen(""), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "no samples yet"));
}
END_TEST

START_TEST(a_name_that_does_not_parse_is_named_and_skipped)
{
	char path[PATH_MAX];

	add(&(struct make_file){.app = "/a"});
	(void)snprintf(path, sizeof(path), "%s/samples/current/{root}/b/{dep}/{root}/b/odd",
		       session.dir);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, "x", 1, 0600), 0);
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_uint_eq(made.selection.nr_parts, 1);
	ck_assert_uint_eq(made.selection.nr_skipped, 1);
	ck_assert_uint_eq(make_profile_nr_skipped(), 1);
	ck_assert_ptr_nonnull(strstr(make_profile_skipped(), "/odd"));
	make_profile_deinit(&made);
}
END_TEST

START_TEST(a_name_too_long_for_a_folder_is_read_from_the_header)
{
	char app[400] = "/";

	memset(app + 1, 'x', 300);
	add(&(struct make_file){.app = app});
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), 0);
	ck_assert_str_eq(made.selection.apps[0], app);
	ck_assert_str_eq(made.selection.images[0].path, app);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(sessions_are_summed_by_image)
{
	session.name = "one";
	add(&(struct make_file){.app = "/a"});
	session.name = "two";
	add(&(struct make_file){.app = "/a"});
	ck_assert_int_eq(make_profile_select(&made, &session, "session:one,two", &diag), 0);
	ck_assert_uint_eq(made.selection.nr_sessions, 2);
	ck_assert_uint_eq(made.selection.nr_parts, 2);
	ck_assert_uint_eq(made.selection.nr_images, 1);
	ck_assert_uint_eq(made.selection.classes.nr_classes, 1);
	make_profile_deinit(&made);
	ck_assert_int_eq(make_profile_select(&made, &session, "", &diag), -ENOENT);
	ck_assert_uint_eq(nr_chosen("session:one,two image:/b"), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "one and 1 more session have 2 sample files"));
}
END_TEST

/* ---- two stretches of one session ---- */

#define SHARE_BEGIN INT64_C(1795180000) /* s */
#define SHARE_NS(s) ((SHARE_BEGIN + (s)) * INT64_C(1000000000))

/* A slice of seconds 0 to 60, and live files that together span seconds 100 to 400. */
static void add_slice_and_live(void)
{
	make_session_slice(&session,
			   &(struct make_slice_head){
				   .level = OPROF_SLICE_MINUTE,
				   .epoch_first = 1,
				   .epoch_last = 1,
				   .begin_ns = SHARE_NS(0),
				   .end_ns = SHARE_NS(60),
			   },
			   &(struct make_slice_part){{.app = "/a"}, 1, 1}, 1, NULL);
	add(&(struct make_file){.app = "/a",
				.epoch = 2,
				.start_time_ns = SHARE_NS(200),
				.end_time_ns = SHARE_NS(400)});
	add(&(struct make_file){.app = "/b",
				.epoch = 2,
				.start_time_ns = SHARE_NS(100),
				.end_time_ns = SHARE_NS(150)});
	add(&(struct make_file){.app = "/unknown", .epoch = 2});
}

/* Two stretches, in seconds; the parts that each gets, or the one that is refused and why. */
static const struct share {
	int begin, middle, end;
	const char *refused, *why; /* NULL: none is refused */
	size_t nr_slices[2], nr_live[2];
	bool shared[2];
} shares[] = {
	/* All of the live files' time is in one stretch. */
	{0, 80, 600, NULL, NULL, {1, 0}, {0, 3}, {false, false}},
	{0, 500, 600, "second side: ", ": there are samples ", {0}, {0}, {false}},
	{80, 500, 600, "second side: ", ": there are samples ", {0}, {0}, {false}},
	{-60, 0, 600, "first side: ", ": there are samples ", {0}, {0}, {false}},
	/* The live files go to the stretch with more of their time, or to the first. */
	{0, 249, 600, NULL, NULL, {1, 0}, {0, 3}, {true, false}},
	{80, 249, 600, "first side: ", " alone: the samples of", {0}, {0}, {false}},
	{0, 250, 600, "second side: ", " alone: the samples of", {0}, {0}, {false}},
	{0, 300, 350, "second side: ", " alone: the samples of", {0}, {0}, {false}},
	/* The same holds for the slice. */
	{0, 29, 600, "first side: ", " alone: the samples of", {0}, {0}, {false}},
	{0, 30, 600, NULL, NULL, {1, 0}, {0, 3}, {false, true}},
	{0, 30, 80, "second side: ", " alone: the samples of", {0}, {0}, {false}},
};

static void check_share(const struct share *share)
{
	for (size_t i = 0; i < 2; i++) {
		const struct selection_side *side = &made.selection.sides[i];
		const struct session_parts *parts =
			&made.selection.sessions[side->first_session].parts;

		ck_assert_uint_eq(side->nr_sessions, 1);
		ck_assert_uint_eq(parts->nr_slices, share->nr_slices[i]);
		ck_assert_uint_eq(parts->nr_live, share->nr_live[i]);
		ck_assert_int_eq(side->shared, share->shared[i]);
	}
}

START_TEST(what_two_stretches_have_in_common_goes_to_one_of_them)
{
	const struct share *share = &shares[_i];
	char words[160];
	int error;

	add_slice_and_live();
	(void)snprintf(
		words, sizeof(words), "{ time:@%jd..@%jd } { time:@%jd..@%jd }",
		(intmax_t)(SHARE_BEGIN + share->begin), (intmax_t)(SHARE_BEGIN + share->middle),
		(intmax_t)(SHARE_BEGIN + share->middle), (intmax_t)(SHARE_BEGIN + share->end));
	error = make_profile_select(&made, &session, words, &diag);
	if (share->refused) {
		ck_assert_int_eq(error, -ENOENT);
		ck_assert_ptr_nonnull(strstr(diag.text, share->refused));
		ck_assert_ptr_nonnull(strstr(diag.text, share->why));
		return;
	}
	ck_assert_msg(!error, "%s", error ? diag_show(&diag) : "");
	check_share(share);
	make_profile_deinit(&made);
}
END_TEST

/* Counters of samples seen exist for the session and for a stretch of time, not for other
 * selections. */
static const struct {
	const char *words;
	bool is_whole;
} wholes[] = {
	{"", true},
	{"time:@1795180000..@1795180600", true},
	{"image:/a", false},
	{"image-exclude:/b", false},
	{"time:@1795180000..@1795180600 image:/a", false},
};

START_TEST(what_is_chosen_by_time_alone_is_whole)
{
	add_slice_and_live();
	ck_assert_int_eq(make_profile_select(&made, &session, wholes[_i].words, &diag), 0);
	ck_assert_int_eq(made.selection.sides[0].whole, wholes[_i].is_whole);
	make_profile_deinit(&made);
}
END_TEST

/* ---- a daemon that hangs ---- */

static int listen_in_session(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	int nr = snprintf(name.sun_path, sizeof(name.sun_path), "%s/" OPROF_CONTROL_NAME,
			  session.dir);

	ck_assert_int_lt(nr, (int)sizeof(name.sun_path));
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&name, sizeof(name)), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	return fd;
}

/* Returns the number of clients that connected to listener, and closes it. */
static unsigned int nr_connected(int listener)
{
	unsigned int nr = 0;

	for (int fd; (fd = accept(listener, NULL, NULL)) >= 0; nr++)
		(void)close(fd);
	(void)close(listener);
	return nr;
}

START_TEST(a_daemon_that_hangs_is_waited_for_once_and_named)
{
	static const char *const words[] = {"", "{ session:current } { session:current }"};
	int listener = listen_in_session();

	add_bash_with_libraries();
	ck_assert_uint_ne(nr_chosen(words[_i]), 0);
	ck_assert_uint_eq(nr_connected(listener), 1);
	ck_assert_uint_eq(make_profile_nr_skipped(), 1);
	ck_assert_str_eq(make_profile_skipped(), session.dir);
}
END_TEST

START_TEST(a_session_without_a_daemon_is_read_in_silence)
{
	add_bash_with_libraries();
	ck_assert_uint_ne(nr_chosen(""), 0);
	ck_assert_uint_eq(make_profile_nr_skipped(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("selection");
	TCase *tests = tcase_create("selection");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, applications_images_and_files_are_numbered_in_order);
	tcase_add_test(tests, images_are_chosen_as_application_as_dependent_or_as_either);
	tcase_add_test(tests, numbers_of_a_files_name_are_chosen);
	tcase_add_test(tests, threads_and_processes_are_chosen);
	tcase_add_test(tests, events_counts_and_unit_masks_are_chosen);
	tcase_add_test(tests, cgroups_are_chosen_by_path_and_name_their_class);
	tcase_add_test(tests, merging_makes_one_class_of_several);
	tcase_add_test(tests, unit_masks_and_cgroups_are_merged_when_asked);
	tcase_add_test(tests, different_events_are_never_merged);
	tcase_add_test(tests, merging_libraries_makes_them_applications);
	tcase_add_test(tests, dependent_images_are_left_out_when_asked);
	tcase_add_test(tests, a_replaced_binary_is_another_image);
	tcase_add_test(tests, idle_is_kept_apart);
	tcase_add_test(tests, nothing_chosen_says_what_there_is);
	tcase_add_test(tests, an_empty_session_is_told_from_one_where_nothing_matches);
	tcase_add_test(tests, a_name_that_does_not_parse_is_named_and_skipped);
	tcase_add_test(tests, a_name_too_long_for_a_folder_is_read_from_the_header);
	tcase_add_test(tests, sessions_are_summed_by_image);
	tcase_add_loop_test(tests, a_daemon_that_hangs_is_waited_for_once_and_named, 0, 2);
	tcase_add_test(tests, a_session_without_a_daemon_is_read_in_silence);
	tcase_add_loop_test(tests, what_two_stretches_have_in_common_goes_to_one_of_them, 0,
			    sizeof(shares) / sizeof(shares[0]));
	tcase_add_loop_test(tests, what_is_chosen_by_time_alone_is_whole, 0,
			    sizeof(wholes) / sizeof(wholes[0]));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
