// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks of stacks by code tables: a compiler is stopped several times, each
 * time its registers and the top of its stack are captured, and the captures
 * are walked repeatedly. walk_per_frame is the CPU time per caller found. The
 * peer, libdwfl, finds the same callers from the same captures by the unwind
 * tables of the same binaries.
 */
#include "bench/bench.h"

#include "tests/fixture/process_code.h"
#include "unwind/stack_walk.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_CAPTURES	200
#define STACK_BYTES	32768
#define NR_ROUNDS	9
#define NR_PEER_ROUNDS	3
#define ROOM		256
#define STOP_NS		4000000
#define NR_FUNCTIONS	4000
#define TABLE_BYTES_MAX (1u << 28)

struct capture {
	struct user_regs_struct regs;
	size_t stack_bytes;
	uint8_t stack[STACK_BYTES];
};

static struct capture captures[NR_CAPTURES];
static size_t nr_captures;
static struct process_code code;

/* ---- the captured stacks ---- */

/* Writes a program of many functions that keeps the compiler busy. */
static void write_source(char *path)
{
	int fd = mkstemps(path, 2);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file)
		bench_fail(path, -errno);
	for (int i = 0; i < NR_FUNCTIONS; i++)
		fprintf(file,
			"int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) "
			"{ if (a[i] %% %d) s += a[i] * i; else a[i] ^= s; } return s; }\n",
			i, i, i + 2);
	if (fclose(file))
		bench_fail(path, -EIO);
}

static pid_t start_compiler(const char *path)
{
	pid_t pid = fork();

	if (pid < 0)
		bench_fail("fork", -errno);
	if (!pid) {
		execl("/bin/sh", "sh", "-c",
		      "exec \"$(${CC:-cc} -print-prog-name=cc1)\" -quiet -O2 -o /dev/null \"$1\"",
		      "sh", path, NULL);
		_exit(127);
	}
	return pid;
}

static bool capture(pid_t pid, struct capture *to)
{
	struct iovec local = {to->stack, STACK_BYTES}, remote;
	ssize_t nr;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &to->regs))
		return false;
	remote = (struct iovec){(void *)(uintptr_t)to->regs.rsp, STACK_BYTES};
	nr = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	to->stack_bytes = nr > 0 ? (size_t)nr : 0;
	return nr > 0;
}

/* At the end the process remains stopped, because libdwfl reads its mappings. */
static void capture_all(pid_t pid)
{
	const struct timespec pause = {.tv_nsec = STOP_NS};
	int status;

	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		bench_fail("ptrace", -errno);
	for (;;) {
		if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status))
			bench_fail("the compiler has ended", -ESRCH);
		if (capture(pid, &captures[nr_captures]))
			nr_captures++;
		if (nr_captures == NR_CAPTURES)
			return;
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		nanosleep(&pause, NULL);
	}
}

/* ---- ours ---- */

/* Finds the mapping of address by binary search. */
static const struct code_table *find(void *context, uint64_t address, uint64_t *key)
{
	const struct process_code *all = context;
	size_t low = 0, high = all->nr_maps;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (address < all->maps[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == all->nr_maps || address < all->maps[low].start || !all->maps[low].can_run) {
		*key = STACK_WALK_NO_CODE;
		return NULL;
	}
	*key = address - all->maps[low].start + all->maps[low].offset;
	return all->maps[low].table;
}

static void registers_of(const struct user_regs_struct *regs, uint64_t *registers)
{
	const uint64_t all[] = {regs->rax, regs->rdx, regs->rcx, regs->rbx, regs->rsi, regs->rdi,
				regs->rbp, regs->rsp, regs->r8,	 regs->r9,  regs->r10, regs->r11,
				regs->r12, regs->r13, regs->r14, regs->r15};

	memcpy(registers, all, sizeof(all));
}

static void walk(const struct capture *from, struct stack_walk_result *result)
{
	struct stack_walk_input input = {.machine = CODE_X86_64,
					 .pc = from->regs.rip,
					 .sp = from->regs.rsp,
					 .known = 0xffff,
					 .stack = from->stack,
					 .stack_bytes = from->stack_bytes,
					 .find = find,
					 .context = &code};
	uint64_t addresses[ROOM];

	registers_of(&from->regs, input.registers);
	stack_walk(&input, addresses, ROOM, result);
}

/*
 * Walks all captures once. Returns the CPU time in ns; *nr_frames becomes the
 * number of callers found, nr_by_end[] the number of walks by kind of end.
 */
static uint64_t walk_all(size_t *nr_frames, size_t *nr_by_end)
{
	const uint64_t begin = bench_thread_ns();
	struct stack_walk_result result;

	*nr_frames = 0;
	memset(nr_by_end, 0, 3 * sizeof(*nr_by_end));
	for (size_t i = 0; i < nr_captures; i++) {
		walk(&captures[i], &result);
		*nr_frames += result.nr_addresses;
		nr_by_end[result.end]++;
	}
	return bench_thread_ns() - begin;
}

/* ---- the peer ---- */

struct peer {
	const struct capture *from;
	pid_t pid;
	size_t nr_frames;
};

static pid_t peer_next_thread(Dwfl *dwfl, void *argument, void **thread)
{
	struct peer *peer = argument;

	(void)dwfl;
	if (*thread)
		return 0;
	*thread = peer;
	return peer->pid;
}

static bool peer_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *argument)
{
	const struct capture *from = ((struct peer *)argument)->from;
	const uint64_t offset = address - from->regs.rsp;

	(void)dwfl;
	if (offset >= from->stack_bytes || from->stack_bytes - offset < sizeof(*result))
		return false;
	memcpy(result, from->stack + offset, sizeof(*result));
	return true;
}

static bool peer_registers(Dwfl_Thread *thread, void *argument)
{
	const struct capture *from = ((struct peer *)argument)->from;
	Dwarf_Word words[17];

	registers_of(&from->regs, words);
	words[16] = from->regs.rip;
	return dwfl_thread_state_registers(thread, 0, 17, words);
}

static int peer_frame(Dwfl_Frame *frame, void *argument)
{
	struct peer *peer = argument;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	peer->nr_frames++;
	return DWARF_CB_OK;
}

static const Dwfl_Thread_Callbacks peer_callbacks = {
	.next_thread = peer_next_thread,
	.memory_read = peer_read,
	.set_initial_registers = peer_registers,
};

static const Dwfl_Callbacks dwfl_callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static void peer_walk_all(Dwfl *dwfl, struct peer *peer)
{
	peer->nr_frames = 0;
	for (size_t i = 0; i < nr_captures; i++) {
		peer->from = &captures[i];
		dwfl_getthread_frames(dwfl, peer->pid, peer_frame, peer);
	}
	/* libdwfl also counts the innermost frame, which is not a caller. */
	peer->nr_frames -= nr_captures;
}

/* Returns the time per caller in ns, or 0 if libdwfl cannot walk. */
static double bench_peer(pid_t pid)
{
	struct peer peer = {.from = captures, .pid = pid};
	Dwfl *dwfl = dwfl_begin(&dwfl_callbacks);
	double best = 0;

	if (!dwfl || dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_attach_state(dwfl, NULL, pid, &peer_callbacks, &peer))
		return 0;
	peer_walk_all(dwfl, &peer);
	for (int i = 0; i < NR_PEER_ROUNDS; i++) {
		const uint64_t begin = bench_thread_ns();
		double each;

		peer_walk_all(dwfl, &peer);
		each = (double)(bench_thread_ns() - begin) / (double)peer.nr_frames;
		if (best == 0 || each < best)
			best = each;
	}
	printf("# libdwfl: %zu callers\n", peer.nr_frames);
	dwfl_end(dwfl);
	return best;
}

/* ---- lines ---- */

static void bench_walks(void)
{
	char path[] = "/tmp/oprof-bench-XXXXXX.c";
	size_t nr_frames = 0, nr_by_end[3];
	double best = 0, peer;
	pid_t pid;

	write_source(path);
	pid = start_compiler(path);
	capture_all(pid);
	process_code_init(&code, pid);
	if (process_code_read(&code))
		bench_fail("its mappings", -ESRCH);
	for (int i = 0; i < NR_ROUNDS; i++) {
		const uint64_t ns = walk_all(&nr_frames, nr_by_end);

		if (nr_frames && (best == 0 || (double)ns / (double)nr_frames < best))
			best = (double)ns / (double)nr_frames;
	}
	bench_print("walk_per_frame", best, "ns");
	peer = bench_peer(pid);
	if (peer > 0) {
		bench_print("peer_walk_per_frame", peer, "ns");
		bench_print("ratio_walk_per_frame", best / peer, "x");
	}
	printf("# of a compiler: %zu stacks, %.1f callers each, %zu whole, %zu truncated (%d bytes), "
	       "%zu broken\n",
	       nr_captures, (double)nr_frames / (double)nr_captures, nr_by_end[STACK_WALK_WHOLE],
	       nr_by_end[STACK_WALK_TRUNCATED], STACK_BYTES, nr_by_end[STACK_WALK_BROKEN]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
	process_code_deinit(&code);
}

/* Measures the code table of the C library. */
static void bench_table(void)
{
	static const char path[] = "/lib/x86_64-linux-gnu/libc.so.6";
	int from = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = {.st_size = 0};
	double best = 0;

	if (from < 0) {
		printf("# %s: not here\n", path);
		return;
	}
	for (int i = 0; i < NR_ROUNDS; i++) {
		int to = memfd_create("table", MFD_CLOEXEC);
		const uint64_t begin = bench_thread_ns();
		int error = code_table_build(from, to, TABLE_BYTES_MAX, NULL);
		const double ms = (double)(bench_thread_ns() - begin) / 1e6;

		if (error || fstat(to, &st))
			bench_fail(path, error);
		if (best == 0 || ms < best)
			best = ms;
		close(to);
	}
	bench_print("code_table_build_libc", best, "ms");
	bench_print("code_table_bytes_libc", (double)st.st_size, "B");
	close(from);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);
	if (bench_wanted("walk_per_frame"))
		bench_walks();
	if (bench_wanted("code_table_build_libc"))
		bench_table();
	return 0;
}
