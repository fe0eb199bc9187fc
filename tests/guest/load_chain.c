// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program whose call chains are known to the last frame. It is built without a C library and with
 * frame pointers, and its outermost frame is as the kernel starts it.
 *
 *	chain_main > chain_recurse x CHAIN_DEPTH > chain_spin		(in the program)
 *	chain_main > chain_recurse x CHAIN_DEPTH > chain_call > (kernel)
 *	chain_main > chain_recurse x CHAIN_DEPTH > chain_astray		(a bad frame pointer)
 *	chain_main > chain_recurse x CHAIN_DEPTH > chain_nowhere	(a frame that returns to 0)
 *
 * These run in turn, for ever. The loops lie between the symbols chain_X_begin and chain_X_end,
 * where the frame is set up; __builtin_frame_address makes the compiler create a frame.
 */
#ifndef CHAIN_DEPTH
#define CHAIN_DEPTH 20
#endif
#define ZERO_BYTES (192 << 10)

static char buffer[ZERO_BYTES];
static int zero;

#if defined(__x86_64__)
#define LOOP(name)                                                                                 \
	__asm__ volatile(".globl " name "_begin\n" name "_begin: 1: dec %0\n jnz 1b\n"             \
			 ".globl " name "_end\n" name "_end:\n"                                    \
			 : "+r"(nr)                                                                \
			 : "r"(__builtin_frame_address(0)))
#define ASTRAY(nr)                                                                                 \
	__asm__ volatile("push %%rbp\n mov $8, %%ebp\n"                                            \
			 ".globl chain_astray_begin\nchain_astray_begin: 1: dec %0\n jnz 1b\n"     \
			 ".globl chain_astray_end\nchain_astray_end: pop %%rbp\n"                  \
			 : "+r"(nr)                                                                \
			 : "r"(__builtin_frame_address(0)))
#define NOWHERE(nr)                                                                                \
	__asm__ volatile("push %%rbp\n mov %1, %%rbp\n"                                            \
			 ".globl chain_nowhere_begin\nchain_nowhere_begin: 1: dec %0\n jnz 1b\n"   \
			 ".globl chain_nowhere_end\nchain_nowhere_end: pop %%rbp\n"                \
			 : "+r"(nr)                                                                \
			 : "r"(nowhere), "r"(__builtin_frame_address(0)))
#define NR_READ 0
#define NR_OPEN 257

static long system_call(long nr, long a, long b, long c)
{
	register long r10 __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call chain_main\n hlt\n");
#else
#define LOOP(name)                                                                                 \
	__asm__ volatile(".globl " name "_begin\n" name "_begin: 1: subs %0, %0, #1\n b.ne 1b\n"   \
			 ".globl " name "_end\n" name "_end:\n"                                    \
			 : "+r"(nr)                                                                \
			 : "r"(__builtin_frame_address(0))                                         \
			 : "cc")
#define ASTRAY(nr)                                                                                 \
	__asm__ volatile("mov x9, x29\n mov x29, #8\n"                                             \
			 ".globl chain_astray_begin\nchain_astray_begin: 1: subs %0, %0, #1\n"     \
			 " b.ne 1b\n .globl chain_astray_end\nchain_astray_end: mov x29, x9\n"     \
			 : "+r"(nr)                                                                \
			 : "r"(__builtin_frame_address(0))                                         \
			 : "x9", "cc")
#define NOWHERE(nr)                                                                                \
	__asm__ volatile("mov x9, x29\n mov x29, %1\n"                                             \
			 ".globl chain_nowhere_begin\nchain_nowhere_begin: 1: subs %0, %0, #1\n"   \
			 " b.ne 1b\n .globl chain_nowhere_end\nchain_nowhere_end: mov x29, x9\n"   \
			 : "+r"(nr)                                                                \
			 : "r"(nowhere), "r"(__builtin_frame_address(0))                           \
			 : "x9", "cc")
#define NR_READ 63
#define NR_OPEN 56

static long system_call(long nr, long a, long b, long c)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = 0;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

__asm__(".globl _start\n_start: mov x29, #0\n mov x30, #0\n bl chain_main\n nop\n");
#endif

void chain_main(void);

/* Two frames, each a frame pointer and a return address: a walk must not follow the one after 0. */
static void *nowhere[4] __attribute__((aligned(32))) = {&nowhere[2], 0, 0, (char *)chain_main + 4};

/* Outside the loop the function has a complete frame. */
__attribute__((noinline)) static void chain_spin(void)
{
	unsigned long nr = 3000000;

	LOOP("chain_spin");
}

__attribute__((noinline)) static void chain_astray(void)
{
	unsigned long nr = 1000000;

	ASTRAY(nr);
}

__attribute__((noinline)) static void chain_nowhere(void)
{
	unsigned long nr = 1000000;

	/* Touches the page, because a walk of the frames cannot fault it in. */
	(void)*(void *volatile *)nowhere;
	NOWHERE(nr);
}

__attribute__((noinline)) static void chain_call(void)
{
	for (int i = 0; i < 4; i++)
		system_call(NR_READ, zero, (long)buffer, sizeof(buffer));
	__asm__ volatile("" : : "r"(__builtin_frame_address(0))); /* forces a frame */
}

__attribute__((noinline)) static void chain_recurse(unsigned int depth)
{
	if (depth > 1) {
		chain_recurse(depth - 1);
	} else {
		chain_spin();
		chain_call();
		chain_astray();
		chain_nowhere();
	}
	__asm__ volatile("" ::: "memory"); /* prevents a tail call */
}

void chain_main(void)
{
	zero = (int)system_call(NR_OPEN, -100, (long)"/dev/zero", 0);
	for (;;)
		chain_recurse(CHAIN_DEPTH);
}
