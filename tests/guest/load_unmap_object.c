// SPDX-License-Identifier: GPL-2.0-or-later
/* A shared object whose spin(count) is in page OBJECT_PAGE of its own section. */
#define TEXT_OF(x) #x
#define TEXT(x)	   TEXT_OF(x)

void spin(long count);

__asm__(".pushsection .text.spin, \"ax\"\n"
	".p2align 12, 0\n"
	".if " TEXT(OBJECT_PAGE) "\n"
				 ".skip 4096\n"
				 ".endif\n"
				 ".globl spin\n"
				 ".type spin, %function\n"
				 "spin:\n"
#if defined(__x86_64__)
				 "1:	sub $1, %rdi\n"
				 "	jne 1b\n"
#elif defined(__aarch64__)
				 "1:	subs x0, x0, #1\n"
				 "	b.ne 1b\n"
#else
#error "no code for this machine"
#endif
				 "	ret\n"
				 ".p2align 12, 0\n"
				 ".if 1 - " TEXT(OBJECT_PAGE) "\n"
							      ".skip 4096\n"
							      ".endif\n"
							      ".popsection\n");
