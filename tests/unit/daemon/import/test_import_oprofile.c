// SPDX-License-Identifier: GPL-2.0-or-later
/* OProfile's sessions, made here as its daemon wrote them on several kinds of machines. */
#include "daemon/import/import_interrupt.h"
#include "daemon/import/import_oprofile.h"
#include "daemon/session/stats.h"
#include "daemon/source.h"
#include "lib/file.h"
#include "lib/log.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "session/session_info.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_NODES 5

static struct diag diag;

/* A signal arrives in the Nth next read(); 0: none. */
static unsigned int reads_to_signal;

ssize_t __real_read(int fd, void *bytes, size_t nr_bytes);
ssize_t __wrap_read(int fd, void *bytes, size_t nr_bytes);

ssize_t __wrap_read(int fd, void *bytes, size_t nr_bytes)
{
	if (reads_to_signal && !--reads_to_signal)
		ck_assert_int_eq(raise(SIGINT), 0);
	return __real_read(fd, bytes, nr_bytes);
}

static void put(const struct oprofile_abi *abi, uint8_t *to, uint64_t value, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		to[abi->little_endian ? i : nr - 1 - i] = (uint8_t)(value >> (8 * i));
}

/* Keys 0x100, 0x200, ... with 1, 2, ... samples; the first node is not used. */
static size_t make_bytes(const struct oprofile_abi *abi, uint8_t *bytes)
{
	size_t first = (size_t)abi->header_bytes + abi->descr_bytes;
	double mhz = 2400;
	uint64_t speed;

	memset(bytes, 0, first + (NR_NODES + 1) * (size_t)abi->node_bytes);
	memcpy(bytes, "DAE\n", 4);
	memcpy(&speed, &mhz, sizeof(speed));
	put(abi, bytes + abi->cpu_speed, speed, 8);
	put(abi, bytes + abi->mtime, 1234567890, abi->mtime_bytes);
	put(abi, bytes + abi->header_bytes + abi->current_size, NR_NODES + 1, 4);
	for (unsigned int i = 1; i <= NR_NODES; i++) {
		uint8_t *node = bytes + first + (size_t)i * abi->node_bytes;

		put(abi, node + abi->key, 0x100 * (uint64_t)i, 8);
		put(abi, node + abi->value, i, 4);
	}
	return first + (NR_NODES + 1) * (size_t)abi->node_bytes;
}

static void make_file(const struct oprofile_abi *abi, const char *name)
{
	uint8_t bytes[1024];
	size_t nr = make_bytes(abi, bytes);
	char path[512];

	(void)snprintf(path, sizeof(path), "old/samples/current/%s", name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, bytes, nr, 0600), 0);
}

/* A 32-bit machine of the other byte order: a small time_t, doubles aligned to 4 bytes. */
static struct oprofile_abi other_abi(void)
{
	struct oprofile_abi abi;

	oprofile_abi_init(&abi);
	abi.little_endian = !abi.little_endian;
	abi.header_bytes = 72;
	abi.cpu_speed = 28;
	abi.mtime = 36;
	abi.mtime_bytes = 4;
	return abi;
}

static void make_abi(const struct oprofile_abi *abi)
{
	FILE *file = fopen("old/abi", "we");

	ck_assert_ptr_nonnull(file);
	(void)fprintf(file,
		      "sizeof_double 8\nsizeof_time_t %u\nsizeof_struct_opd_header %u\n"
		      "sizeof_odb_descr_t %u\nsizeof_odb_node_t %u\n"
		      "offsetof_descr_current_size %u\noffsetof_node_key %u\n"
		      "offsetof_node_value %u\noffsetof_header_cpu_speed %u\n"
		      "offsetof_header_mtime %u\nlittle_endian %d\n",
		      abi->mtime_bytes, abi->header_bytes, abi->descr_bytes, abi->node_bytes,
		      abi->current_size, abi->key, abi->value, abi->cpu_speed, abi->mtime,
		      abi->little_endian);
	ck_assert_int_eq(fclose(file), 0);
}

struct sum {
	uint64_t nr_samples;
	unsigned int nr_files, nr_by_kind[OPROF_IMAGE_ANON + 1];
	uint64_t khz;
};

static int add_up(const char *path, const struct sample_name *name, const struct diag *why,
		  void *context)
{
	struct sum *sum = context;
	struct sdb_image image;

	ck_assert_ptr_nonnull(name);
	(void)why;
	ck_assert_int_eq(sdb_image_load(path, &image, &diag), 0);
	ck_assert_uint_eq(image.entries[0].key, 0x100);
	ck_assert_int_eq(image.header.image.mtime_ns, INT64_C(1234567890) * 1000000000);
	sum->nr_samples += image.nr_samples;
	sum->khz = image.header.cpu_khz;
	sum->nr_files++;
	ck_assert_uint_le(image.header.image_kind, OPROF_IMAGE_ANON);
	sum->nr_by_kind[image.header.image_kind]++;
	sdb_image_deinit(&image);
	return 0;
}

static struct sum sum_of(const char *session_dir)
{
	char path[512];
	struct sum sum = {0};

	(void)snprintf(path, sizeof(path), "%s/samples/current", session_dir);
	ck_assert_int_eq(sample_name_walk(path, add_up, &sum), 0);
	return sum;
}

static void make_session(const struct oprofile_abi *abi)
{
	make_file(abi, "{root}/bin/x/{dep}/{root}/bin/x/CPU_CLK_UNHALTED.100000.0.all.all.all");
	make_file(abi, "{root}/bin/x/{dep}/{root}/lib/libc.so.6/CPU_CLK_UNHALTED.100000.0.7.8.all");
	make_file(abi, "{kern}/vmlinux/{dep}/{kern}/vmlinux/CPU_CLK_UNHALTED.100000.0.all.all.1");
}

/* The session folder becomes the working directory: returns to the test's folder. */
static int import(const char *from, bool append)
{
	const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int error = import_oprofile(from, "new", append, &diag);

	ck_assert_int_eq(fchdir(here), 0);
	ck_assert_int_eq(close(here), 0);
	return error;
}

START_TEST(files_of_this_machine_are_taken_without_an_abi)
{
	struct oprofile_abi abi;
	struct sum sum;

	oprofile_abi_init(&abi);
	make_session(&abi);
	ck_assert_int_eq(import("old", false), 0);
	sum = sum_of("new");
	ck_assert_uint_eq(sum.nr_files, 3);
	ck_assert_uint_eq(sum.nr_samples, UINT64_C(3) * NR_NODES * (NR_NODES + 1) / 2);
	ck_assert_uint_eq(sum.khz, 2400000);
}
END_TEST

START_TEST(files_of_another_machine_are_read_by_its_abi)
{
	struct oprofile_abi abi = other_abi();
	struct sum sum;

	make_session(&abi);
	make_abi(&abi);
	ck_assert_int_eq(import("old", false), 0);
	sum = sum_of("new");
	ck_assert_uint_eq(sum.nr_files, 3);
	ck_assert_uint_eq(sum.nr_samples, UINT64_C(3) * NR_NODES * (NR_NODES + 1) / 2);
	ck_assert_uint_eq(sum.khz, 2400000);
}
END_TEST

START_TEST(without_its_abi_they_are_refused_not_misread)
{
	struct oprofile_abi abi = other_abi();

	make_session(&abi);
	ck_assert_int_eq(import("old", false), -ENOENT);
	ck_assert_uint_eq(sum_of("new").nr_files, 0);
}
END_TEST

START_TEST(appending_adds)
{
	struct oprofile_abi abi;

	oprofile_abi_init(&abi);
	make_session(&abi);
	ck_assert_int_eq(import("old", false), 0);
	ck_assert_int_eq(import("old", true), 0);
	ck_assert_uint_eq(sum_of("new").nr_samples, UINT64_C(3) * NR_NODES * (NR_NODES + 1));
	ck_assert_int_eq(import("old/samples/current", false), 0);
	ck_assert_uint_eq(sum_of("new").nr_samples, UINT64_C(3) * NR_NODES * (NR_NODES + 1) / 2);
}
END_TEST

START_TEST(arcs_and_damaged_files_are_left_out)
{
	struct oprofile_abi abi;
	struct sum sum;

	oprofile_abi_init(&abi);
	make_session(&abi);
	make_file(&abi, "{root}/bin/x/{dep}/{root}/bin/x/{cg}/{root}/bin/x/E.1000.0.all.all.all");
	make_file(&abi, "{root}/bin/y/{dep}/{root}/bin/y/CPU_CLK_UNHALTED.100000.0.all.all.all");
	ck_assert_int_eq(truncate("old/samples/current/{root}/bin/y/{dep}/{root}/bin/y/"
				  "CPU_CLK_UNHALTED.100000.0.all.all.all",
				  130),
			 0);
	ck_assert_int_eq(import("old", false), 0);
	sum = sum_of("new");
	ck_assert_uint_eq(sum.nr_files, 3);
}
END_TEST

#define IN_CURRENT "old/samples/current/{root}/bin/x/{dep}/{root}/bin/x/"

START_TEST(a_pipe_among_the_samples_is_left_out_not_waited_for)
{
	struct oprofile_abi abi;

	oprofile_abi_init(&abi);
	make_session(&abi);
	ck_assert_int_eq(mkfifo(IN_CURRENT "CPU_CLK_UNHALTED.5000.0.all.all.all", 0600), 0);
	ck_assert_int_eq(symlink("/dev/zero", IN_CURRENT "CPU_CLK_UNHALTED.6000.0.all.all.all"), 0);
	ck_assert_int_eq(import("old", false), 0);
	ck_assert_uint_eq(sum_of("new").nr_files, 3);
}
END_TEST

START_TEST(an_abi_that_is_a_pipe_is_refused_not_waited_for)
{
	struct oprofile_abi abi;

	oprofile_abi_init(&abi);
	make_session(&abi);
	ck_assert_int_eq(mkfifo("old/abi", 0600), 0);
	ck_assert_int_eq(import("old", false), -EINVAL);
	ck_assert_msg(strstr(diag.file, "/old/abi") != NULL, "%s", diag.file);
}
END_TEST

static uint64_t count_of(enum daemon_counter index)
{
	struct stats stats;
	uint64_t value;

	ck_assert_int_ge(stats_open(&stats, "new/samples/current/meta/stats"), 0);
	value = stats.values[index];
	stats_close(&stats);
	return value;
}

static bool says_to_be_a_part(void)
{
	char *text;
	bool found;

	ck_assert_int_eq(file_read_text("new/samples/current/meta/info", 65536, &text, NULL), 0);
	found = strstr(text, "note partial ");
	free(text);
	return found;
}

START_TEST(an_interrupt_before_it_begins_leaves_the_session_as_it_was)
{
	struct oprofile_abi abi;

	oprofile_abi_init(&abi);
	make_session(&abi);
	ck_assert_int_eq(import("old", false), 0);
	import_interrupt_catch();
	ck_assert_int_eq(raise(SIGINT), 0);
	ck_assert_int_eq(import("old", false), -EINTR);
	ck_assert_uint_eq(sum_of("new").nr_files, 3);
	ck_assert(!says_to_be_a_part());
}
END_TEST

/* Interrupt the import at each read in turn, until it ends before the signal. */
START_TEST(an_interrupt_anywhere_leaves_a_whole_session_that_says_to_be_a_part)
{
	const uint64_t all = UINT64_C(3) * NR_NODES * (NR_NODES + 1) / 2;
	struct oprofile_abi abi;
	unsigned int nr_parts = 0;

	oprofile_abi_init(&abi);
	make_session(&abi);
	for (unsigned int nth = 1;; nth++) {
		struct sum sum;
		int error;

		import_interrupt_catch();
		reads_to_signal = nth;
		error = import("old", false);
		if (reads_to_signal)
			break;
		if (error == -EINTR)
			continue;
		ck_assert_int_eq(error, 0);
		sum = sum_of("new");
		ck_assert_uint_lt(sum.nr_samples, all);
		ck_assert_uint_eq(count_of(STATS_SEEN), sum.nr_samples);
		ck_assert_uint_eq(count_of(STATS_STORED), sum.nr_samples);
		ck_assert(says_to_be_a_part());
		nr_parts += sum.nr_samples > 0;
	}
	reads_to_signal = 0;
	ck_assert_uint_gt(nr_parts, 1);
	ck_assert_uint_eq(sum_of("new").nr_samples, all);
	ck_assert(!says_to_be_a_part());
}
END_TEST

START_TEST(images_are_of_the_kind_that_their_names_say)
{
	static const char *const images[] = {
		"{kern}/vmlinux",     "{kern}/vmlinux-6.1",
		"{kern}/no-vmlinux",  "{kern}/kernel",
		"{kern}/nf_tables",   "{kern}/kernels",
		"{root}/bin/vmlinux", "{anon:anon}/17.0x1000.0x3000",
	};
	struct oprofile_abi abi;
	struct sum sum;
	char path[256];

	oprofile_abi_init(&abi);
	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		(void)snprintf(path, sizeof(path), "{root}/bin/x/{dep}/%s/E.1000.0.all.all.all",
			       images[i]);
		make_file(&abi, path);
	}
	ck_assert_int_eq(import("old", false), 0);
	sum = sum_of("new");
	ck_assert_uint_eq(sum.nr_by_kind[OPROF_IMAGE_KERNEL], 4);
	ck_assert_uint_eq(sum.nr_by_kind[OPROF_IMAGE_MODULE], 2);
	ck_assert_uint_eq(sum.nr_by_kind[OPROF_IMAGE_FILE], 1);
	ck_assert_uint_eq(sum.nr_by_kind[OPROF_IMAGE_ANON], 1);
}
END_TEST

/* ---- what is reported ---- */

/* Make a file of /bin/APP, with the event's name, period and unit mask. */
static void make_event(const char *app, const char *event)
{
	struct oprofile_abi abi;
	char path[256];

	oprofile_abi_init(&abi);
	(void)snprintf(path, sizeof(path), "{root}/bin/%s/{dep}/{root}/bin/%s/%s.all.all.all", app,
		       app, event);
	make_file(&abi, path);
}

static bool has_event(const struct session_info *info, const char *name, uint64_t period,
		      uint32_t unit_mask)
{
	for (size_t i = 0; i < info->nr_events; i++)
		if (!strcmp(info->events[i].name, name) && info->events[i].period_or_hz == period &&
		    info->events[i].unit_mask == unit_mask)
			return true;
	return false;
}

START_TEST(each_event_is_described_once)
{
	struct session_info info = {0};

	make_event("a", "E.1000.0");
	make_event("b", "E.1000.0");
	make_event("a", "E.2000.0");
	make_event("b", "E.2000.0");
	make_event("a", "E.1000.1");
	make_event("b", "E.1000.1");
	make_event("a", "F.1000.0");
	make_event("b", "F.1000.0");
	ck_assert_int_eq(import("old", false), 0);
	ck_assert_int_eq(session_info_read(&info, "new/samples/current/meta/info"), 0);
	ck_assert_uint_eq(info.nr_events, 4);
	ck_assert(has_event(&info, "E", 1000, 0) && has_event(&info, "E", 2000, 0));
	ck_assert(has_event(&info, "E", 1000, 1) && has_event(&info, "F", 1000, 0));
	ck_assert_str_eq(info.events[0].description, "imported from OProfile");
	session_info_deinit(&info);
	ck_assert_uint_eq(sum_of("new").nr_files, 8);
}
END_TEST

START_TEST(events_beyond_those_that_have_room_lack_a_description_only)
{
	struct session_info info = {0};
	char event[32];

	for (int i = 0; i <= SOURCE_EVENTS_MAX; i++) {
		(void)snprintf(event, sizeof(event), "E%d.1000.0", i);
		make_event("a", event);
	}
	ck_assert_int_eq(import("old", false), 0);
	ck_assert_int_eq(session_info_read(&info, "new/samples/current/meta/info"), 0);
	ck_assert_uint_eq(info.nr_events, SOURCE_EVENTS_MAX);
	session_info_deinit(&info);
	ck_assert_uint_eq(sum_of("new").nr_files, SOURCE_EVENTS_MAX + 1);
}
END_TEST

START_TEST(all_that_was_taken_and_left_out_is_told)
{
	struct oprofile_abi abi;
	char *log;

	oprofile_abi_init(&abi);
	make_session(&abi);
	make_file(&abi, "{root}/bin/x/{dep}/{root}/bin/x/{cg}/{root}/bin/x/E.1000.0.all.all.all");
	make_file(&abi, "{root}/bin/x/{dep}/{root}/bin/x/{cg}/{root}/bin/y/E.1000.0.all.all.all");
	make_file(&abi, "{root}/bin/x/no-sample-file");
	ck_assert_int_eq(mkfifo(IN_CURRENT "E.5000.0.all.all.all", 0600), 0);
	ck_assert_int_eq(symlink("/dev/zero", IN_CURRENT "E.6000.0.all.all.all"), 0);
	ck_assert_int_eq(log_open("log"), 0);
	ck_assert_int_eq(import("old", false), 0);
	ck_assert_int_eq(file_read_text("log", 65536, &log, NULL), 0);
	ck_assert_msg(strstr(log, " 45 samples of 3 files\n"), "%s", log);
	ck_assert_msg(strstr(log, " 2 files of call graph arcs are ignored"), "%s", log);
	ck_assert_msg(strstr(log, " 3 files are ignored\n"), "%s", log);
	ck_assert_uint_eq(count_of(STATS_SEEN), 45);
	ck_assert_uint_eq(count_of(STATS_STORED), 45);
	free(log);
}
END_TEST

START_TEST(an_abi_that_makes_no_sense_is_refused)
{
	struct oprofile_abi abi;

	oprofile_abi_init(&abi);
	ck_assert_int_eq(oprofile_abi_parse(&abi, "sizeof_time_t 8\n", &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "sizeof_struct_opd_header"));
	make_session(&abi);
	abi.key = 12;
	make_abi(&abi);
	ck_assert_int_eq(import("old", false), -EINVAL);
	ck_assert_int_ne(access("new/samples/current", F_OK), 0);
}
END_TEST

START_TEST(a_folder_with_nothing_in_it_is_refused)
{
	ck_assert_int_eq(mkdir("old", 0700), 0);
	ck_assert_int_eq(import("old", false), -ENOENT);
	ck_assert_int_eq(import("missing", false), -ENOENT);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("import_oprofile");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, files_of_this_machine_are_taken_without_an_abi);
	tcase_add_test(tc, files_of_another_machine_are_read_by_its_abi);
	tcase_add_test(tc, without_its_abi_they_are_refused_not_misread);
	tcase_add_test(tc, appending_adds);
	tcase_add_test(tc, arcs_and_damaged_files_are_left_out);
	tcase_add_test(tc, a_pipe_among_the_samples_is_left_out_not_waited_for);
	tcase_add_test(tc, an_abi_that_is_a_pipe_is_refused_not_waited_for);
	tcase_add_test(tc, an_interrupt_before_it_begins_leaves_the_session_as_it_was);
	tcase_add_test(tc, an_interrupt_anywhere_leaves_a_whole_session_that_says_to_be_a_part);
	tcase_add_test(tc, images_are_of_the_kind_that_their_names_say);
	tcase_add_test(tc, each_event_is_described_once);
	tcase_add_test(tc, events_beyond_those_that_have_room_lack_a_description_only);
	tcase_add_test(tc, all_that_was_taken_and_left_out_is_told);
	tcase_add_test(tc, an_abi_that_makes_no_sense_is_refused);
	tcase_add_test(tc, a_folder_with_nothing_in_it_is_refused);
	return test_run(tc);
}
