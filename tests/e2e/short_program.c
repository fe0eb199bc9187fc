// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Template of the programs of test_short_processes.sh. short_program NR spins for NR turns in a
 * function whose name is patched in each copy. Before it lie SHORT_PAD bytes of code that never
 * runs; each template has another SHORT_PAD.
 */
#include <stdlib.h>

#define TEXT2(a) #a
#define TEXT(a)	 TEXT2(a)

__asm__(".text\n.type pad_before, %function\npad_before:\n.skip " TEXT(
	SHORT_PAD) "\n"
		   ".size pad_before, " TEXT(SHORT_PAD) "\n");

/* short_runner replaces the twelve letters A. */
void hot_AAAAAAAAAAAA(unsigned long nr);

__attribute__((noinline)) void hot_AAAAAAAAAAAA(unsigned long nr)
{
	unsigned long x = nr;

	for (; nr; nr--)
		__asm__ volatile("" : "+r"(x) : "r"(nr));
}

__asm__(".text\n.type pad_behind, %function\npad_behind:\n.skip 70000 - " TEXT(
	SHORT_PAD) "\n"
		   ".size pad_behind, 70000 - " TEXT(SHORT_PAD) "\n");

int main(int argc, char **argv)
{
	hot_AAAAAAAAAAAA(argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
	return 0;
}
