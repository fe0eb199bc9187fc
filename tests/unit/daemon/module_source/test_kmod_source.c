// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel module's source on a folder that looks like its control filesystem. */
#include "daemon/module_source/kmod_source.h"

#include "lib/file.h"
#include "tests/fixture/descriptors.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/kmod_encode.h"
#include "tests/fixture/record_catcher.h"
#include "tests/fixture/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEXT   UINT64_C(0xffffffff81000000)
#define SECOND UINT64_C(1000000000)

static struct fake_proc folder; /* holds /proc and, in kmod/, the control filesystem */
static char mount_path[128], sysfs_path[128];
static struct record_catcher catcher;
static struct kmod_stream stream;
static struct source *source;
static struct diag diag;
static int feed_fd; /* the buffer's writing end */

static struct event_choice events[] = {
	{.name = "cpu-clock",
	 .perf_type = PERF_TYPE_SOFTWARE,
	 .config = PERF_COUNT_SW_CPU_CLOCK,
	 .frequency = true,
	 .period_or_hz = 100,
	 .kernel = true,
	 .user = true},
	{.name = "cycles",
	 .perf_type = PERF_TYPE_HARDWARE,
	 .config = PERF_COUNT_HW_CPU_CYCLES,
	 .frequency = true,
	 .period_or_hz = 997,
	 .kernel = true},
	{.name = "LLC",
	 .perf_type = PERF_TYPE_RAW,
	 .config = 0x412e,
	 .unit_mask = 0x41,
	 .period_or_hz = 5000,
	 .user = true},
	{.name = "off-cpu", .perf_type = EVENT_TYPE_SWITCHES, .period_or_hz = 1},
};

static struct source_config config;

static int no_file(int buffer_fd, uint32_t cookie)
{
	(void)buffer_fd;
	(void)cookie;
	return -ENOENT;
}

static const struct kmod_source_options options = {
	.path = mount_path,
	.sysfs_path = sysfs_path,
	.proc_path = folder.path,
	.sys_path = folder.path,
	.open = no_file,
	.no_keeper = true,
};

static uint64_t now_ns; /* what the source takes for the time; 0: the machine's */

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!now_ns)
		return __real_clock_gettime(clock, time);
	*time = (struct timespec){(time_t)(now_ns / SECOND), (long)(now_ns % SECOND)};
	return 0;
}

static void make_setting(const char *name, const char *text)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "kmod/%s", name);
	fake_proc_print(&folder, path, "%s", text);
}

static void make_counter(int index)
{
	static const char *const names[] = {"enabled", "type", "event",	 "unit_mask",
					    "count",   "hz",   "kernel", "user"};
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%d/%s", index, names[i]);
		make_setting(path, "1\n");
	}
}

static void setup(void)
{
	static const char *const names[] = {"enable",		"dump",
					    "thinning",		"buffer_size",
					    "buffer_watershed", "cpu_buffer_size",
					    "backtrace_depth",	"switches",
					    "cgroups"};
	char path[192];

	fake_proc_init(&folder);
	fake_proc_print(&folder, "kallsyms",
			"ffffffff81000000 T _text\nffffffff81000100 T schedule\n"
			"ffffffff81001000 T _etext\n");
	(void)snprintf(mount_path, sizeof(mount_path), "%s/kmod", folder.path);
	(void)snprintf(sysfs_path, sizeof(sysfs_path), "%s/sysfs", folder.path);
	make_setting("version", "2\n");
	make_setting("stats/in_nmi", "12\n");
	make_setting("stats/lost_full", "3\n");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_setting(names[i], "");
	for (int i = 0; i < 5; i++)
		make_counter(i);
	(void)snprintf(path, sizeof(path), "%s/buffer", mount_path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	feed_fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(feed_fd, 0);
	config = (struct source_config){.events = events, .nr_events = 2, .want_cgroup = true};
	record_catcher_init(&catcher);
	kmod_stream_clear(&stream);
	diag_clear(&diag);
	source = NULL;
}

static void teardown(void)
{
	source_kmod.close(source);
	(void)close(feed_fd);
	fake_proc_deinit(&folder);
}

static int try_open(void)
{
	return kmod_source_open(&source, &config, &options, &catcher.sink, &diag);
}

static void open_it(void)
{
	ck_assert_msg(!try_open(), "%s", diag.text);
}

static void refused(int error, const char *why)
{
	ck_assert_int_eq(try_open(), error);
	ck_assert_msg(strstr(diag.text, why) != NULL, "%s", diag.text);
	ck_assert_ptr_null(source);
}

static void feed(void)
{
	ck_assert_int_eq(write(feed_fd, stream.words, stream.nr_bytes), (ssize_t)stream.nr_bytes);
	kmod_stream_clear(&stream);
}

static void setting_is(const char *name, const char *expected)
{
	char path[192];
	char *text;

	(void)snprintf(path, sizeof(path), "%s/%s", mount_path, name);
	ck_assert_int_eq(file_read_text(path, 64, &text, NULL), 0);
	text[strcspn(text, "\n")] = '\0';
	ck_assert_msg(!strcmp(text, expected), "%s is %s, not %s", name, text, expected);
	free(text);
}

static void remove_setting(const char *name)
{
	char path[192];

	(void)snprintf(path, sizeof(path), "%s/%s", mount_path, name);
	ck_assert_int_eq(unlink(path), 0);
}

/* ---- opening ---- */

/* The module refuses a buffer below the watershed, which may be from an earlier run. */
START_TEST(a_buffer_smaller_than_the_watershed_before_is_set)
{
	static const char *const names[] = {"buffer_size", "buffer_watershed"};
	char path[192], written[64];
	ssize_t nr;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/written", folder.path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < 2; i++) {
		char name[192];

		remove_setting(names[i]);
		(void)snprintf(name, sizeof(name), "%s/%s", mount_path, names[i]);
		ck_assert_int_eq(link(path, name), 0);
	}
	config.buffer_size = 2048;
	config.buffer_watershed = 1024;
	open_it();
	nr = read(fd, written, sizeof(written) - 1);
	ck_assert_int_gt(nr, 0);
	written[nr] = '\0';
	ck_assert_str_eq(written, "1\n2048\n1024\n");
	(void)close(fd);
}
END_TEST

START_TEST(events_become_counters_of_their_index)
{
	config.nr_events = 4;
	config.chain_depth = 16;
	config.want_switches = true;
	open_it();
	/* A clock event uses the module's timer; its frequency becomes whole nanoseconds. */
	setting_is("0/type", "1414332416");
	setting_is("0/count", "10000000");
	setting_is("0/hz", "100");
	setting_is("0/enabled", "1");
	setting_is("1/type", "0");
	setting_is("1/event", "0");
	setting_is("1/hz", "997");
	setting_is("1/kernel", "1");
	setting_is("1/user", "0");
	setting_is("2/type", "4");
	setting_is("2/event", "16686"); /* the number includes the unit mask */
	setting_is("2/unit_mask", "0");
	setting_is("2/count", "5000");
	setting_is("2/hz", "0");
	setting_is("3/enabled", "0"); /* switches do not use a counter */
	setting_is("4/enabled", "0"); /* left over from an earlier run */
	setting_is("switches", "1");
	setting_is("cgroups", "1");
	setting_is("backtrace_depth", "16");
	setting_is("enable", "0");
}
END_TEST

START_TEST(sizes_are_the_defaults_or_what_was_asked_for)
{
	open_it();
	setting_is("buffer_size", "131072");
	setting_is("buffer_watershed", "32768");
	setting_is("cpu_buffer_size", "8192");
	setting_is("switches", "0");
	source_kmod.close(source);
	config.buffer_size = 4096;
	config.sample_pages = 2;
	open_it();
	setting_is("buffer_size", "4096");
	setting_is("buffer_watershed", "1024");
	source_kmod.close(source);
	config.buffer_watershed = 9999;
	config.cpu_buffer_size = 200;
	open_it();
	setting_is("buffer_watershed", "4096");
	setting_is("cpu_buffer_size", "200");
}
END_TEST

START_TEST(processes_are_not_the_modules)
{
	config.target = SOURCE_TASKS;
	refused(-EOPNOTSUPP, "only the whole machine");
}
END_TEST

START_TEST(unwind_tables_are_not_the_modules)
{
	config.unwind = SOURCE_UNWIND_TABLES;
	config.chain_depth = 5;
	refused(-EOPNOTSUPP, "--source=perf");
	config.chain_depth = 0;
	open_it();
}
END_TEST

START_TEST(a_module_that_is_not_there_is_said_with_its_remedy)
{
	remove_setting("version");
	refused(-ENOENT, "not loaded: run opcontrol --init");
	ck_assert_int_eq(mkdir(sysfs_path, 0700), 0);
	refused(-ENOENT, "loaded, but its control filesystem is not mounted");
	(void)snprintf(mount_path, sizeof(mount_path), "%s/nowhere", folder.path);
	refused(-ENOENT, "opcontrol --init");
}
END_TEST

START_TEST(another_version_is_said_to_be_older_or_newer)
{
	make_setting("version", "0\n");
	refused(-EPROTONOSUPPORT, "the kernel module is older");
	make_setting("version", "3\n");
	refused(-EPROTONOSUPPORT, "the kernel module is newer");
	make_setting("version", "none\n");
	refused(-EPROTONOSUPPORT, "is not the control filesystem");
}
END_TEST

START_TEST(rates_that_the_module_does_not_take_are_refused)
{
	events[0].period_or_hz = 1000000;
	refused(-EINVAL, "100000 samples a second");
	events[0].period_or_hz = 100;
	events[1].period_or_hz = 100001;
	refused(-EINVAL, "give cycles a lower frequency");
	events[1].period_or_hz = 997;
}
END_TEST

START_TEST(what_it_has_no_file_for_is_an_error)
{
	remove_setting("0/hz");
	refused(-ENOENT, "cannot set 0/hz");
	make_counter(0);
	remove_setting("enable");
	refused(-ENOENT, "commands");
}
END_TEST

/* The standard descriptors are open too, so that closing one of them by mistake is noticed. */
START_TEST(a_refused_source_closes_exactly_what_it_opened)
{
	unsigned int nr;

	while (fcntl(STDERR_FILENO, F_GETFD) < 0)
		ck_assert_int_ge(open("/dev/null", O_RDWR), 0);
	nr = nr_descriptors();
	remove_setting("version");
	refused(-ENOENT, "not loaded");
	ck_assert_uint_eq(nr_descriptors(), nr);
	make_setting("version", "2\n");
	open_it();
	source_kmod.close(source);
	source = NULL;
	ck_assert_uint_eq(nr_descriptors(), nr);
}
END_TEST

/* ---- running ---- */

static void put_samples(unsigned int nr)
{
	kmod_stream_cpu(&stream, 0);
	kmod_stream_task(&stream, 10, 10, 100, 0);
	for (unsigned int i = 0; i < nr; i++)
		kmod_stream_sample(&stream, SECOND + i, 0, 0, TEXT + 0x100);
}

START_TEST(what_is_in_the_buffer_comes_out_and_is_seen)
{
	open_it();
	ck_assert_int_eq(source_kmod.start(source), 0);
	setting_is("enable", "1");
	put_samples(5);
	kmod_stream_lost(&stream, OPROF_LOST_KERNEL_RING, 4);
	kmod_stream_sample(&stream, SECOND, 0, 0, 0); /* outside any code */
	feed();
	ck_assert_uint_eq(source_kmod.seen(source), 0);
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_PERIODIC), 0);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SAMPLE), 5);
	ck_assert_uint_eq(source_kmod.seen(source), 10);
	ck_assert_uint_eq(record_catcher_seen(&catcher), 10);
	setting_is("dump", "");
	ck_assert_int_eq(source_kmod.stop(source), 0);
	setting_is("enable", "0");
}
END_TEST

START_TEST(kernel_samples_have_an_image_whichever_event_is_the_kernels)
{
	for (unsigned int first = 0; first < 2; first++) {
		struct event_choice pair[] = {events[2], events[2]};

		pair[first] = events[0];
		config.events = pair;
		record_catcher_init(&catcher);
		open_it();
		put_samples(3);
		feed();
		ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_PERIODIC), 0);
		ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SAMPLE), 3);
		source_kmod.close(source);
		source = NULL;
	}
}
END_TEST

START_TEST(all_is_asked_for_by_a_dump_first)
{
	open_it();
	put_samples(1);
	feed();
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_ALL), 0);
	setting_is("dump", "1");
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SAMPLE), 1);
}
END_TEST

START_TEST(what_is_read_ahead_comes_out_first_and_counts_then)
{
	const struct oprof_sample *last;

	open_it();
	put_samples(2);
	feed();
	source_kmod.read(source);
	ck_assert_uint_eq(source_kmod.seen(source), 0);
	/* The context of the first piece still holds. */
	kmod_stream_sample(&stream, SECOND + 9, 1, 0, TEXT + 0x180);
	feed();
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_PERIODIC), 0);
	ck_assert_uint_eq(source_kmod.seen(source), 3);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SAMPLE), 3);
	last = record_catcher_find(&catcher, OPROF_RECORD_SAMPLE, 2);
	ck_assert(last && last->event == 1);
}
END_TEST

/* Each piece is read into a block as large as the largest piece needs. */
START_TEST(what_is_read_ahead_takes_no_more_memory_than_it_has_bytes)
{
	struct mallinfo2 before, after;

	open_it();
	before = mallinfo2();
	for (unsigned int i = 0; i < 32; i++) {
		put_samples(1);
		feed();
		source_kmod.read(source);
	}
	after = mallinfo2();
	ck_assert_uint_lt(after.uordblks + after.hblkhd,
			  before.uordblks + before.hblkhd + (1u << 20));
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_PERIODIC), 0);
	ck_assert_uint_eq(source_kmod.seen(source), 32);
}
END_TEST

START_TEST(a_filling_buffer_wakes_who_polls)
{
	struct pollfd fd = {.events = POLLIN};

	open_it();
	fd.fd = source_kmod.poll_fd(source);
	ck_assert_int_eq(poll(&fd, 1, 0), 0);
	put_samples(1);
	feed();
	ck_assert_int_eq(poll(&fd, 1, 10000), 1);
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_PERIODIC), 0);
	ck_assert_int_eq(poll(&fd, 1, 0), 0);
}
END_TEST

START_TEST(switches_wait_for_their_order_until_all_is_asked_for)
{
	config.nr_events = 4;
	config.want_switches = true;
	open_it();
	kmod_stream_cpu(&stream, 0);
	kmod_stream_task(&stream, 10, 10, 100, 0);
	kmod_stream_switch(&stream, 5, OPROF_OFF_CPU_WAITING);
	kmod_stream_task(&stream, 0, 0, 1, 0);
	feed();
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_ALL), 0);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 1);
	/* Switches between this drain and start() count as lost. */
	ck_assert_int_eq(source_kmod.start(source), 0);
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_ALL), 0);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCHES_LOST), 1);
}
END_TEST

START_TEST(switches_wait_for_their_order_in_the_first_second_after_boot_too)
{
	config.nr_events = 4;
	config.want_switches = true;
	open_it();
	kmod_stream_cpu(&stream, 0);
	kmod_stream_task(&stream, 10, 10, 100, 0);
	kmod_stream_switch(&stream, SECOND / 4, OPROF_OFF_CPU_WAITING);
	kmod_stream_task(&stream, 0, 0, 1, 0);
	feed();
	now_ns = SECOND / 2;
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_PERIODIC), 0);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 0);
	now_ns = 2 * SECOND;
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_PERIODIC), 0);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 1);
	now_ns = 0; /* Check measures the test by the same clock */
}
END_TEST

static uint64_t counter(const char *name)
{
	struct source_counter counters[64];
	size_t nr = source_kmod.counters(source, counters, 64);

	ck_assert_uint_le(nr, 64);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(counters[i].name, name))
			return counters[i].value;
	ck_abort_msg("no counter %s", name);
}

START_TEST(the_modules_counters_stand_beside_the_daemons)
{
	struct source_counter two[2];

	open_it();
	put_samples(1);
	feed();
	ck_assert_int_eq(source_kmod.drain(source, SOURCE_DRAIN_PERIODIC), 0);
	ck_assert_uint_eq(counter("kmod_in_nmi"), 12);
	ck_assert_uint_eq(counter("kmod_lost_full"), 3);
	ck_assert_uint_eq(counter("records"), 3);
	ck_assert_uint_eq(counter("drains"), 1);
	ck_assert_uint_gt(source_kmod.counters(source, two, 2), 2);
}
END_TEST

START_TEST(a_clock_is_noted_to_be_the_timer)
{
	struct source_note notes[2];

	open_it();
	ck_assert_uint_eq(source_kmod.notes(source, notes, 2), 1);
	ck_assert_str_eq(notes[0].name, "timer");
	ck_assert_uint_eq(source_kmod.notes(source, notes, 0), 0);
	source_kmod.close(source);
	config.events = events + 1;
	open_it();
	ck_assert_uint_eq(source_kmod.notes(source, notes, 2), 0);
	ck_assert(!source_kmod.ended(source));
}
END_TEST

START_TEST(fewer_samples_are_asked_of_the_module)
{
	open_it();
	ck_assert_int_eq(source_kmod.set_thinning(source, 4), 0);
	setting_is("thinning", "4");
	ck_assert_int_eq(source_kmod.set_thinning(source, 1), 0);
	setting_is("thinning", "1");
	ck_assert_int_eq(source_kmod.set_thinning(source, 0), -EINVAL);
	setting_is("thinning", "1");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kmod_source");
	TCase *tests = tcase_create("kmod_source");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_buffer_smaller_than_the_watershed_before_is_set);
	tcase_add_test(tests, events_become_counters_of_their_index);
	tcase_add_test(tests, sizes_are_the_defaults_or_what_was_asked_for);
	tcase_add_test(tests, processes_are_not_the_modules);
	tcase_add_test(tests, unwind_tables_are_not_the_modules);
	tcase_add_test(tests, a_module_that_is_not_there_is_said_with_its_remedy);
	tcase_add_test(tests, another_version_is_said_to_be_older_or_newer);
	tcase_add_test(tests, rates_that_the_module_does_not_take_are_refused);
	tcase_add_test(tests, what_it_has_no_file_for_is_an_error);
	tcase_add_test(tests, a_refused_source_closes_exactly_what_it_opened);
	tcase_add_test(tests, what_is_in_the_buffer_comes_out_and_is_seen);
	tcase_add_test(tests, kernel_samples_have_an_image_whichever_event_is_the_kernels);
	tcase_add_test(tests, all_is_asked_for_by_a_dump_first);
	tcase_add_test(tests, what_is_read_ahead_comes_out_first_and_counts_then);
	tcase_add_test(tests, what_is_read_ahead_takes_no_more_memory_than_it_has_bytes);
	tcase_add_test(tests, a_filling_buffer_wakes_who_polls);
	tcase_add_test(tests, switches_wait_for_their_order_until_all_is_asked_for);
	tcase_add_test(tests, switches_wait_for_their_order_in_the_first_second_after_boot_too);
	tcase_add_test(tests, the_modules_counters_stand_beside_the_daemons);
	tcase_add_test(tests, a_clock_is_noted_to_be_the_timer);
	tcase_add_test(tests, fewer_samples_are_asked_of_the_module);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
