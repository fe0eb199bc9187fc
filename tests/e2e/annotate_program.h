/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of annotate_program.cc: a function in a header, which is inlined. */
#ifndef TESTS_ANNOTATE_PROGRAM_H
#define TESTS_ANNOTATE_PROGRAM_H

__attribute__((always_inline)) static inline unsigned long annotate_twist(unsigned long value)
{
	for (int i = 0; i < 100; i++)
		value ^= value << 13 | value >> 51; /* line of twist */
	return value;
}

#endif
