// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library of the start race: RACE_PAD bytes of code that is never run, then spin_RACE_NAME. Each
 * library has another RACE_PAD, so that a sample filed under a wrong library falls into that
 * library's pad.
 */
#define JOIN2(a, b) a##b
#define JOIN(a, b)  JOIN2(a, b)
#define TEXT2(a)    #a
#define TEXT(a)	    TEXT2(a)

__asm__(".text\n"
	".type " TEXT(JOIN(pad_, RACE_NAME)) ", %function\n" TEXT(JOIN(
		pad_,
		RACE_NAME)) ":\n"
			    ".skip " TEXT(RACE_PAD) "\n"
						    ".size " TEXT(JOIN(pad_, RACE_NAME)) ", " TEXT(
							    RACE_PAD) "\n");

/* Uses no calls and no data, so that it also runs where the file was merely mapped. */
void JOIN(spin_, RACE_NAME)(unsigned long nr);

void JOIN(spin_, RACE_NAME)(unsigned long nr)
{
	for (unsigned long i = 0; i < nr; i++)
		__asm__ volatile("");
}

/*
 * as much code again after spin, so that the file is executable wherever another library's spin is
 */
__asm__(".text\n"
	".type " TEXT(JOIN(pad_behind_, RACE_NAME)) ", %function\n" TEXT(JOIN(
		pad_behind_,
		RACE_NAME)) ":\n"
			    ".skip 65536 - " TEXT(
				    RACE_PAD) "\n"
					      ".size " TEXT(JOIN(
						      pad_behind_,
						      RACE_NAME)) ", 65536 - " TEXT(RACE_PAD) "\n");
