// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of kernel code, of task 0 and of tasks that have ended, and their records. */
#include "daemon/perf_source/perf_state.h"
#include "daemon/image/record_writer.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT	 UINT64_C(0xffffffff81000000)
#define MODULE	 UINT64_C(0xffffffffc0100000)
#define PROGRAM	 UINT64_C(0xffffffffc0200000)
#define PID	 10
#define FIRST_NS UINT64_C(1000000000)
#define DEPTH	 20
#define NR_CPUS	 2

/* All records received, one after the other, in words. */
struct catcher {
	struct record_sink sink;
	uint64_t words[1 << 16];
	size_t nr_words;
};

static struct fake_proc proc;
static struct perf_state *state;
static struct catcher catcher;
static uint64_t time_ns;

static void catch_record(struct record_sink *sink, const struct oprof_record *record)
{
	size_t nr = record->size_bytes / 8;

	ck_assert_ptr_eq(sink, &catcher.sink);
	ck_assert_uint_eq(record->size_bytes % 8, 0);
	ck_assert_uint_le(catcher.nr_words + nr, sizeof(catcher.words) / 8);
	memcpy(catcher.words + catcher.nr_words, record, record->size_bytes);
	catcher.nr_words += nr;
}

/* The nth record of a type since the last clear, or NULL. */
static const void *caught(enum oprof_record_type type, unsigned int nth)
{
	size_t at = 0;

	while (at < catcher.nr_words) {
		const struct oprof_record *record = (const void *)(catcher.words + at);

		if (record->type == type && !nth--)
			return record;
		at += record->size_bytes / 8;
	}
	return NULL;
}

static const struct oprof_sample *caught_sample(void)
{
	const struct oprof_sample *sample = caught(OPROF_RECORD_SAMPLE, 0);

	if (!sample)
		ck_abort_msg("no sample");
	return sample;
}

static const struct image *image_of(uint32_t cookie)
{
	const struct image *image = perf_state_image(state, cookie);

	if (!image)
		ck_abort_msg("no image of cookie %u", cookie);
	return image;
}

static void apply(struct perf_item item)
{
	item.time_ns = ++time_ns;
	if (!item.tid)
		item.tid = item.pid;
	perf_state_apply(state, &item);
}

static void setup(void)
{
	struct perf_state_config config = {.sink = &catcher.sink,
					   .nr_cpus = NR_CPUS,
					   .kernel = true,
					   .want_cgroup = true,
					   .chain_depth = DEPTH,
					   .proc_path = proc.path,
					   .sys_path = proc.path};

	fake_proc_init(&proc);
	fake_proc_print(&proc, "kallsyms",
			"ffffffff81000000 T _text\nffffffff81000100 T schedule\n"
			"ffffffff81000200 T default_idle\nffffffff81000300 T after\n"
			"ffffffff81001000 T _etext\nffffffffc0100000 t first\t[mod]\n");
	fake_proc_print(&proc, "modules", "mod 4096 1 - Live 0xffffffffc0100000\n");
	fake_proc_print(&proc, "self/mountinfo", "31 23 0:28 / %s/cg rw - cgroup2 none rw\n",
			proc.path);
	fake_proc_print(&proc, "cg/a b/c/cgroup.procs", "%s", "");
	catcher.sink.record = catch_record;
	catcher.nr_words = 0;
	time_ns = FIRST_NS;
	ck_assert_int_eq(perf_state_create(&state, &config, NULL), 0);
	apply((struct perf_item){.type = PERF_RECORD_COMM,
				 .misc = PERF_RECORD_MISC_COMM_EXEC,
				 .pid = PID,
				 .u.comm = {"a", true}});
	apply((struct perf_item){.type = PERF_RECORD_MMAP2,
				 .pid = PID,
				 .misc = PERF_RECORD_MISC_USER,
				 .u.mmap = {.start = 0x400000,
					    .nr_bytes = 0x1000,
					    .prot = 5,
					    .identity = {.inode = 7},
					    .path = "/bin/a"}});
}

static void teardown(void)
{
	perf_state_destroy(state);
	fake_proc_deinit(&proc);
}

static void sample(int pid, uint32_t cpu, uint16_t misc, uint64_t ip)
{
	catcher.nr_words = 0;
	apply((struct perf_item){.type = PERF_RECORD_SAMPLE,
				 .misc = misc,
				 .pid = pid,
				 .cpu = cpu,
				 .u.sample = {.ip = ip, .period = 3}});
}

static void expect_sample(const char *path, uint64_t offset, enum oprof_mode mode)
{
	const struct oprof_sample *found = caught_sample();

	ck_assert_str_eq(image_of(found->leaf.image)->path, path);
	ck_assert_uint_eq(found->leaf.offset, offset);
	ck_assert_uint_eq(found->leaf.mode, mode);
	ck_assert_uint_eq(found->mode, mode);
	ck_assert_uint_eq(found->weight, 3);
	ck_assert_ptr_null(caught(OPROF_RECORD_LOST, 0));
}

static void expect_lost(enum oprof_lost reason)
{
	const struct oprof_lost_record *lost = caught(OPROF_RECORD_LOST, 0);

	ck_assert_ptr_nonnull(lost);
	ck_assert_uint_eq(lost->reason, reason);
	ck_assert_uint_eq(lost->nr_samples, 1);
	ck_assert_ptr_null(caught(OPROF_RECORD_SAMPLE, 0));
}

START_TEST(kernel_code_is_relative_to_its_start)
{
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, TEXT + 0x120);
	expect_sample("vmlinux", 0x120, OPROF_MODE_KERNEL);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, MODULE + 0x20);
	expect_sample("mod", 0x20, OPROF_MODE_KERNEL);
	/* The address is in an idle routine, but another task runs. */
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, TEXT + 0x210);
	expect_sample("vmlinux", 0x210, OPROF_MODE_KERNEL);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, UINT64_C(0xffffffff90000000));
	expect_lost(OPROF_LOST_NO_KERNEL_MAP);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, 0x400010);
	expect_lost(OPROF_LOST_NO_KERNEL_MAP);
}
END_TEST

START_TEST(task_0_idles_in_idle_routines_and_works_elsewhere)
{
	const struct oprof_task *task;

	sample(0, 1, PERF_RECORD_MISC_KERNEL, TEXT + 0x210);
	expect_sample("{idle}", 0x210, OPROF_MODE_IDLE);
	task = caught(OPROF_RECORD_TASK, 0);
	ck_assert_ptr_nonnull(task);
	ck_assert_int_eq(task->tgid, 0);
	ck_assert_uint_ne(task->generation, 0);
	ck_assert_uint_eq(task->app_image, OPROF_IMAGE_NONE);
	ck_assert_int_eq(image_of(caught_sample()->leaf.image)->kind, OPROF_IMAGE_IDLE);
	sample(0, 1, PERF_RECORD_MISC_KERNEL, TEXT + 0x110);
	expect_sample("vmlinux", 0x110, OPROF_MODE_KERNEL);
	/* The context is unchanged, so no records repeat it. */
	ck_assert_ptr_null(caught(OPROF_RECORD_TASK, 0));
	ck_assert_ptr_null(caught(OPROF_RECORD_CPU, 0));
}
END_TEST

START_TEST(context_is_said_when_it_changes)
{
	sample(PID, 0, PERF_RECORD_MISC_USER, 0x400010);
	ck_assert_ptr_nonnull(caught(OPROF_RECORD_TASK, 0));
	ck_assert_ptr_nonnull(caught(OPROF_RECORD_CPU, 0));
	sample(PID, 0, PERF_RECORD_MISC_USER, 0x400011);
	ck_assert_ptr_null(caught(OPROF_RECORD_TASK, 0));
	ck_assert_ptr_null(caught(OPROF_RECORD_CPU, 0));
	sample(PID, 1, PERF_RECORD_MISC_USER, 0x400012);
	ck_assert_ptr_null(caught(OPROF_RECORD_TASK, 0));
	ck_assert_ptr_nonnull(caught(OPROF_RECORD_CPU, 0));
}
END_TEST

START_TEST(a_sample_of_a_cpu_that_the_machine_does_not_have_is_lost)
{
	static const uint32_t cpus[] = {NR_CPUS, NR_CPUS + 1, UINT32_MAX};

	sample(PID, NR_CPUS - 1, PERF_RECORD_MISC_USER, 0x400012);
	expect_sample("/bin/a", 0x12, OPROF_MODE_USER);
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		sample(PID, cpus[i], PERF_RECORD_MISC_USER, 0x400012);
		expect_lost(OPROF_LOST_BAD_RECORD);
	}
}
END_TEST

START_TEST(one_that_has_no_pid_any_more_is_the_one_that_exited_there)
{
	const struct oprof_sample *found;
	const struct oprof_task *task;

	sample(-1, 1, PERF_RECORD_MISC_KERNEL, TEXT + 0x110);
	expect_lost(OPROF_LOST_NO_TASK);
	/* No sample came from that CPU, but its ring has the EXIT record. */
	apply((struct perf_item){.type = PERF_RECORD_EXIT, .pid = PID, .cpu = 1, .u.task = {1, 1}});
	sample(-1, 1, PERF_RECORD_MISC_KERNEL, TEXT + 0x110);
	found = caught_sample();
	task = caught(OPROF_RECORD_TASK, 0);
	ck_assert_uint_eq(found->head.flags, OPROF_SAMPLE_TASK_GUESSED);
	ck_assert_int_eq(task->tgid, PID);
	ck_assert_str_eq(image_of(task->app_image)->path, "/bin/a");
}
END_TEST

START_TEST(code_that_came_is_found_by_looking_again_but_not_all_the_time)
{
	uint64_t later = UINT64_C(0xffffffffc0300010);
	const struct oprof_module *module;

	sample(PID, 0, PERF_RECORD_MISC_KERNEL, later);
	expect_lost(OPROF_LOST_NO_KERNEL_MAP);
	fake_proc_print(&proc, "modules", "new 4096 1 - Live 0xffffffffc0300000\n");
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, later);
	expect_lost(OPROF_LOST_NO_KERNEL_MAP);
	time_ns += 2000000000;
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, later);
	expect_sample("new", 0x10, OPROF_MODE_KERNEL);
	module = caught(OPROF_RECORD_MODULE, 0);
	ck_assert_ptr_nonnull(module);
	ck_assert_uint_eq(module->head.flags, OPROF_MODULE_LOAD);
	ck_assert_uint_eq(module->start, 0xffffffffc0300000);
	ck_assert_uint_eq(module->image, caught_sample()->leaf.image);
}
END_TEST

static void ksymbol(const char *name, bool unregister)
{
	apply((struct perf_item){
		.type = PERF_RECORD_KSYMBOL,
		.pid = PID,
		.u.ksymbol = {PROGRAM, 64, PERF_RECORD_KSYMBOL_TYPE_BPF, unregister, name}});
}

static const char *sampled_name(void)
{
	const struct oprof_frame *leaf = &caught_sample()->leaf;
	const char *name = perf_state_code_name(state, leaf->image, leaf->offset);

	return name ? name : "";
}

START_TEST(programs_of_the_bpf_machine_come_and_go)
{
	uint32_t image;
	uint64_t number;

	sample(PID, 0, PERF_RECORD_MISC_KERNEL, PROGRAM);
	expect_lost(OPROF_LOST_NO_KERNEL_MAP);
	ksymbol("bpf_prog_1234_f", false);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, PROGRAM + 5);
	image = caught_sample()->leaf.image;
	number = caught_sample()->leaf.offset;
	ck_assert_str_eq(image_of(image)->path, "[bpf]");
	ck_assert_int_eq(image_of(image)->kind, OPROF_IMAGE_BPF);
	ck_assert_int_eq(caught_sample()->mode, OPROF_MODE_KERNEL);
	ck_assert_str_eq(sampled_name(), "bpf_prog_1234_f");
	ksymbol("bpf_prog_1234_f", true);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, PROGRAM + 5);
	expect_lost(OPROF_LOST_NO_KERNEL_MAP);
	/* The removed program's name stays valid; another program in its place has another name. */
	ck_assert_str_eq(perf_state_code_name(state, image, number), "bpf_prog_1234_f");
	ksymbol("bpf_prog_5678_g", false);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, PROGRAM + 63);
	ck_assert_uint_eq(caught_sample()->leaf.image, image);
	ck_assert_str_eq(sampled_name(), "bpf_prog_5678_g");
}
END_TEST

START_TEST(programs_that_come_and_go_for_weeks_are_one_image)
{
	char name[64];

	for (unsigned int i = 0; i < 20000; i++) {
		(void)snprintf(name, sizeof(name), "bpf_prog_%u", i);
		ksymbol(name, false);
		sample(PID, 0, PERF_RECORD_MISC_KERNEL, PROGRAM);
		ck_assert_str_eq(sampled_name(), name);
		ksymbol(name, true);
	}
	ck_assert_uint_lt(caught_sample()->leaf.image, 10);
}
END_TEST

START_TEST(trampolines_are_grouped_as_kallsyms_does)
{
	ksymbol("ftrace_trampoline", false);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, PROGRAM);
	ck_assert_str_eq(image_of(caught_sample()->leaf.image)->path, "[__builtin__ftrace]");
	ck_assert_str_eq(sampled_name(), "ftrace_trampoline");
	ksymbol("kprobe_insn_page", false);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, PROGRAM);
	ck_assert_str_eq(image_of(caught_sample()->leaf.image)->path, "[__builtin__kprobes]");
	ck_assert_str_eq(sampled_name(), "kprobe_insn_page");
}
END_TEST

START_TEST(only_code_by_name_has_names)
{
	sample(PID, 0, PERF_RECORD_MISC_USER, 0x400010);
	ck_assert_str_eq(sampled_name(), "");
	ck_assert_ptr_null(perf_state_code_name(state, 4711, 1));
	ksymbol("bpf_prog_1234_f", false);
	sample(PID, 0, PERF_RECORD_MISC_KERNEL, PROGRAM);
	ck_assert_ptr_null(perf_state_code_name(state, caught_sample()->leaf.image, 2));
	ck_assert_str_eq(perf_state_code_name(state, caught_sample()->leaf.image, 0),
			 "[other code]");
}
END_TEST

START_TEST(chains_go_from_the_kernel_to_the_user)
{
	const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, TEXT + 0x110, TEXT + 0x150,
				  UINT64_C(0xffffffff90000000), (uint64_t)PERF_CONTEXT_USER,
				  0x400020, 0x500000, (uint64_t)PERF_CONTEXT_GUEST, 0x400030,
				  /* PERF_CONTEXT_USER_DEFERRED: its cookie is not an address */
				  (uint64_t)-640, 0x400040};
	const struct oprof_frame *frames;

	catcher.nr_words = 0;
	apply((struct perf_item){.type = PERF_RECORD_SAMPLE,
				 .misc = PERF_RECORD_MISC_KERNEL,
				 .pid = PID,
				 .u.sample = {.ip = TEXT + 0x110,
					      .period = 3,
					      .nr_chain = sizeof(chain) / sizeof(chain[0]),
					      .chain = chain}});
	expect_sample("vmlinux", 0x110, OPROF_MODE_KERNEL);
	ck_assert_uint_eq(caught_sample()->chain_kind, OPROF_CHAIN_FRAME_POINTERS);
	ck_assert_uint_eq(caught_sample()->nr_frames, 4);
	frames = (const struct oprof_frame *)(caught_sample() + 1);
	ck_assert_uint_eq(frames[0].offset, 0x150);
	ck_assert_uint_eq(frames[0].image, caught_sample()->leaf.image);
	ck_assert_uint_eq(frames[1].image, OPROF_IMAGE_NONE);
	ck_assert_uint_eq(frames[1].offset, UINT64_C(0xffffffff90000000));
	ck_assert_uint_eq(frames[1].mode, OPROF_MODE_KERNEL);
	ck_assert_str_eq(image_of(frames[2].image)->path, "/bin/a");
	ck_assert_uint_eq(frames[2].offset, 0x20);
	ck_assert_uint_eq(frames[2].mode, OPROF_MODE_USER);
	ck_assert_uint_eq(frames[3].image, OPROF_IMAGE_NONE);
	ck_assert_uint_eq(frames[3].offset, 0x500000);
}
END_TEST

START_TEST(a_chain_as_deep_as_was_asked_for_may_go_on)
{
	uint64_t chain[DEPTH + 2] = {(uint64_t)PERF_CONTEXT_USER};

	for (int i = 1; i < DEPTH + 2; i++)
		chain[i] = 0x400010;
	for (uint64_t nr = DEPTH + 1; nr <= DEPTH + 2; nr++) {
		catcher.nr_words = 0;
		apply((struct perf_item){
			.type = PERF_RECORD_SAMPLE,
			.misc = PERF_RECORD_MISC_USER,
			.pid = PID,
			.u.sample = {.ip = 0x400010, .nr_chain = nr, .chain = chain}});
		ck_assert_uint_eq(caught_sample()->nr_frames, nr - 2);
		ck_assert_uint_eq(caught_sample()->head.flags & OPROF_SAMPLE_CHAIN_TRUNCATED,
				  nr == DEPTH + 2 ? OPROF_SAMPLE_CHAIN_TRUNCATED : 0);
	}
}
END_TEST

START_TEST(a_chain_too_long_is_cut_and_says_so)
{
	static uint64_t chain[RECORD_WRITER_FRAMES_MAX + 10];

	chain[0] = (uint64_t)PERF_CONTEXT_USER;
	for (size_t i = 1; i < sizeof(chain) / sizeof(chain[0]); i++)
		chain[i] = 0x400010;
	catcher.nr_words = 0;
	apply((struct perf_item){.type = PERF_RECORD_SAMPLE,
				 .misc = PERF_RECORD_MISC_USER,
				 .pid = PID,
				 .u.sample = {.ip = 0x400010,
					      .period = 3,
					      .nr_chain = sizeof(chain) / sizeof(chain[0]),
					      .chain = chain}});
	ck_assert_uint_eq(caught_sample()->nr_frames, RECORD_WRITER_FRAMES_MAX);
	ck_assert_uint_eq(caught_sample()->head.flags, OPROF_SAMPLE_CHAIN_TRUNCATED);
}
END_TEST

START_TEST(cgroups_have_their_paths)
{
	char path[FAKE_PROC_PATH_BYTES];
	struct stat st;

	ck_assert_int_eq(perf_state_scan(state, NULL, 0), 0);
	apply((struct perf_item){.type = PERF_RECORD_CGROUP, .u.cgroup = {~UINT64_C(0), "/new"}});
	ck_assert_str_eq(perf_state_cgroup_path(state, ~UINT64_C(0)), "/new");
	ck_assert_ptr_null(perf_state_cgroup_path(state, ~UINT64_C(0) - 1));
	snprintf(path, sizeof(path), "%s/cg/a b/c", proc.path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_str_eq(perf_state_cgroup_path(state, st.st_ino), "/a b/c");
	snprintf(path, sizeof(path), "%s/cg", proc.path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_str_eq(perf_state_cgroup_path(state, st.st_ino), "/");
}
END_TEST

START_TEST(cgroups_that_come_and_go_do_not_fill_memory)
{
	const uint64_t nr = 100000;
	uint64_t nr_known = 0;
	char path[FAKE_PROC_PATH_BYTES];
	struct stat st;

	ck_assert_int_eq(perf_state_scan(state, NULL, 0), 0);
	for (uint64_t i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/job-%u", (unsigned int)i);
		apply((struct perf_item){.type = PERF_RECORD_CGROUP,
					 .u.cgroup = {(UINT64_C(1) << 40) + i, path}});
	}
	for (uint64_t i = 0; i < nr; i++)
		nr_known += !!perf_state_cgroup_path(state, (UINT64_C(1) << 40) + i);
	ck_assert_uint_le(nr_known, 16384);
	/* A group just removed stays known for a while, an existing one for ever. */
	ck_assert_uint_ge(nr_known, 4096);
	ck_assert_str_eq(perf_state_cgroup_path(state, (UINT64_C(1) << 40) + nr - 4096),
			 "/job-95904");
	snprintf(path, sizeof(path), "%s/cg/a b/c", proc.path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_str_eq(perf_state_cgroup_path(state, st.st_ino), "/a b/c");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_sample");
	TCase *tests = tcase_create("perf_sample");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, kernel_code_is_relative_to_its_start);
	tcase_add_test(tests, task_0_idles_in_idle_routines_and_works_elsewhere);
	tcase_add_test(tests, context_is_said_when_it_changes);
	tcase_add_test(tests, a_sample_of_a_cpu_that_the_machine_does_not_have_is_lost);
	tcase_add_test(tests, one_that_has_no_pid_any_more_is_the_one_that_exited_there);
	tcase_add_test(tests, code_that_came_is_found_by_looking_again_but_not_all_the_time);
	tcase_add_test(tests, programs_of_the_bpf_machine_come_and_go);
	tcase_add_test(tests, programs_that_come_and_go_for_weeks_are_one_image);
	tcase_add_test(tests, trampolines_are_grouped_as_kallsyms_does);
	tcase_add_test(tests, only_code_by_name_has_names);
	tcase_add_test(tests, chains_go_from_the_kernel_to_the_user);
	tcase_add_test(tests, a_chain_as_deep_as_was_asked_for_may_go_on);
	tcase_add_test(tests, a_chain_too_long_is_cut_and_says_so);
	tcase_add_test(tests, cgroups_have_their_paths);
	tcase_add_test(tests, cgroups_that_come_and_go_do_not_fill_memory);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
