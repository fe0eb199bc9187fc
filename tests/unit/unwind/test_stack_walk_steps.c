// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs run instruction by instruction. At each instruction the stack is walked and compared
 * with a shadow stack: a call pushes its return address; entries that the stack pointer has passed
 * are popped. OPROF_STEP_PROGRAM='ls /' chooses another command.
 */
#include "tests/fixture/built_elf.h"
#include "tests/fixture/process_code.h"
#include "tests/fixture/run_suite.h"
#include "unwind/stack_walk.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 65536u
#define DEPTH_MAX   4096
#define TOLD_MAX    40

#define CC "${CC:-cc} -O2 -g0 -fno-inline -fomit-frame-pointer -Wl,-z,lazy "

/* An entry of the shadow stack: where a call or a signal returns to. */
struct shadow {
	uint64_t slot;	  /* of the return address; of a signal: the stack pointer */
	uint64_t address; /* as a walk reports it */
	uint64_t pc;	  /* for a signal: the interrupted address */
	bool is_signal;
	bool is_outside; /* for a signal: it came on another stack */
};

struct steps {
	pid_t pid;
	struct process_code code;
	struct user_regs_struct regs;
	struct shadow shadows[DEPTH_MAX];
	size_t nr_shadows;
	uint8_t stack[STACK_BYTES];
	/*
	 * Numbers of walks: with a wrong caller; that ended early; that ended early in our own
	 * code; wrong or early because a table is missing.
	 */
	uint64_t nr_wrong, nr_short, nr_short_own, nr_without_table;
	uint64_t nr_steps, nr_told, nr_whole, nr_by_pointer, nr_signals, nr_deepest;
};

static struct steps steps;

/* ---- the program ---- */

static const char source[] =
	"#define _GNU_SOURCE\n"
	"#include <alloca.h>\n"
	"#include <dlfcn.h>\n"
	"#include <setjmp.h>\n"
	"#include <signal.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"#include <time.h>\n"
	"static volatile int sink;\n"
	"static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
	"static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
	"static int even(int n);\n"
	"static int odd(int n) { return n ? even(n - 1) + sink : 0; }\n"
	"static int even(int n) { return n ? odd(n - 1) + sink : sink; }\n"
	"static void fill(char *to, int n) { memset(to, n, n); sink += to[n / 2]; }\n"
	"static void dynamic(int n) { char *p = alloca(n); fill(p, n); }\n"
	"static void aligned(int n, int m) { char p[256] __attribute__((aligned(64)));\n"
	"  char *q = alloca(m); fill(q, m); fill(p, n); sink += ((unsigned long)p & 63); }\n"
	"static void large(int n) { char p[20000]; memset(p, n, sizeof p); fill(p, n); }\n"
	"static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i)\n"
	"{ return a + b * c + d * e + f * g + h * i + sink; }\n"
	"static jmp_buf out;\n"
	"static void leave(int n) { if (n) leave(n - 1); else longjmp(out, 1); sink++; }\n"
	"static void handler(int n, siginfo_t *i, void *c)\n"
	"{ (void)i; (void)c; sink += n; fill(alloca(64), 32); if (n == SIGUSR2) raise(SIGURG); }\n"
	"static char other_stack[65536];\n"
	"static void signals(void) {\n"
	"  struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};\n"
	"  stack_t s = {.ss_sp = other_stack, .ss_size = sizeof other_stack};\n"
	"  sigaction(SIGUSR1, &a, 0); sigaction(SIGURG, &a, 0); sigaltstack(&s, 0);\n"
	"  a.sa_flags |= SA_ONSTACK; sigaction(SIGUSR2, &a, 0);\n"
	"  raise(SIGUSR1); raise(SIGUSR2); }\n"
	"int main(void) {\n"
	"  int numbers[32]; char text[200]; struct timespec t;\n"
	"  for (int i = 0; i < 32; i++) numbers[i] = (i * 37) % 41;\n"
	"  qsort(numbers, 32, sizeof(int), compare);\n"
	"  sink += fib(9) + even(40) + many(1, 2, 3, 4, 5, 6, 7, 8, 9);\n"
	"  dynamic(100); dynamic(5000); aligned(200, 90); large(40);\n"
	"  if (!setjmp(out)) leave(5);\n"
	"  snprintf(text, sizeof text, \"%s %d %f %g\", \"x\", sink, 1.5, 1e300);\n"
	"  sink += (int)strtol(text + 2, 0, 10) + (int)strlen(text);\n"
	"  clock_gettime(CLOCK_MONOTONIC, &t); sink += (int)t.tv_sec;\n"
	"  sink += dlsym(RTLD_DEFAULT, \"no_such_symbol\") != 0;\n"
	"  free(malloc(100000)); free(realloc(malloc(10), 3000)); signals();\n"
	"  return 0; }\n";

/* ---- the shadow ---- */

static void peek(uint64_t address, void *bytes, size_t nr_bytes)
{
	struct iovec to = {bytes, nr_bytes}, from = {(void *)(uintptr_t)address, nr_bytes};

	memset(bytes, 0, nr_bytes);
	(void)process_vm_readv(steps.pid, &to, 1, &from, 1, 0);
}

/* Is the instruction at pc a call? It has prefixes, then e8, or ff with 2 or 3 in its operand. */
static bool is_call(uint64_t pc)
{
	uint8_t code[16];
	size_t i = 0;

	peek(pc, code, sizeof(code));
	while (i < 8 && (code[i] == 0xf2 || code[i] == 0xf3 || code[i] == 0x2e || code[i] == 0x3e ||
			 code[i] == 0x66 || code[i] == 0x67 || (code[i] & 0xf0) == 0x40))
		i++;
	return code[i] == 0xe8 ||
	       (code[i] == 0xff && ((code[i + 1] >> 3 & 7) == 2 || (code[i + 1] >> 3 & 7) == 3));
}

static void push(struct shadow shadow)
{
	ck_assert_uint_lt(steps.nr_shadows, DEPTH_MAX);
	steps.shadows[steps.nr_shadows++] = shadow;
	if (steps.nr_shadows > steps.nr_deepest)
		steps.nr_deepest = steps.nr_shadows;
}

static struct shadow *last_shadow(void)
{
	return steps.nr_shadows ? &steps.shadows[steps.nr_shadows - 1] : NULL;
}

/*
 * Pops the entries that the stack pointer has passed, up to the last signal; and the signal after
 * its return.
 */
static void pop(void)
{
	const struct shadow *last;

	for (size_t i = steps.nr_shadows; i--;) {
		const struct shadow *shadow = &steps.shadows[i];

		if (!shadow->is_signal)
			continue;
		if (shadow->slot == steps.regs.rsp && shadow->pc == steps.regs.rip)
			steps.nr_shadows = i;
		break;
	}
	while ((last = last_shadow()) && !last->is_signal && last->slot < steps.regs.rsp)
		steps.nr_shadows--;
}

static bool is_near(uint64_t a, uint64_t b)
{
	return a - b < STACK_BYTES || b - a < STACK_BYTES;
}

/* Pushes the frame that the kernel made for a signal that came at old. */
static void push_signal(const struct user_regs_struct *old)
{
	uint64_t address;

	peek(steps.regs.rsp, &address, sizeof(address));
	push((struct shadow){.slot = old->rsp,
			     .address = old->rip,
			     .pc = old->rip,
			     .is_signal = true,
			     .is_outside = !is_near(old->rsp, steps.regs.rsp)});
	push((struct shadow){.slot = steps.regs.rsp, .address = address - 1});
	steps.nr_signals++;
}

/* ---- walking ---- */

static void fill_registers(struct stack_walk_input *input)
{
	const struct user_regs_struct *regs = &steps.regs;
	const uint64_t registers[] = {regs->rax, regs->rdx, regs->rcx, regs->rbx,
				      regs->rsi, regs->rdi, regs->rbp, regs->rsp,
				      regs->r8,	 regs->r9,  regs->r10, regs->r11,
				      regs->r12, regs->r13, regs->r14, regs->r15};

	memcpy(input->registers, registers, sizeof(registers));
	input->known = 0xffff;
}

static void tell(const char *what, const struct stack_walk_result *result, const uint64_t *walked)
{
	const struct process_code_map *map = process_code_map(&steps.code, steps.regs.rip);

	if (*what == 's' && steps.nr_told++ >= TOLD_MAX)
		return;
	printf("# %s at %s+%#llx, %zu of %zu callers, end %d\n", what, map ? map->path : "?",
	       (unsigned long long)(map ? steps.regs.rip - map->start + map->offset
					: steps.regs.rip),
	       result->nr_addresses, steps.nr_shadows, result->end);
	for (size_t i = 0; i < result->nr_addresses && i < 6; i++) {
		map = process_code_map(&steps.code, walked[i]);
		printf("#   %s+%#llx\n", map ? map->path : "?",
		       (unsigned long long)(map ? walked[i] - map->start + map->offset
						: walked[i]));
	}
}

enum verdict { RIGHT, SHORT, WRONG };

/* Compares with the callers of the shadow stack, up to a signal that came on another stack. */
static enum verdict compare(const struct stack_walk_result *result, const uint64_t *walked)
{
	for (size_t i = 0; i < steps.nr_shadows; i++) {
		const struct shadow *shadow = &steps.shadows[steps.nr_shadows - 1 - i];

		if (i == result->nr_addresses)
			return result->end == STACK_WALK_WHOLE ? WRONG : SHORT;
		if (walked[i] != shadow->address)
			return WRONG;
		if (shadow->is_outside)
			return result->nr_addresses == i + 1 && result->end == STACK_WALK_TRUNCATED
				       ? RIGHT
				       : WRONG;
	}
	return result->nr_addresses == steps.nr_shadows && result->end == STACK_WALK_WHOLE ? RIGHT
											   : WRONG;
}

/* Code of start files and hand-written assembly that has no table. */
static bool is_without_table(uint64_t pc)
{
	const struct process_code_map *map = process_code_map(&steps.code, pc);
	uint64_t start;

	return !map || !map->table ||
	       code_table_function(map->table, pc - map->start + map->offset, &start) != 0;
}

static bool any_is_without_table(void)
{
	if (is_without_table(steps.regs.rip))
		return true;
	/*
	 * Skips the outermost entry: the start of the dynamic linker or of the C library, which has
	 * no table.
	 */
	for (size_t i = 1; i < steps.nr_shadows; i++)
		if (is_without_table(steps.shadows[i].address))
			return true;
	return false;
}

/* longjmp's tables describe the frame that it jumps to, in the buffer that %rdi points to. */
static bool is_longjmp(void)
{
	const struct process_code_map *map = process_code_map(&steps.code, steps.regs.rip);
	struct code_row row;

	return map && map->table &&
	       !code_table_row(map->table, steps.regs.rip - map->start + map->offset, &row) &&
	       row.cfa == CODE_CFA_OTHER && row.cfa_register == 5;
}

static bool is_own(void)
{
	const struct process_code_map *map = process_code_map(&steps.code, steps.regs.rip);

	return map && !strcmp(map->path, built_elf_path("program"));
}

static void count(enum verdict verdict, const struct stack_walk_result *result,
		  const uint64_t *walked)
{
	if (verdict == RIGHT || is_longjmp())
		return;
	if (any_is_without_table()) {
		steps.nr_without_table++;
	} else if (verdict == WRONG) {
		steps.nr_wrong++;
		tell("wrong", result, walked);
	} else if (verdict == SHORT) {
		steps.nr_short++;
		steps.nr_short_own += is_own();
		tell("short", result, walked);
	}
}

static void walk(void)
{
	static uint64_t walked[DEPTH_MAX];
	struct stack_walk_input input = {.machine = CODE_X86_64,
					 .pc = steps.regs.rip,
					 .sp = steps.regs.rsp,
					 .stack = steps.stack,
					 .find = process_code_find,
					 .context = &steps.code};
	struct iovec to = {steps.stack, sizeof(steps.stack)};
	struct iovec from = {(void *)(uintptr_t)input.sp, sizeof(steps.stack)};
	struct stack_walk_result result;
	const ssize_t nr = process_vm_readv(steps.pid, &to, 1, &from, 1, 0);

	input.stack_bytes = nr > 0 ? (size_t)nr : 0;
	fill_registers(&input);
	stack_walk(&input, walked, DEPTH_MAX, &result);
	steps.nr_steps++;
	steps.nr_whole += result.end == STACK_WALK_WHOLE;
	steps.nr_by_pointer += result.nr_by_pointer;
	count(compare(&result, walked), &result, walked);
}

/* ---- stepping ---- */

/* Executes one instruction; returns false if the process has ended. */
static bool step(void)
{
	const struct user_regs_struct old = steps.regs;
	const bool calls = is_call(old.rip);
	static int signal_due;
	const int signal_given = signal_due;
	int status;

	signal_due = 0;
	ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, steps.pid, NULL, (long)signal_given), 0);
	ck_assert_int_eq(waitpid(steps.pid, &status, 0), steps.pid);
	if (!WIFSTOPPED(status))
		return false;
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, steps.pid, NULL, &steps.regs), 0);
	if (WSTOPSIG(status) != SIGTRAP) {
		signal_due = WSTOPSIG(status);
		/* It stopped before or after the instruction. */
		if (steps.regs.rip == old.rip && steps.regs.rsp == old.rsp)
			return true;
	}
	if (signal_given) {
		push_signal(&old);
		return true;
	}
	pop();
	if (calls && steps.regs.rsp == old.rsp - 8) {
		uint64_t address;

		peek(steps.regs.rsp, &address, sizeof(address));
		push((struct shadow){.slot = steps.regs.rsp, .address = address - 1});
	}
	return true;
}

static void start(char *const *arguments)
{
	int status;

	memset(&steps, 0, sizeof(steps));
	steps.pid = fork();
	ck_assert_int_ge(steps.pid, 0);
	if (!steps.pid) {
		if (!freopen("/dev/null", "w", stdout) || ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(126);
		execvp(arguments[0], arguments);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(steps.pid, &status, 0), steps.pid);
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, steps.pid, NULL, (long)PTRACE_O_EXITKILL), 0);
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, steps.pid, NULL, &steps.regs), 0);
	process_code_init(&steps.code, steps.pid);
}

/* Runs the program to its end, with a walk at each instruction. */
static void run(char *const *arguments)
{
	start(arguments);
	do {
		walk();
	} while (step());
	process_code_deinit(&steps.code);
	printf("# %s: %llu instructions; walks: %llu wrong, %llu short (%.3f %%), %llu for want "
	       "of a table; %llu frames by pointer, %llu signals, %llu deep\n",
	       arguments[0], (unsigned long long)steps.nr_steps, (unsigned long long)steps.nr_wrong,
	       (unsigned long long)steps.nr_short,
	       100.0 * (double)steps.nr_short / (double)steps.nr_steps,
	       (unsigned long long)steps.nr_without_table, (unsigned long long)steps.nr_by_pointer,
	       (unsigned long long)steps.nr_signals, (unsigned long long)steps.nr_deepest);
	/*
	 * Some assembly functions of the C library do not describe what they push: its
	 * multi-precision arithmetic, in printf of %f.
	 */
	ck_assert_uint_eq(steps.nr_wrong, 0);
	ck_assert_uint_eq(steps.nr_short_own, 0);
	ck_assert_uint_lt(steps.nr_short * 200, steps.nr_steps);
	ck_assert_uint_lt(steps.nr_without_table * 1000, steps.nr_steps);
}

START_TEST(every_instruction_of_a_program_is_walked_right)
{
	char *arguments[] = {NULL, NULL};

	arguments[0] = strdup(built_elf_path("program"));
	run(arguments);
	ck_assert_uint_gt(steps.nr_steps, 50000);
	ck_assert_uint_eq(steps.nr_signals, 3);
	ck_assert_uint_gt(steps.nr_deepest, 30);
	free(arguments[0]);
}
END_TEST

START_TEST(every_instruction_of_a_command_is_walked_right)
{
	char *arguments[64];
	char *text = strdup(getenv("OPROF_STEP_PROGRAM"));
	char *next = NULL;
	size_t nr = 0;

	for (char *word = strtok_r(text, " ", &next); word && nr < 63;
	     word = strtok_r(NULL, " ", &next))
		arguments[nr++] = word;
	arguments[nr] = NULL;
	run(arguments);
	free(text);
}
END_TEST

static void build_all(void)
{
	built_elf_init();
	built_elf_source("a.c", source);
	built_elf_run(CC "-o program a.c -ldl");
}

int main(void)
{
	Suite *suite = suite_create("stack_walk_steps");
	TCase *tcase = tcase_create("steps");

#ifndef __x86_64__
	printf("1..0 # SKIP steps and their shadow are of x86-64\n");
	return 77;
#endif
	tcase_add_unchecked_fixture(tcase, build_all, built_elf_deinit);
	if (getenv("OPROF_STEP_PROGRAM"))
		tcase_add_test(tcase, every_instruction_of_a_command_is_walked_right);
	else
		tcase_add_test(tcase, every_instruction_of_a_program_is_walked_right);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
