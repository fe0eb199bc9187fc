// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk_process PID: walks the stack of a stopped process as a sample's stack is walked, from its
 * registers and a copy of the top of its stack. Prints its pc and each return address, one per
 * line, then how the walk ended.
 */
#include "daemon/perf/perf_regs.h"
#include "unwind/stack_walk.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_MAPPINGS 512
#define STACK_BYTES 65528
#define DEPTH	    127

static struct mapping {
	uint64_t start, end, offset;
	struct code_table *table;
	bool tried;
	char path[PATH_MAX];
} mappings[NR_MAPPINGS];

static size_t nr_mappings;
static pid_t pid;
static uint8_t stack[STACK_BYTES];

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void read_maps(void)
{
	char path[64], line[PATH_MAX + 200], prot[8];
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "r");
	if (!maps)
		fail(path);
	while (nr_mappings < NR_MAPPINGS && fgets(line, sizeof(line), maps)) {
		struct mapping *mapping = &mappings[nr_mappings];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]",
			   &mapping->start, &mapping->end, prot, &mapping->offset,
			   mapping->path) >= 4 &&
		    prot[2] == 'x')
			nr_mappings++;
	}
	(void)fclose(maps);
}

static bool read_memory(uint64_t from, void *to, size_t nr_bytes)
{
	struct iovec there = {(void *)(uintptr_t)from, nr_bytes};
	struct iovec here = {to, nr_bytes};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)nr_bytes;
}

/* Opens the mapping's file; for the vdso, a copy of its memory. */
static int open_code(const struct mapping *mapping)
{
	size_t nr_bytes = mapping->end - mapping->start;
	void *bytes;
	int fd;

	if (strcmp(mapping->path, "[vdso]") != 0)
		return open(mapping->path, O_RDONLY);
	bytes = malloc(nr_bytes);
	fd = memfd_create("vdso", 0);
	if (!bytes || fd < 0 || !read_memory(mapping->start, bytes, nr_bytes) ||
	    write(fd, bytes, nr_bytes) != (ssize_t)nr_bytes)
		fail("vdso");
	free(bytes);
	return fd;
}

static void make_table(struct mapping *mapping)
{
	int from = open_code(mapping);
	int to = memfd_create("table", 0);
	struct diag diag;

	mapping->tried = true;
	if (from >= 0 && to >= 0 && !code_table_build(from, to, UINT64_C(1) << 30, &diag) &&
	    code_table_open(&mapping->table, to, &diag))
		mapping->table = NULL;
	(void)close(from);
	(void)close(to);
}

static const struct code_table *find(void *context, uint64_t address, uint64_t *key)
{
	(void)context;
	*key = STACK_WALK_NO_CODE;
	for (size_t i = 0; i < nr_mappings; i++) {
		struct mapping *mapping = &mappings[i];

		if (address < mapping->start || address >= mapping->end)
			continue;
		if (!mapping->tried)
			make_table(mapping);
		*key = address - mapping->start + mapping->offset;
		return mapping->table;
	}
	return NULL;
}

#if defined(__x86_64__)
/* In the order of the kernel's perf registers. */
static void fill(const struct user_regs_struct *from, uint64_t *to)
{
	const uint64_t all[] = {from->rax, from->rbx, from->rcx, from->rdx, from->rsi, from->rdi,
				from->rbp, from->rsp, from->rip, from->r8,  from->r9,  from->r10,
				from->r11, from->r12, from->r13, from->r14, from->r15};

	memcpy(to, all, sizeof(all));
}
#elif defined(__aarch64__)
static void fill(const struct user_regs_struct *from, uint64_t *to)
{
	memcpy(to, from->regs, 31 * sizeof(*to));
	to[31] = from->sp;
	to[32] = from->pc;
}
#endif

static void read_registers(uint64_t *registers)
{
	struct user_regs_struct user;
	struct iovec iov = {&user, sizeof(user)};

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) ||
	    waitpid(pid, NULL, __WALL) != pid ||
	    ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &iov))
		fail("ptrace");
	fill(&user, registers);
}

int main(int argc, char **argv)
{
	static const char *const ends[] = {"whole", "truncated", "broken"};
	const struct perf_regs *regs = perf_regs_here();
	uint64_t registers[64], addresses[DEPTH];
	struct stack_walk_result result;
	struct stack_walk_input input;
	struct perf_item item = {.misc = PERF_RECORD_MISC_USER};

	if (argc != 2 || !regs)
		return 2;
	pid = atoi(argv[1]);
	read_registers(registers);
	read_maps();
	item.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_64;
	item.u.sample.regs = registers;
	item.u.sample.nr_regs = (uint32_t)__builtin_popcountll(regs->mask);
	if (!perf_regs_take(regs, &item, &input))
		return 2;
	while (input.stack_bytes < STACK_BYTES &&
	       read_memory(input.sp + input.stack_bytes, stack + input.stack_bytes, 8))
		input.stack_bytes += 8;
	input.stack = stack;
	input.find = find;
	stack_walk(&input, addresses, DEPTH, &result);
	printf("%#" PRIx64 "\n", input.pc);
	for (size_t i = 0; i < result.nr_addresses; i++)
		printf("%#" PRIx64 "\n", addresses[i] + 1);
	printf("%s\n", ends[result.end]);
	return 0;
}
