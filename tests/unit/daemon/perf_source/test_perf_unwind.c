// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The test's own stack, as the kernel would copy it, is walked with the code
 * tables of its own binaries, libraries included; only the record is made up.
 */
#include "daemon/perf_source/perf_state.h"
#include "lib/buildid.h"
#include "lib/file.h"
#include "tests/fixture/record_catcher.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define DEPTH	    127
#define NESTED	    5

static struct perf_state *state;
static struct record_catcher catcher;
static uint8_t stack[STACK_BYTES];
static uint64_t regs[64];
static ucontext_t here;
static uint64_t returns[NESTED + 1]; /* return address of each nested call, innermost first */

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void apply(struct perf_item item)
{
	item.time_ns = now_ns();
	item.pid = getpid();
	item.tid = getpid();
	perf_state_apply(state, &item);
}

static void apply_mapping(char *line)
{
	uint64_t start, end, offset;
	struct perf_item item = {.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER};
	struct buildid id;
	char prot[8];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &start, &end, prot,
		   &offset, &path) != 4 ||
	    prot[2] != 'x')
		return;
	item.u.mmap.start = start;
	item.u.mmap.nr_bytes = end - start;
	item.u.mmap.file_offset = offset;
	item.u.mmap.prot = 5;
	item.u.mmap.path = line + path;
	item.u.mmap.identity.inode = 1;
	if (line[path] == '/' && !buildid_read_file(line + path, &id)) {
		memcpy(item.u.mmap.identity.build_id, id.bytes, sizeof(id.bytes));
		item.u.mmap.identity.nr_build_id = id.nr_bytes;
	}
	apply(item);
}

static void apply_mappings(void)
{
	char *maps, *rest, *line;

	ck_assert_int_eq(file_read_text("/proc/self/maps", 1 << 20, &maps, NULL), 0);
	rest = maps;
	while ((line = strsep(&rest, "\n")))
		apply_mapping(line);
	free(maps);
}

static void begin(unsigned int depth)
{
	const struct perf_state_config config = {
		.sink = &catcher.sink,
		.nr_cpus = 1,
		.keep_images = true,
		.chain_depth = depth,
		.regs = perf_regs_here(),
		.code_path = "code",
	};

	record_catcher_init(&catcher);
	ck_assert_int_eq(perf_state_create(&state, &config, NULL), 0);
	apply((struct perf_item){.type = PERF_RECORD_COMM,
				 .misc = PERF_RECORD_MISC_COMM_EXEC,
				 .u.comm = {"test", true}});
	apply_mappings();
	perf_state_wait_tables(state, 60000);
	catcher.nr_words = 0;
}

static void setup(void)
{
	test_folder_setup();
	begin(DEPTH);
}

static void teardown(void)
{
	perf_state_destroy(state);
	test_folder_teardown();
}

#if defined(__x86_64__)
static uint64_t fill_regs(void)
{
	static const int of[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				 REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
				 REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		regs[i] = (uint64_t)here.uc_mcontext.gregs[of[i]];
	return regs[7];
}
#elif defined(__aarch64__)
static uint64_t fill_regs(void)
{
	for (int i = 0; i < 31; i++)
		regs[i] = here.uc_mcontext.regs[i];
	regs[31] = here.uc_mcontext.sp;
	regs[32] = here.uc_mcontext.pc;
	return regs[31];
}
#else
static uint64_t fill_regs(void)
{
	return 0;
}
#endif

/* As in the kernel, the copy ends at the first unreadable byte. Sanitizers do not check it. */
static uint32_t copy_stack(uint64_t sp)
{
	uint32_t nr = 0;

	while (nr < STACK_BYTES) {
		struct iovec to = {stack + nr, 1024};
		struct iovec from = {(void *)(uintptr_t)(sp + nr), 1024};

		if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != 1024)
			break;
		nr += 1024;
	}
	return nr;
}

static struct perf_item sample;

static void fill_sample(void)
{
	uint64_t sp = fill_regs();

	sample = (struct perf_item){.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
	sample.u.sample.period = 1;
	sample.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_64;
	sample.u.sample.regs = regs;
	sample.u.sample.nr_regs = (uint32_t)__builtin_popcountll(perf_regs_here()->mask);
	sample.u.sample.stack = stack;
	sample.u.sample.stack_bytes = copy_stack(sp);
	sample.u.sample.ip = regs[__builtin_popcountll(
		perf_regs_here()->mask & ((UINT64_C(1) << perf_regs_here()->pc) - 1))];
}

static __attribute__((noinline)) int nest(int depth)
{
	int result;

	returns[depth] =
		(uint64_t)(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
	if (!depth) {
		ck_assert_int_eq(getcontext(&here), 0);
		fill_sample();
		return 1;
	}
	result = nest(depth - 1);
	/* This addition after the call keeps the compiler from making the call a jump. */
	__asm__ volatile("" : "+r"(result));
	return result + 1;
}

static const struct oprof_sample *take_sample(void)
{
	const struct oprof_sample *told;

	catcher.nr_words = 0;
	apply(sample);
	told = record_catcher_find(&catcher, OPROF_RECORD_SAMPLE, 0);
	ck_assert_ptr_nonnull(told);
	return told;
}

static const struct oprof_frame *frames_of(const struct oprof_sample *told)
{
	return (const struct oprof_frame *)(const void *)(told + 1);
}

static uint64_t counter(const char *name)
{
	struct source_counter counters[96];
	size_t nr = perf_state_counters(state, counters, 96);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(counters[i].name, name))
			return counters[i].value;
	ck_abort_msg("no counter %s", name);
	return 0;
}

/* The key of this program's code at address, as in samples. */
static struct oprof_frame frame_of(uint64_t address)
{
	struct perf_item plain = sample;
	const struct oprof_sample *told;

	plain.u.sample.ip = address;
	catcher.nr_words = 0;
	apply(plain);
	told = record_catcher_find(&catcher, OPROF_RECORD_SAMPLE, 0);
	ck_assert_ptr_nonnull(told);
	return told->leaf;
}

START_TEST(a_stack_is_walked_to_its_outermost_frame_through_libraries)
{
	const struct oprof_sample *told;
	struct oprof_frame frames[NESTED + 1];
	uint16_t flags;
	unsigned int nr;

	(void)nest(NESTED);
	told = take_sample();
	nr = told->nr_frames;
	flags = told->head.flags;
	ck_assert_int_eq(told->chain_kind, OPROF_CHAIN_UNWIND_TABLES);
	/* The test's function, its runner's, main, and main's caller. */
	ck_assert_uint_gt(nr, NESTED + 4);
	ck_assert_uint_eq(flags & (OPROF_SAMPLE_CHAIN_TRUNCATED | OPROF_SAMPLE_CHAIN_BROKEN), 0);
	memcpy(frames, frames_of(told), sizeof(frames));
	for (int i = 0; i <= NESTED; i++) {
		struct oprof_frame wanted = frame_of(returns[i] - 1);

		ck_assert_uint_eq(frames[i].image, wanted.image);
		ck_assert_uint_eq(frames[i].offset, wanted.offset);
		ck_assert_uint_eq(frames[i].mode, OPROF_MODE_USER);
	}
	ck_assert_uint_ge(counter("chains_whole"), 1);
	ck_assert_uint_eq(counter("chains_broken"), 0);
	ck_assert_uint_ge(counter("code_tables_built"), 2);
}
END_TEST

START_TEST(the_function_of_a_place_is_told_by_its_table)
{
	struct oprof_frame frame;
	uint64_t start, end;

	(void)nest(NESTED);
	frame = frame_of((uint64_t)(uintptr_t)nest + 1);
	start = perf_state_function(state, frame.image, frame.offset);
	ck_assert_uint_eq(start, frame.offset - 1);
	end = perf_state_function(state, frame.image, UINT64_MAX / 2);
	ck_assert_uint_eq(end, UINT64_MAX);
	ck_assert_uint_eq(perf_state_function(state, 0x7fffffff, 0), UINT64_MAX);
}
END_TEST

START_TEST(a_stack_deeper_than_its_copy_is_truncated)
{
	const struct oprof_sample *told;

	(void)nest(NESTED);
	sample.u.sample.stack_bytes = 0;
	sample.u.sample.stack = NULL;
	told = take_sample();
	ck_assert_uint_ne(told->head.flags & OPROF_SAMPLE_CHAIN_TRUNCATED, 0);
	ck_assert_uint_eq(told->head.flags & OPROF_SAMPLE_CHAIN_BROKEN, 0);
	ck_assert_uint_eq(counter("chains_truncated"), 1);
}
END_TEST

START_TEST(a_stack_deeper_than_was_asked_for_is_truncated)
{
	const struct oprof_sample *told;

	perf_state_destroy(state);
	begin(3);
	(void)nest(NESTED);
	told = take_sample();
	ck_assert_uint_eq(told->nr_frames, 3);
	ck_assert_uint_ne(told->head.flags & OPROF_SAMPLE_CHAIN_TRUNCATED, 0);
	/* The kernel's frames and the address where it was entered count. */
	sample.misc = PERF_RECORD_MISC_KERNEL;
	sample.u.sample.chain = (const uint64_t[]){(uint64_t)PERF_CONTEXT_KERNEL,
						   0xffffffff81000100, 0xffffffff81000200};
	sample.u.sample.nr_chain = 3;
	sample.u.sample.ip = 0xffffffff81000100;
	catcher.nr_words = 0;
	apply(sample);
	told = record_catcher_find(&catcher, OPROF_RECORD_SAMPLE, 0);
	if (!told) /* no kernel code is known here */
		return;
	ck_assert_uint_eq(told->nr_frames, 3);
	ck_assert_uint_eq(frames_of(told)[0].mode, OPROF_MODE_KERNEL);
	ck_assert_uint_eq(frames_of(told)[1].mode, OPROF_MODE_USER);
}
END_TEST

START_TEST(samples_of_32_bit_programs_are_told_to_be_broken)
{
	const struct oprof_sample *told;

	(void)nest(NESTED);
	sample.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_32;
	told = take_sample();
	ck_assert_uint_eq(told->nr_frames, 0);
	ck_assert_uint_ne(told->head.flags & OPROF_SAMPLE_CHAIN_BROKEN, 0);
}
END_TEST

START_TEST(any_stack_and_any_registers_end_the_walk)
{
	uint64_t seed = 1;

	(void)nest(NESTED);
	for (int i = 0; i < 3000; i++) {
		size_t at;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		at = seed >> 33;
		stack[at % sample.u.sample.stack_bytes] ^= (uint8_t)(seed >> 24);
		if (i % 7 == 0)
			regs[at % sample.u.sample.nr_regs] = seed;
		(void)take_sample();
	}
	ck_assert_uint_eq(counter("chains_whole") + counter("chains_truncated") +
				  counter("chains_broken"),
			  3000);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("all");

	if (!perf_regs_here()) {
		printf("1..0 # SKIP stacks of this machine are not walked\n");
		return 0;
	}
	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, a_stack_is_walked_to_its_outermost_frame_through_libraries);
	tcase_add_test(all, the_function_of_a_place_is_told_by_its_table);
	tcase_add_test(all, a_stack_deeper_than_its_copy_is_truncated);
	tcase_add_test(all, a_stack_deeper_than_was_asked_for_is_truncated);
	tcase_add_test(all, samples_of_32_bit_programs_are_told_to_be_broken);
	tcase_add_test(all, any_stack_and_any_registers_end_the_walk);
	return test_run(all);
}
