/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function whose name identifies its file, NAMED_spin(turns), among others that are never run.
 * Each file has its function at another offset, so that a sample attributed to a wrong file shows
 * as NAMED_never or under a wrong name. Compile with -DNAMED=name -DNAMED_AT=n, n from 0 to 15.
 */
#ifndef TESTS_GUEST_NAMED_H
#define TESTS_GUEST_NAMED_H

#define NAMED_TEXT2(x)	  #x
#define NAMED_TEXT(x)	  NAMED_TEXT2(x)
#define NAMED_JOIN2(a, b) a##b
#define NAMED_JOIN(a, b)  NAMED_JOIN2(a, b)
#define NAMED_SPIN	  NAMED_JOIN(NAMED, _spin)

#if defined(__x86_64__)
#define NAMED_LOOP "1: dec %rdi\n jnz 1b\n ret\n"
#else
#define NAMED_LOOP "1: subs x0, x0, #1\n b.ne 1b\n ret\n"
#endif

#define NAMED_BEGIN(suffix) "named_begin " NAMED_TEXT(NAMED) suffix "\n"
#define NAMED_END(suffix)   "named_end " NAMED_TEXT(NAMED) suffix "\n"

/* clang-format off */
__asm__(".macro named_begin name\n"
	".p2align 7\n"
	".globl \\name\n"
	".type \\name, %function\n"
	"\\name:\n"
	".endm\n"
	".macro named_end name\n"
	".size \\name, . - \\name\n"
	".endm\n"
	".text\n"
	".p2align 12\n"
	NAMED_BEGIN("_never_before")
	".skip 128 * " NAMED_TEXT(NAMED_AT) " + 128\n"
	NAMED_END("_never_before")
	NAMED_BEGIN("_spin")
	NAMED_LOOP
	NAMED_END("_spin")
	NAMED_BEGIN("_never_after")
	".skip 128 * (15 - " NAMED_TEXT(NAMED_AT) ") + 128\n"
	NAMED_END("_never_after")
	".p2align 12\n");
/* clang-format on */

void NAMED_SPIN(unsigned long nr_turns);

#endif
