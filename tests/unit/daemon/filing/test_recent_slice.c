// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/profiler.h"

#include "daemon/session/separation.h"
#include "lib/log.h"
#include "libdb/slice/slice.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#define S_NS UINT64_C(1000000000)

enum { LOAD = 1, KERNEL, REGION };

static const struct event_choice events[] = {
	{.name = "cpu-clock",
	 .perf_type = PERF_TYPE_SOFTWARE,
	 .config = PERF_COUNT_SW_CPU_CLOCK,
	 .frequency = true,
	 .period_or_hz = 99,
	 .kernel = true,
	 .user = true},
	{.name = "page-faults",
	 .perf_type = PERF_TYPE_SOFTWARE,
	 .config = PERF_COUNT_SW_PAGE_FAULTS,
	 .frequency = true,
	 .period_or_hz = 10},
	{.name = "off-cpu",
	 .perf_type = EVENT_TYPE_SWITCHES,
	 .period_or_hz = 1,
	 .kernel = true,
	 .user = true},
};

static struct session session;
static struct profiler profiler;
static struct diag diag;

static void setup(void)
{
	const struct profiler_config config = {
		.ops = &source_fake,
		.source = {.events = events, .nr_events = 3, .target = SOURCE_SYSTEM},
		.separation = SEPARATION_LIB,
	};

	test_folder_setup();
	log_init("test", LOG_LEVEL_ERROR);
	ck_assert_int_eq(log_open("log"), 0);
	fake_init(NULL);
	fake_image(LOAD, OPROF_IMAGE_FILE, "/bin/load");
	fake_image(KERNEL, OPROF_IMAGE_KERNEL, "vmlinux");
	fake_image(REGION, OPROF_IMAGE_ANON, "//anon");
	fake.images[REGION].tgid = 10;
	fake.images[REGION].start = 0x1000;
	fake.images[REGION].end = 0x2000;
	ck_assert_int_eq(session_lock(&session, ".", &diag), 0);
	ck_assert_int_eq(profiler_open(&profiler, &session, &config, &diag), 0);
}

static void teardown(void)
{
	profiler_close(&profiler);
	session_unlock(&session);
	test_folder_teardown();
}

/* Six samples of 2 threads on 2 CPUs, 2 idle samples, 3 lost samples. */
static void sample_some(void)
{
	fake_cpu(0);
	fake_task(10, 11, LOAD, 0);
	fake_sample(0, OPROF_MODE_USER, LOAD, 5, 10);
	fake_sample(0, OPROF_MODE_USER, LOAD, 5, 10);
	fake_sample(0, OPROF_MODE_KERNEL, KERNEL, 9, 10);
	fake_cpu(1);
	fake_task(10, 12, LOAD, 0);
	fake_sample(0, OPROF_MODE_USER, LOAD, 6, 10);
	fake_sample(1, OPROF_MODE_USER, LOAD, 6, 1234);
	fake_sample(0, OPROF_MODE_USER, REGION, 7, 10);
	fake_sample(0, OPROF_MODE_IDLE, KERNEL, 1, 10);
	fake_sample(0, OPROF_MODE_IDLE, KERNEL, 1, 10);
	fake_lost(OPROF_LOST_KERNEL_RING, 3);
}

static struct slice *ask_span(uint64_t last_ns, uint64_t until_ns, unsigned int separation)
{
	const struct recent_span span = {last_ns, until_ns};
	struct recent_stretch stretch;
	struct slice *slice;
	int fd = profiler_recent(&profiler, &span, separation, &stretch, &diag);

	ck_assert_int_ge(fd, 0);
	/* The file cannot be changed. */
	ck_assert_int_eq(write(fd, "x", 1), -1);
	ck_assert_int_eq(ftruncate(fd, 0), -1);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_le(stretch.begin_ns, stretch.end_ns);
	ck_assert_int_eq(slice_open_fd(&slice, fd, "recent", &diag), 0);
	ck_assert_int_eq(slice_info(slice)->begin_ns, stretch.begin_ns);
	ck_assert_int_eq(slice_info(slice)->end_ns, stretch.end_ns);
	return slice;
}

static struct slice *ask(unsigned int separation)
{
	return ask_span(60 * S_NS, 0, separation);
}

static uint64_t counted(const struct slice *slice, const char *name)
{
	const struct slice_info *info = slice_info(slice);

	for (size_t i = 0; i < info->nr_counters; i++)
		if (!strcmp(info->end[i].name, name))
			return info->end[i].value - info->begin[i].value;
	ck_abort_msg("no counter %s", name);
	return 0;
}

static void expect_counts(const struct slice *slice, uint64_t stored, uint64_t idle, uint64_t lost)
{
	ck_assert_uint_eq(slice_header(slice)->nr_samples, stored);
	ck_assert_uint_eq(slice_header(slice)->nr_idle, idle);
	ck_assert_uint_eq(counted(slice, "stored"), stored);
	ck_assert_uint_eq(counted(slice, "idle"), idle);
	ck_assert_uint_eq(counted(slice, "lost_kernel_ring"), lost);
	ck_assert_uint_eq(counted(slice, "seen"), stored + idle + lost);
}

START_TEST(samples_counters_and_what_was_lost_agree)
{
	struct slice *slice;

	sample_some();
	slice = ask(SEPARATION_LIB);
	expect_counts(slice, 6, 2, 3);
	slice_close(slice);
	sample_some();
	slice = ask(SEPARATION_LIB);
	expect_counts(slice, 12, 4, 6);
	slice_close(slice);
}
END_TEST

/* Sample, as if seconds had passed since begin_ns. */
static void sample_until(uint64_t begin_ns, uint64_t seconds)
{
	sample_some();
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	recent_mark(profiler.recent, begin_ns + seconds * S_NS, &session.stats);
}

START_TEST(a_range_that_ended_has_its_own_samples_and_counters)
{
	uint64_t begin_ns = profiler.recent->drained_ns;
	struct slice *slice;

	sample_until(begin_ns, 1000);
	sample_until(begin_ns, 2000);
	sample_until(begin_ns, 3000);
	slice = ask_span(2000 * S_NS, 1000 * S_NS, SEPARATION_LIB);
	expect_counts(slice, 6, 2, 3);
	ck_assert_int_eq(slice_info(slice)->end_ns - slice_info(slice)->begin_ns, 1000 * S_NS);
	slice_close(slice);
	slice = ask_span(3000 * S_NS, 1000 * S_NS, SEPARATION_LIB);
	expect_counts(slice, 12, 4, 6);
	slice_close(slice);
	/* All of it is before the oldest mark. */
	slice = ask_span(9000 * S_NS, 8000 * S_NS, SEPARATION_LIB);
	expect_counts(slice, 0, 0, 0);
	slice_close(slice);
}
END_TEST

START_TEST(no_task_is_off_for_longer_than_the_stretch_lasts)
{
	struct slice *slice;

	fake_cpu(0);
	fake_task(10, 11, LOAD, 0);
	fake_sample(2, OPROF_MODE_OFF_CPU, OPROF_IMAGE_COOKIE_OFF_CPU, 1, UINT64_C(3600000000000));
	slice = ask(SEPARATION_ALL);
	expect_counts(slice, 1, 0, 0);
	ck_assert_int_le(slice_header(slice)->weight,
			 slice_info(slice)->end_ns - slice_info(slice)->begin_ns);
	slice_close(slice);
}
END_TEST

START_TEST(sections_are_as_the_session_s_own_files)
{
	const struct slice_section *sections;
	struct slice *slice;
	size_t nr;

	sample_some();
	slice = ask(SEPARATION_LIB);
	sections = slice_sections(slice, &nr);
	/* cpu-clock of load, of the region, of the kernel, and idle; page-faults of load. */
	ck_assert_uint_eq(nr, 5);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_int_eq(sections[i].tid, SAMPLE_NAME_ALL);
		ck_assert_int_eq(sections[i].cpu, SAMPLE_NAME_ALL);
		ck_assert_ptr_null(sections[i].cgroup);
		if (sections[i].image_kind == OPROF_IMAGE_KERNEL)
			ck_assert_str_eq(sections[i].app.path, "vmlinux");
		if (sections[i].image_kind == OPROF_IMAGE_FILE)
			ck_assert_str_eq(sections[i].app.path, "/bin/load");
		if (!strcmp(sections[i].event, "page-faults"))
			ck_assert_uint_eq(sections[i].weight, 1234);
	}
	slice_close(slice);
}
END_TEST

START_TEST(separate_all_keeps_threads_cpus_and_cgroups_apart)
{
	const struct slice_section *sections;
	unsigned int nr_kernel = 0;
	struct slice *slice;
	size_t nr;

	sample_some();
	slice = ask(SEPARATION_ALL);
	sections = slice_sections(slice, &nr);
	ck_assert_uint_eq(nr, 6);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_int_ge(sections[i].cpu, 0);
		if (sections[i].image_kind == OPROF_IMAGE_IDLE)
			continue;
		ck_assert_int_eq(sections[i].tgid, 10);
		ck_assert_int_eq(sections[i].tid, 11 + sections[i].cpu);
		ck_assert_ptr_nonnull(sections[i].cgroup);
		ck_assert_str_eq(sections[i].app.path, "/bin/load");
		nr_kernel += sections[i].image_kind == OPROF_IMAGE_KERNEL;
	}
	ck_assert_uint_eq(nr_kernel, 1);
	/* The request did not assign a number to the cgroup or create a sample file. */
	ck_assert_int_ne(access("samples/current/meta/cgroups", F_OK), 0);
	slice_close(slice);
}
END_TEST

START_TEST(samples_of_images_that_were_released_are_still_there)
{
	struct slice *slice;

	sample_some();
	fake_release(REGION);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	memset(&fake.images[REGION], 0, sizeof(fake.images[REGION]));
	slice = ask(SEPARATION_LIB);
	expect_counts(slice, 6, 2, 3);
	ck_assert_uint_eq(slice_header(slice)->flags & OPROF_SLICE_HOLED, 0);
	slice_close(slice);
}
END_TEST

START_TEST(after_reset_and_save_only_the_new_session_is_given)
{
	struct slice *slice;

	sample_some();
	ck_assert_int_eq(profiler_save(&profiler, "kept", &diag), 0);
	slice = ask(SEPARATION_LIB);
	expect_counts(slice, 0, 0, 0);
	slice_close(slice);
	sample_some();
	ck_assert_int_eq(profiler_reset(&profiler, &diag), 0);
	sample_some();
	slice = ask(SEPARATION_LIB);
	expect_counts(slice, 6, 2, 3);
	slice_close(slice);
}
END_TEST

START_TEST(symbols_of_the_kernel_are_saved_before_the_answer)
{
	unsigned int before = fake.nr_symbols_saved;

	slice_close(ask(SEPARATION_LIB));
	ck_assert_uint_gt(fake.nr_symbols_saved, before);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("recent_slice");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, samples_counters_and_what_was_lost_agree);
	tcase_add_test(tc, a_range_that_ended_has_its_own_samples_and_counters);
	tcase_add_test(tc, no_task_is_off_for_longer_than_the_stretch_lasts);
	tcase_add_test(tc, sections_are_as_the_session_s_own_files);
	tcase_add_test(tc, separate_all_keeps_threads_cpus_and_cgroups_apart);
	tcase_add_test(tc, samples_of_images_that_were_released_are_still_there);
	tcase_add_test(tc, after_reset_and_save_only_the_new_session_is_given);
	tcase_add_test(tc, symbols_of_the_kernel_are_saved_before_the_answer);
	return test_run(tc);
}
