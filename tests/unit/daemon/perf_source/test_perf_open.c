// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which events are requested of the kernel, and how missing features are
 * handled; a fake kernel answers.
 */
#include "daemon/perf_source/perf_open.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct event_choice events[2];
static struct source_config config;
static struct perf_open opened;
static struct diag diag;

/* The fake kernel: what it refuses, and the last request. */
static struct {
	uint32_t attr_bytes; /* size of the attr that it knows */
	uint64_t formats;    /* read_format bits that it knows */
	bool no_build_id, no_cgroup, no_ksymbol, no_mmap2, no_comm_exec, no_clockid, no_switches;
	unsigned int max_stack; /* 0: any */
	bool no_user_stack;
	bool no_kernel_mode;
	int error;	   /* for sampled events */
	pid_t refused_pid; /* another user's process */
	int nr_emfile;
	unsigned int nr_calls;
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	unsigned long flags;
} kernel;

static bool attr_unknown(const struct perf_event_attr *attr)
{
	return attr->read_format & ~kernel.formats || (attr->build_id && kernel.no_build_id) ||
	       ((attr->cgroup || attr->sample_type & PERF_SAMPLE_CGROUP) && kernel.no_cgroup) ||
	       (attr->ksymbol && kernel.no_ksymbol) || (attr->mmap2 && kernel.no_mmap2) ||
	       (attr->comm_exec && kernel.no_comm_exec) ||
	       (attr->use_clockid && kernel.no_clockid) ||
	       (attr->context_switch && kernel.no_switches);
}

static int fake_open(struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
	kernel.nr_calls++;
	kernel.attr = *attr;
	kernel.pid = pid;
	kernel.cpu = cpu;
	kernel.flags = flags;
	if (attr->size > kernel.attr_bytes) {
		attr->size = kernel.attr_bytes;
		return -E2BIG;
	}
	if (attr_unknown(attr))
		return -EINVAL;
	if (kernel.no_user_stack && attr->sample_type & PERF_SAMPLE_STACK_USER)
		return -ENOSYS;
	if (kernel.max_stack && attr->sample_max_stack > kernel.max_stack)
		return -EOVERFLOW;
	if (kernel.no_kernel_mode && !attr->exclude_kernel)
		return -EACCES;
	if (pid && pid == kernel.refused_pid)
		return -EACCES;
	if (kernel.nr_emfile && kernel.nr_emfile--)
		return -EMFILE;
	if (kernel.error && attr->config != PERF_COUNT_SW_DUMMY)
		return kernel.error;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void setup(void)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.attr_bytes = sizeof(struct perf_event_attr);
	kernel.formats = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	memset(events, 0, sizeof(events));
	for (int i = 0; i < 2; i++) {
		strcpy(events[i].name, i ? "page-faults" : "cpu-clock");
		events[i].perf_type = PERF_TYPE_SOFTWARE;
		events[i].config = i ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK;
		events[i].period_or_hz = 1000;
		events[i].kernel = true;
		events[i].user = true;
	}
	memset(&config, 0, sizeof(config));
	config.events = events;
	config.nr_events = 1;
}

static void init(void)
{
	int error = perf_open_init(&opened, &config, 2, fake_open, &diag);

	ck_assert_msg(!error, "%d: %s", error, diag.text);
}

static void open_sample(size_t event)
{
	int fd = perf_open_samples(&opened, event, -1, 1, &diag);

	ck_assert_msg(fd >= 0, "%d: %s", fd, diag.text);
	ck_assert_int_eq(close(fd), 0);
}

static void open_side_band(void)
{
	int fd = perf_open_side_band(&opened, -1, 1, &diag);

	ck_assert_msg(fd >= 0, "%d: %s", fd, diag.text);
	ck_assert_int_eq(close(fd), 0);
}

START_TEST(a_sampled_event_is_asked_for_as_it_was_chosen)
{
	init();
	open_sample(0);
	ck_assert_int_eq(kernel.pid, -1);
	ck_assert_int_eq(kernel.cpu, 1);
	ck_assert_uint_eq(kernel.flags, PERF_FLAG_FD_CLOEXEC);
	ck_assert_uint_eq(kernel.attr.sample_period, 1000);
	ck_assert(!kernel.attr.freq);
	ck_assert(kernel.attr.disabled);
	ck_assert(!kernel.attr.inherit);
	ck_assert(!kernel.attr.exclude_kernel);
	ck_assert(!kernel.attr.exclude_user);
	ck_assert(kernel.attr.exclude_hv);
	ck_assert(!kernel.attr.mmap && !kernel.attr.task && !kernel.attr.comm);
	ck_assert_uint_eq(kernel.attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
							   PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							   PERF_SAMPLE_CPU);
	ck_assert(kernel.attr.use_clockid);
	ck_assert_int_eq(kernel.attr.clockid, 1 /* CLOCK_MONOTONIC */);
	ck_assert_uint_eq(kernel.attr.wakeup_watermark, 128 << 10); /* half of its ring */
}
END_TEST

static size_t side_bytes(unsigned int nr_cpus)
{
	int error = perf_open_init(&opened, &config, nr_cpus, fake_open, &diag);

	ck_assert_msg(!error, "%d: %s", error, diag.text);
	return opened.side_pages * (size_t)sysconf(_SC_PAGESIZE);
}

START_TEST(side_band_rings_of_many_cpus_together_take_no_more_than_those_of_a_few)
{
	if (geteuid() != 0) {
		ck_assert_uint_eq(side_bytes(1), 128 << 10);
		ck_assert_uint_eq(side_bytes(1000), 128 << 10);
		return;
	}
	ck_assert_uint_eq(side_bytes(1), 1 << 20);
	ck_assert_uint_eq(side_bytes(16), 1 << 20);
	ck_assert_uint_eq(side_bytes(17), 512 << 10);
	ck_assert_uint_eq(side_bytes(96), 128 << 10);
	ck_assert_uint_eq(side_bytes(128), 128 << 10);
	ck_assert_uint_eq(side_bytes(8192), 128 << 10); /* a user's process: the minimum */
	config.side_pages = 4;
	ck_assert_uint_eq(side_bytes(8192), 4 * (size_t)sysconf(_SC_PAGESIZE));
}
END_TEST

START_TEST(a_clock_at_a_frequency_is_asked_for_by_its_period)
{
	events[0].frequency = true;
	events[0].period_or_hz = 997;
	init();
	open_sample(0);
	ck_assert(!kernel.attr.freq);
	ck_assert_uint_eq(kernel.attr.sample_period, 1000000000u / 997);
	ck_assert_uint_eq(event_choice_period(&events[0]), 1000000000u / 997);
	ck_assert(!(opened.sample_type & PERF_SAMPLE_PERIOD));
	events[0].period_or_hz = 2000000000u;
	ck_assert_uint_eq(event_choice_period(&events[0]), 1);
}
END_TEST

START_TEST(another_event_at_a_frequency_tells_the_weight_of_each_sample)
{
	config.nr_events = 2;
	events[1].frequency = true;
	events[1].period_or_hz = 99;
	init();
	open_sample(1);
	ck_assert(kernel.attr.freq);
	ck_assert_uint_eq(kernel.attr.sample_freq, 99);
	ck_assert_uint_eq(event_choice_period(&events[1]), 0);
	ck_assert(kernel.attr.sample_type & PERF_SAMPLE_PERIOD);
	open_sample(0); /* events in the same ring have the same fields */
	ck_assert(kernel.attr.sample_type & PERF_SAMPLE_PERIOD);
}
END_TEST

START_TEST(side_band_brings_maps_programs_and_tasks_and_runs_at_once)
{
	config.side_pages = 32;
	init();
	open_side_band();
	ck_assert_uint_eq(kernel.attr.config, PERF_COUNT_SW_DUMMY);
	ck_assert(!kernel.attr.disabled);
	ck_assert(kernel.attr.mmap && kernel.attr.mmap2 && kernel.attr.comm &&
		  kernel.attr.comm_exec && kernel.attr.task && kernel.attr.build_id &&
		  kernel.attr.ksymbol && kernel.attr.sample_id_all);
	ck_assert(!kernel.attr.cgroup);
	ck_assert_uint_eq(kernel.attr.wakeup_watermark, 16 * sysconf(_SC_PAGESIZE));
	config.want_cgroup = true;
	config.target = SOURCE_TASKS;
	init();
	open_side_band();
	ck_assert(kernel.attr.cgroup);
	ck_assert(kernel.attr.inherit);
	ck_assert(!kernel.attr.ksymbol);
	ck_assert(opened.sample_type & PERF_SAMPLE_CGROUP);
}
END_TEST

START_TEST(switches_are_told_by_an_event_of_their_own_that_begins_with_sampling)
{
	int fd;

	strcpy(events[1].name, "off-cpu");
	events[1].perf_type = EVENT_TYPE_SWITCHES;
	config.nr_events = 2;
	config.want_switches = true;
	config.enable_on_exec = true;
	init();
	fd = perf_open_switches(&opened, -1, 1, &diag);
	ck_assert_msg(fd >= 0, "%d: %s", fd, diag.text);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_uint_eq(kernel.attr.config, PERF_COUNT_SW_DUMMY);
	ck_assert(kernel.attr.context_switch && kernel.attr.disabled && kernel.attr.enable_on_exec);
	ck_assert(kernel.attr.exclude_kernel && kernel.attr.sample_id_all);
	ck_assert(!kernel.attr.mmap && !kernel.attr.comm && !kernel.attr.task);
	ck_assert_uint_eq(kernel.attr.sample_type, opened.switch_type);
	ck_assert(!event_choice_is_sampled(&events[1]));
	open_side_band();
	ck_assert(!kernel.attr.context_switch);
}
END_TEST

START_TEST(a_kernel_that_does_not_tell_switches_is_named_as_the_reason)
{
	int error;

	config.want_switches = true;
	kernel.no_switches = true;
	error = perf_open_init(&opened, &config, 2, fake_open, &diag);
	ck_assert_int_eq(error, -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "off-cpu"));
	ck_assert_ptr_nonnull(strstr(diag.text, "Linux 4.3"));
}
END_TEST

START_TEST(an_older_kernel_is_asked_for_what_it_knows)
{
	config.want_cgroup = true;
	kernel.formats = PERF_FORMAT_ID;
	kernel.no_build_id = true;
	kernel.no_cgroup = true;
	init();
	open_sample(0);
	ck_assert(!(opened.features & PERF_FEATURE_LOST));
	ck_assert_uint_eq(kernel.attr.read_format, PERF_FORMAT_ID);
	ck_assert(!(opened.sample_type & PERF_SAMPLE_CGROUP));
	open_side_band();
	ck_assert(!kernel.attr.build_id && !kernel.attr.cgroup);
	ck_assert(kernel.attr.mmap2 && kernel.attr.comm_exec && kernel.attr.ksymbol);
}
END_TEST

START_TEST(an_attr_larger_than_the_kernel_knows_is_cut)
{
	static const struct {
		unsigned int attr_bytes, max_stack;
	} kernels[] = {
		{PERF_ATTR_SIZE_VER4, 0},  /* older than sample_max_stack */
		{PERF_ATTR_SIZE_VER5, 21}, /* the chain and its leaf */
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		kernel.attr_bytes = kernels[i].attr_bytes;
		config.chain_depth = 20;
		init();
		open_sample(0);
		ck_assert_uint_eq(kernel.attr.size, kernels[i].attr_bytes);
		ck_assert_uint_eq(kernel.attr.sample_max_stack, kernels[i].max_stack);
		ck_assert(kernel.attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	}
}
END_TEST

START_TEST(chains_deeper_than_the_kernel_allows_are_as_deep_as_it_allows)
{
	config.chain_depth = 20;
	init();
	open_sample(0);
	ck_assert_uint_eq(kernel.attr.sample_max_stack, 21);
	kernel.max_stack = 8;
	init();
	open_sample(0);
	ck_assert_uint_eq(kernel.attr.sample_max_stack, 0);
}
END_TEST

START_TEST(stacks_are_copied_and_the_kernels_part_of_chains_is_kept)
{
	uint64_t fields = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CALLCHAIN;

	config.chain_depth = 20;
	init();
	open_sample(0);
	if (!perf_regs_here()) {
		ck_assert_ptr_null(opened.regs);
		ck_assert_uint_eq(kernel.attr.sample_type & fields, PERF_SAMPLE_CALLCHAIN);
		return;
	}
	ck_assert_ptr_eq(opened.regs, perf_regs_here());
	ck_assert_uint_eq(kernel.attr.sample_type & fields, fields);
	ck_assert_uint_eq(kernel.attr.sample_regs_user, perf_regs_here()->mask);
	ck_assert_uint_eq(kernel.attr.sample_stack_user, opened.stack_bytes);
	ck_assert_uint_ge(opened.stack_bytes, 8192);
	ck_assert(kernel.attr.exclude_callchain_user);
	ck_assert(!kernel.attr.exclude_callchain_kernel);
	/* Many such samples fit into a ring. */
	ck_assert_uint_ge(opened.sample_pages * (size_t)sysconf(_SC_PAGESIZE),
			  32 * (size_t)opened.stack_bytes);
	open_side_band();
	ck_assert_uint_eq(kernel.attr.sample_stack_user, 0);
}
END_TEST

START_TEST(stacks_are_not_copied_where_frame_pointers_are_asked_for_or_no_chains)
{
	config.chain_depth = 20;
	config.unwind = SOURCE_UNWIND_FP;
	init();
	open_sample(0);
	ck_assert_ptr_null(opened.regs);
	ck_assert_uint_eq(kernel.attr.sample_stack_user, 0);
	ck_assert(!kernel.attr.exclude_callchain_user);
	config.chain_depth = 0;
	config.unwind = SOURCE_UNWIND_TABLES;
	init();
	open_sample(0);
	ck_assert_ptr_null(opened.regs);
	ck_assert_uint_eq(kernel.attr.sample_stack_user, 0);
}
END_TEST

START_TEST(a_kernel_that_copies_no_stacks_follows_frame_pointers)
{
	config.chain_depth = 20;
	kernel.no_user_stack = true;
	init();
	open_sample(0);
	ck_assert_ptr_null(opened.regs);
	ck_assert_uint_eq(kernel.attr.sample_stack_user, 0);
	ck_assert_uint_eq(kernel.attr.sample_regs_user, 0);
	ck_assert(!kernel.attr.exclude_callchain_user);
	ck_assert(kernel.attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	ck_assert(opened.features & PERF_FEATURE_LOST);
}
END_TEST

START_TEST(copies_are_smaller_where_the_ring_is_small)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	config.chain_depth = 20;
	config.stack_bytes = 32767; /* not a multiple of a word */
	config.sample_pages = (unsigned int)((4 << 20) / page_bytes);
	init();
	if (!opened.regs)
		return;
	ck_assert_uint_eq(opened.stack_bytes, 32760);
	while (opened.sample_pages > 1) {
		uint32_t before = opened.stack_bytes;

		opened.sample_pages /= 2;
		perf_open_fit_stacks(&opened);
		ck_assert_uint_le(opened.stack_bytes, before);
		ck_assert_uint_eq(opened.stack_bytes % 8, 0);
		ck_assert_uint_ge(opened.stack_bytes, 1016);
		ck_assert(opened.stack_bytes < 2048 ||
			  opened.stack_bytes * (size_t)16 <= opened.sample_pages * page_bytes);
	}
	ck_assert_uint_lt(opened.stack_bytes, 2048);
}
END_TEST

START_TEST(a_clock_that_the_kernel_lacks_cannot_be_done_without)
{
	kernel.no_clockid = true;
	ck_assert_int_eq(perf_open_init(&opened, &config, 2, fake_open, &diag), -EINVAL);
	ck_assert_str_ne(diag.text, "");
}
END_TEST

START_TEST(a_refused_kernel_mode_is_given_up_once_and_for_all)
{
	config.target = SOURCE_TASKS;
	kernel.no_kernel_mode = true;
	init();
	ck_assert(opened.user_only); /* known before anything depends on it */
	open_sample(0);
	ck_assert(kernel.attr.exclude_kernel);
	kernel.nr_calls = 0;
	open_sample(0);
	ck_assert_uint_eq(kernel.nr_calls, 1);
}
END_TEST

START_TEST(an_event_of_the_kernel_alone_is_not_turned_into_nothing)
{
	kernel.no_kernel_mode = true;
	events[0].user = false;
	ck_assert_int_eq(perf_open_init(&opened, &config, 2, fake_open, &diag), -EACCES);
	ck_assert(!opened.user_only);
	ck_assert_ptr_nonnull(strstr(diag.text, "cpu-clock"));
}
END_TEST

START_TEST(a_kernel_event_after_another_is_not_turned_into_nothing)
{
	kernel.no_kernel_mode = true;
	config.nr_events = 2;
	events[1].user = false;
	ck_assert_int_eq(perf_open_init(&opened, &config, 2, fake_open, &diag), -EACCES);
	ck_assert_ptr_nonnull(strstr(diag.text, "page-faults"));
	/* In the other order, the first refusal is the error. */
	events[0].user = false;
	events[1].user = true;
	ck_assert_int_eq(perf_open_init(&opened, &config, 2, fake_open, &diag), -EACCES);
	ck_assert_ptr_nonnull(strstr(diag.text, "cpu-clock"));
}
END_TEST

START_TEST(refusals_name_the_event_and_the_way_out)
{
	static const int errors[] = {-ENOENT, -EOPNOTSUPP, -EINVAL, -ENFILE, -EACCES, -EBUSY};

	init();
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		kernel.error = errors[i];
		diag_clear(&diag);
		ck_assert_int_eq(perf_open_samples(&opened, 0, -1, 0, &diag), errors[i]);
		ck_assert_ptr_nonnull(strstr(diag.text, "cpu-clock"));
	}
	kernel.error = -ESRCH;
	ck_assert_int_eq(perf_open_samples(&opened, 0, 1, 0, &diag), -ESRCH);
}
END_TEST

START_TEST(a_process_of_another_user_is_not_blamed_on_the_machines_settings)
{
	/* Root's refusal would be blamed on a container. */
	ck_assert(geteuid() != 0 || !seteuid(65534));
	config.target = SOURCE_TASKS;
	init();
	kernel.refused_pid = 4711;
	ck_assert_int_eq(perf_open_side_band(&opened, 4711, 0, &diag), -EACCES);
	ck_assert_ptr_nonnull(strstr(diag.text, "process 4711"));
	ck_assert_ptr_null(strstr(diag.text, "sysctl"));
	diag_clear(&diag);
	ck_assert_int_eq(perf_open_samples(&opened, 0, 4711, 0, &diag), -EACCES);
	ck_assert_ptr_nonnull(strstr(diag.text, "process 4711"));
	ck_assert(getuid() != 0 || !seteuid(0)); /* a leak sanitizer has to attach at exit */
}
END_TEST

START_TEST(a_refusal_says_performance_events_once)
{
	kernel.no_kernel_mode = true;
	kernel.error = -EACCES;
	ck_assert_int_eq(perf_open_init(&opened, &config, 2, fake_open, &diag), -EACCES);
	ck_assert_ptr_nonnull(strstr(diag.text, "performance events"));
	ck_assert_ptr_null(
		strstr(strstr(diag.text, "performance events") + 1, "performance events"));
}
END_TEST

START_TEST(out_of_descriptors_the_limit_is_raised)
{
	struct rlimit limit, before;

	init();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = 64;
	limit.rlim_max = 128;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	kernel.nr_emfile = 1;
	open_sample(0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, 128);
	kernel.nr_emfile = 1; /* the limit can no longer be raised */
	ck_assert_int_eq(perf_open_samples(&opened, 0, -1, 0, &diag), -EMFILE);
	ck_assert_ptr_nonnull(strstr(diag.text, "ulimit"));
	(void)setrlimit(RLIMIT_NOFILE, &before); /* only root can raise the hard limit */
}
END_TEST

START_TEST(thinned_events_are_asked_for_less_often)
{
	events[0].frequency = true;
	events[0].period_or_hz = 99;
	events[1].frequency = true;
	events[1].period_or_hz = 99;
	config.nr_events = 2;
	init();
	opened.thinning = 8;
	open_sample(0);
	/* A clock: exactly 8 times the period that the frequency gives. */
	ck_assert_uint_eq(kernel.attr.sample_period, 8 * (1000000000u / 99));
	ck_assert(!kernel.attr.freq);
	open_sample(1);
	ck_assert_uint_eq(kernel.attr.sample_freq, 12);
	ck_assert(kernel.attr.freq);
	opened.thinning = 128;
	open_sample(1);
	ck_assert_uint_eq(kernel.attr.sample_freq, 1);
}
END_TEST

START_TEST(a_fixed_period_is_never_thinned)
{
	init();
	opened.thinning = 8;
	open_sample(0);
	ck_assert_uint_eq(kernel.attr.sample_period, 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_open");
	TCase *tests = tcase_create("perf_open");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, thinned_events_are_asked_for_less_often);
	tcase_add_test(tests, a_fixed_period_is_never_thinned);
	tcase_add_test(tests, a_sampled_event_is_asked_for_as_it_was_chosen);
	tcase_add_test(tests,
		       side_band_rings_of_many_cpus_together_take_no_more_than_those_of_a_few);
	tcase_add_test(tests, a_clock_at_a_frequency_is_asked_for_by_its_period);
	tcase_add_test(tests, another_event_at_a_frequency_tells_the_weight_of_each_sample);
	tcase_add_test(tests, side_band_brings_maps_programs_and_tasks_and_runs_at_once);
	tcase_add_test(tests, switches_are_told_by_an_event_of_their_own_that_begins_with_sampling);
	tcase_add_test(tests, a_kernel_that_does_not_tell_switches_is_named_as_the_reason);
	tcase_add_test(tests, an_older_kernel_is_asked_for_what_it_knows);
	tcase_add_test(tests, an_attr_larger_than_the_kernel_knows_is_cut);
	tcase_add_test(tests, chains_deeper_than_the_kernel_allows_are_as_deep_as_it_allows);
	tcase_add_test(tests, stacks_are_copied_and_the_kernels_part_of_chains_is_kept);
	tcase_add_test(tests,
		       stacks_are_not_copied_where_frame_pointers_are_asked_for_or_no_chains);
	tcase_add_test(tests, a_kernel_that_copies_no_stacks_follows_frame_pointers);
	tcase_add_test(tests, copies_are_smaller_where_the_ring_is_small);
	tcase_add_test(tests, a_clock_that_the_kernel_lacks_cannot_be_done_without);
	tcase_add_test(tests, a_refused_kernel_mode_is_given_up_once_and_for_all);
	tcase_add_test(tests, an_event_of_the_kernel_alone_is_not_turned_into_nothing);
	tcase_add_test(tests, a_kernel_event_after_another_is_not_turned_into_nothing);
	tcase_add_test(tests, refusals_name_the_event_and_the_way_out);
	tcase_add_test(tests, a_process_of_another_user_is_not_blamed_on_the_machines_settings);
	tcase_add_test(tests, a_refusal_says_performance_events_once);
	tcase_add_test(tests, out_of_descriptors_the_limit_is_raised);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
