// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the instructions of the longest paths from reserve to commit: a child takes each path, and
 * the parent single-steps it. Reserve is wait-free, so the counts are bounded whatever the state of
 * the ring: they are the same for two sub-buffers and for many, for the first lap and for later
 * ones. test_ring_kills.c counts and bounds the retries of a reserve.
 */
#include "ring/ring_write.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/thorough.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUB_BUFFER_BYTES 4096u
#define HEADER_BYTES	 ((uint32_t)sizeof(struct oprof_packet_header))
#define PAYLOAD_BYTES	 20u
#define NR_DEEP		 (RING_DEPTH_MAX - 1u)
#define NR_LAPS		 3u
/*
 * Instructions of reserve and commit together, compiled with optimisation: one and a half times the
 * longest path.
 */
#define LIMIT	    1200u
#define LATE	    3 /* a child's exit status: count the path again */
#define NR_LATE_MAX 100u

/* A path: the state before it, and the calls that are counted. */
struct path {
	const char *name;
	enum ring_mode mode;
	uint32_t nr_open;	/* slots of writers that this one interrupts */
	uint32_t used_bytes;	/* of the open sub-buffer; 0: none is open */
	uint32_t payload_bytes; /* of the record */
	uint32_t event_id;
	bool laps;  /* NR_LAPS laps were written before */
	bool holds; /* one of the open slots is a lap old */
	bool is_full;
	bool is_finalised;
	bool closed;  /* a flush closes the record's packet before the commit */
	bool cancels; /* instead of commit */
	int error;    /* expected from reserve */
};

static const struct path paths[] = {
	{.name = "fast", .used_bytes = 200},
	{.name = "fast, extended", .used_bytes = 200, .event_id = 100},
	{.name = "fast, overwrite", .mode = RING_OVERWRITE, .used_bytes = 200},
	{.name = "fast, the deepest", .used_bytes = 1000, .nr_open = NR_DEEP},
	{.name = "cancel (20 bytes)", .used_bytes = 200, .cancels = true},
	{.name = "open", .laps = true},
	{.name = "open, overwrite", .mode = RING_OVERWRITE, .laps = true},
	{.name = "close, open", .used_bytes = SUB_BUFFER_BYTES - 8, .laps = true},
	{.name = "close, open, overwrite",
	 .mode = RING_OVERWRITE,
	 .used_bytes = SUB_BUFFER_BYTES - 8,
	 .laps = true},
	{.name = "exact end, delivers",
	 .used_bytes = 200,
	 .payload_bytes = SUB_BUFFER_BYTES - 204,
	 .laps = true},
	{.name = "flushed, delivers", .used_bytes = 200, .closed = true},
	{.name = "close, open, exact end, the deepest",
	 .mode = RING_OVERWRITE,
	 .used_bytes = SUB_BUFFER_BYTES - 8,
	 .payload_bytes = SUB_BUFFER_BYTES - HEADER_BYTES - 4,
	 .nr_open = NR_DEEP,
	 .laps = true},
	{.name = "lost_full", .laps = true, .is_full = true, .error = -ENOSPC},
	{.name = "lost_nested, a lap",
	 .mode = RING_OVERWRITE,
	 .nr_open = 1,
	 .holds = true,
	 .error = -EBUSY},
	{.name = "lost_nested, too deep", .nr_open = RING_DEPTH_MAX, .error = -EBUSY},
	{.name = "lost_too_big",
	 .used_bytes = 200,
	 .payload_bytes = SUB_BUFFER_BYTES,
	 .error = -EMSGSIZE},
	{.name = "lost_stopped", .used_bytes = 200, .is_finalised = true, .error = -ESHUTDOWN},
};
#define NR_PATHS (sizeof(paths) / sizeof(paths[0]))

static struct ring ring;
static struct ring_slot slot;

/* ---- the child ---- */

/* The parent recognises the child's progress by these functions. */
static void __attribute__((noinline)) mark_begin(void)
{
	__asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) mark_middle(void)
{
	__asm__ volatile("# between reserve and commit" ::: "memory");
}

static void __attribute__((noinline)) mark_end(void)
{
	__asm__ volatile("# committed" ::: "memory");
}

static _Noreturn void give_up(const char *why)
{
	fprintf(stderr, "# %s\n", why);
	_exit(2);
}

static void must_write(uint32_t payload_bytes)
{
	struct ring_slot own;

	if (ring_reserve(&ring, 1, payload_bytes, 4, &own))
		give_up("a record before the path was lost");
	ring_commit(&ring, &own);
}

static uint32_t used_bytes(void)
{
	return (uint32_t)(ring.shared->reserved & ring.sub_mask);
}

/* Fills the open sub-buffer up to that byte, which is beyond its current fill. */
static void use_up_to(uint32_t bytes)
{
	uint32_t from = used_bytes() ? used_bytes() : HEADER_BYTES;

	must_write(bytes - ((from + 3u) & ~3u) - 4);
}

static void read_all(void)
{
	struct ring_reader reader;
	struct ring_packet packet;

	if (ring_reader_init(&reader, &ring))
		give_up("no reader");
	while (!ring_next(&reader, &packet))
		ring_put(&reader, &packet);
}

static void write_laps(const struct path *path)
{
	for (uint32_t i = 0; path->laps && i < NR_LAPS * ring.nr_places; i++) {
		use_up_to(SUB_BUFFER_BYTES - 100);
		(void)ring_flush(&ring);
		if (path->mode == RING_DISCARD)
			read_all();
	}
	for (uint32_t i = 0; path->is_full && i < ring.nr_places; i++) {
		use_up_to(SUB_BUFFER_BYTES - 100);
		(void)ring_flush(&ring);
	}
}

static void open_slots(const struct path *path)
{
	for (uint32_t i = 0; i < path->nr_open; i++) {
		if (ring_reserve(&ring, 1, 4, 4, &slot))
			give_up("an open slot was lost");
	}
	while (path->holds && ring.shared->reserved < ring.ring_mask)
		use_up_to(SUB_BUFFER_BYTES);
}

static void prepare(const struct path *path)
{
	write_laps(path);
	open_slots(path);
	if (path->used_bytes)
		use_up_to(path->used_bytes);
	if (path->is_finalised && ring_finalise(&ring))
		give_up("not finalised");
}

/*
 * A record long after the previous one has a header with the whole time, which takes another path:
 * for example, it does not fit at an exact end. On a busy machine a stopped child may be that late.
 */
static bool is_late(uint64_t last_time)
{
	return ring_is_extended(1, slot.time - last_time);
}

static _Noreturn void take(const struct path *path)
{
	uint32_t event_id = path->event_id ? path->event_id : 1;
	uint32_t bytes = path->payload_bytes ? path->payload_bytes : PAYLOAD_BYTES;
	uint64_t last_time;
	int error;

	prepare(path);
	last_time = ring.shared->last_time;
	(void)raise(SIGSTOP);
	mark_begin();
	error = ring_reserve(&ring, event_id, bytes, 4, &slot);
	mark_middle();
	if (error != path->error)
		give_up("reserve took another path");
	if (!error && path->closed)
		(void)ring_flush(&ring);
	mark_begin();
	if (!error && path->cancels)
		ring_cancel(&ring, &slot);
	else if (!error)
		ring_commit(&ring, &slot);
	mark_end();
	_exit(!error && is_late(last_time) ? LATE : 0);
}

/* ---- the parent ---- */

struct count {
	uint32_t reserve;
	uint32_t commit;
};

static uintptr_t where(pid_t pid)
{
	struct user_regs_struct registers;
	struct iovec vector = {&registers, sizeof(registers)};

	ck_assert_int_eq(ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &vector), 0);
#if defined(__x86_64__)
	return registers.rip;
#elif defined(__aarch64__)
	return registers.pc;
#else
	return 0;
#endif
}

/* Counts the steps from one mark to the other. */
static uint32_t count_steps(pid_t pid, void (*from)(void), void (*to)(void))
{
	uint32_t nr = 0;
	bool counts = false;
	int status;

	for (;;) {
		uintptr_t at;

		ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(WIFSTOPPED(status), "ended with status 0x%x", (unsigned int)status);
		at = where(pid);
		if (at == (uintptr_t)to)
			return nr;
		if (at == (uintptr_t)from)
			counts = true;
		nr += counts;
	}
}

static void make_ring(const struct path *path, uint32_t nr_sub_buffers)
{
	struct ring_config config = {
		.mode = path->mode,
		.clock = RING_CLOCK_COUNTER,
		.sub_buffer_bytes = SUB_BUFFER_BYTES,
		.nr_sub_buffers = nr_sub_buffers,
	};
	size_t bytes;
	void *memory;

	ck_assert_int_eq(ring_memory_bytes(&config, &bytes), 0);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(ring_init(&ring, &config, 0, memory), 0);
}

static bool try_count(const struct path *path, uint32_t nr_sub_buffers, struct count *count)
{
	int status;
	pid_t pid;

	make_ring(path, nr_sub_buffers);
	(void)fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			give_up("nobody traces");
		take(path);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSTOPPED(status), "%s: ended with status 0x%x", path->name,
		      (unsigned int)status);
	count->reserve = count_steps(pid, mark_begin, mark_middle);
	count->commit = count_steps(pid, mark_begin, mark_end);
	(void)ptrace(PTRACE_CONT, pid, NULL, NULL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	(void)munmap(ring.shared, SUB_BUFFER_BYTES);
	ck_assert_msg(WIFEXITED(status), "%s: ended with status 0x%x", path->name,
		      (unsigned int)status);
	if (WEXITSTATUS(status) == LATE)
		return false;
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	return true;
}

static struct count count_path(const struct path *path, uint32_t nr_sub_buffers)
{
	struct count count;

	for (unsigned int nr = 0; nr < NR_LATE_MAX; nr++) {
		if (try_count(path, nr_sub_buffers, &count))
			return count;
	}
	ck_abort_msg("%s: the child was late %u times", path->name, NR_LATE_MAX);
}

static bool is_same(const struct count *a, const struct count *b)
{
	return a->reserve == b->reserve && a->commit == b->commit;
}

static void count_again(struct count *count, const struct path *path, uint32_t nr_sub_buffers)
{
	struct count again = count_path(path, nr_sub_buffers);

	if (again.reserve < count->reserve)
		count->reserve = again.reserve;
	if (again.commit < count->commit)
		count->commit = again.commit;
}

/*
 * Reading the clock starts over if the kernel updates the time concurrently. That only adds
 * instructions, so different counts are taken again and the smallest one is used.
 */
#define NR_COUNTS 20

START_TEST(no_path_depends_on_how_large_or_full_the_ring_is)
{
	static const uint32_t sizes[] = {2, 16, 512};
	const struct path *path = &paths[_i];
	struct count first, count;

	first = count_path(path, sizes[0]);
	for (unsigned int i = 1; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		count = count_path(path, sizes[i]);
		for (unsigned int nr = 0; nr < NR_COUNTS && !is_same(&count, &first); nr++) {
			count_again(&first, path, sizes[0]);
			count_again(&count, path, sizes[i]);
		}
		ck_assert_msg(is_same(&count, &first),
			      "%s: %u + %u instructions with %u sub-buffers, %u + %u with %u",
			      path->name, first.reserve, first.commit, sizes[0], count.reserve,
			      count.commit, sizes[i]);
	}
	printf("# %-36s reserve %4u commit %4u instructions\n", path->name, first.reserve,
	       first.commit);
	(void)fflush(stdout);
#if defined(__OPTIMIZE__) && !OPROF_SANITIZED
	ck_assert_uint_le(first.reserve + first.commit, LIMIT);
#endif
}
END_TEST

static Suite *ring_worst_case_suite(void)
{
	Suite *suite = suite_create("ring_worst_case");
	TCase *tc = tcase_create("ring_worst_case");

	tcase_add_loop_test(tc, no_path_depends_on_how_large_or_full_the_ring_is, 0, NR_PATHS);
	suite_add_tcase(suite, tc);
	return suite;
}

int main(void)
{
#if !defined(__x86_64__) && !defined(__aarch64__)
	printf("1..0 # SKIP no single steps on this machine\n");
	return EXIT_SUCCESS;
#endif
	/* The sanitizers' own instructions differ with the addresses in memory. */
	if (OPROF_SANITIZED) {
		printf("1..0 # SKIP a sanitizer's instructions would be counted\n");
		return EXIT_SUCCESS;
	}
	return run_suite(ring_worst_case_suite());
}
