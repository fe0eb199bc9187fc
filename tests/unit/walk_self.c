// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/walk_self.h"

#include "tests/unit/process_code.h"
#include "unwind/stack_walk.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define ROOM	    512
#define INTERVAL_US 997
#define TOLD_MAX    10

static struct process_code code;
static uint64_t stack_end;
static volatile struct walk_self *counts_now;

/* ---- the truth ---- */

struct trace {
	uint64_t addresses[ROOM];
	size_t nr;
	uint64_t pc; /* of the interrupted place */
	bool found;
};

/* Callers of the place at pc, as a walk gives them. */
static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
	struct trace *trace = argument;
	int is_before = 0;
	const uint64_t address = _Unwind_GetIPInfo(context, &is_before);

	if (trace->found && address && trace->nr < ROOM)
		trace->addresses[trace->nr++] = is_before ? address : address - 1;
	if (!trace->found)
		trace->found = is_before && address == trace->pc;
	return _URC_NO_REASON;
}

/* ---- walking ---- */

static void fill_input(struct stack_walk_input *input, const ucontext_t *context)
{
	const mcontext_t *machine = &context->uc_mcontext;

#if defined(__x86_64__)
	static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				    REG_RBP, REG_RSP, REG_R8,  REG_R9,	REG_R10, REG_R11,
				    REG_R12, REG_R13, REG_R14, REG_R15};

	input->machine = CODE_X86_64;
	for (size_t i = 0; i < 16; i++)
		input->registers[i] = (uint64_t)machine->gregs[order[i]];
	input->known = 0xffff;
	input->pc = (uint64_t)machine->gregs[REG_RIP];
	input->sp = (uint64_t)machine->gregs[REG_RSP];
#elif defined(__aarch64__)
	input->machine = CODE_AARCH64;
	for (size_t i = 0; i < 31; i++)
		input->registers[i] = machine->regs[i];
	input->known = 0x7fffffff;
	input->pc = machine->pc;
	input->sp = machine->sp;
#else
	(void)machine;
	abort();
#endif
}

static void tell(const struct trace *trace, const struct stack_walk_result *result,
		 const uint64_t *walked)
{
	printf("# at %#llx: %zu callers, end %d; libgcc %zu\n", (unsigned long long)trace->pc,
	       result->nr_addresses, (int)result->end, trace->nr);
	for (size_t i = 0; i < result->nr_addresses || i < trace->nr; i++)
		printf("#   %#llx %#llx\n",
		       (unsigned long long)(i < result->nr_addresses ? walked[i] : 0),
		       (unsigned long long)(i < trace->nr ? trace->addresses[i] : 0));
}

static void compare(const struct trace *trace, const struct stack_walk_result *result,
		    const uint64_t *walked)
{
	const size_t nr = trace->nr < result->nr_addresses ? trace->nr : result->nr_addresses;
	bool differs = false;

	for (size_t i = 0; i < nr; i++)
		differs = differs || walked[i] != trace->addresses[i];
	if (differs || result->nr_addresses < trace->nr) {
		if (counts_now->nr_different + counts_now->nr_short < TOLD_MAX)
			tell(trace, result, walked);
		counts_now->nr_short += !differs;
		counts_now->nr_different += differs;
	}
}

static void take_signal(int number, siginfo_t *info, void *context)
{
	static uint64_t walked[ROOM];
	static struct trace trace;
	struct stack_walk_input input = {.find = process_code_find, .context = &code};
	struct stack_walk_result result;

	(void)number;
	(void)info;
	fill_input(&input, context);
	input.stack = (const uint8_t *)(uintptr_t)input.sp;
	input.stack_bytes = (size_t)(stack_end - input.sp);
	stack_walk(&input, walked, ROOM, &result);
	trace.nr = 0;
	trace.pc = input.pc;
	trace.found = false;
	_Unwind_Backtrace(take_frame, &trace);
	counts_now->nr_signals++;
	counts_now->nr_callers += result.nr_addresses;
	counts_now->nr_whole += result.end == STACK_WALK_WHOLE;
	if (result.nr_addresses > counts_now->nr_deepest)
		counts_now->nr_deepest = result.nr_addresses;
	if (trace.found)
		compare(&trace, &result, walked);
	else
		counts_now->nr_lost++;
}

/* ---- work ---- */

static volatile int sink;

static int by_value(const void *a, const void *b)
{
	const int one = *(const int *)a, two = *(const int *)b;

	return (one > two) - (one < two);
}

__attribute__((noinline)) static void fill(char *to, size_t nr_bytes)
{
	memset(to, (int)nr_bytes, nr_bytes);
	sink += to[nr_bytes / 2];
}

__attribute__((noinline)) static void dynamic(size_t nr_bytes)
{
	char *bytes = __builtin_alloca(nr_bytes);

	fill(bytes, nr_bytes);
}

__attribute__((noinline)) static void aligned(size_t nr_bytes)
{
	char bytes[512] __attribute__((aligned(64)));
	char *more = __builtin_alloca(nr_bytes);

	fill(bytes, sizeof(bytes));
	fill(more, nr_bytes);
}

__attribute__((noinline)) static void deep(unsigned int depth)
{
	char text[64];

	if (depth)
		deep(depth - 1);
	else
		dynamic(3000);
	sink += snprintf(text, sizeof(text), "%u %s", depth, "deep");
}

static void work(void)
{
	int numbers[512];

	for (unsigned int i = 0; i < 512; i++)
		numbers[i] = (int)(i * 2654435761u >> 16);
	qsort(numbers, 512, sizeof(numbers[0]), by_value);
	for (size_t i = 1; i < 64; i++) {
		dynamic(i * 16);
		aligned(i * 8);
	}
	deep(40);
	free(malloc(1000));
	sink += (int)strtol("12345", NULL, 10);
}

static uint64_t find_stack_end(void)
{
	const struct process_code_map *map =
		process_code_map(&code, (uint64_t)(uintptr_t)__builtin_frame_address(0));

	return map ? map->end : 0;
}

void walk_self_run(size_t nr_signals, struct walk_self *counts)
{
	struct sigaction action = {.sa_sigaction = take_signal,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	struct itimerval timer = {{0, INTERVAL_US}, {0, INTERVAL_US}};
	static struct trace first;

	memset(counts, 0, sizeof(*counts));
	counts_now = counts;
	process_code_init(&code, getpid());
	/* What the handler must not do for the first time: read mappings, allocate. */
	work();
	_Unwind_Backtrace(take_frame, &first);
	if (process_code_read(&code))
		abort();
	stack_end = find_stack_end();
	code.is_fixed = true;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
	while (counts_now->nr_signals < nr_signals)
		work();
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_PROF, &timer, NULL);
	process_code_deinit(&code);
}
