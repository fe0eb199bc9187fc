// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Its thread, and a function that it generates in memory and names in a perf map, have names with
 * characters that a terminal obeys, and with bytes that are not UTF-8. Writes its process id to the
 * file "pid" in the current folder, so that the test can remove the perf map.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CODE_BYTES 256
#define ROUNDS	   300000000u

/* This function is copied, so it must not call anything, nor be longer than CODE_BYTES. */
__attribute__((noinline, noclone, aligned(64))) static uint64_t work(uint64_t nr)
{
	uint64_t sum = nr;

	for (uint64_t i = 0; i < nr; i++) {
		sum = sum * 31 + i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

static volatile uint64_t sink;

__attribute__((noinline)) void named_later(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink = sink * 2862933555777941757u + i;
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) == EOF || fclose(file))
		abort();
}

int main(void)
{
	static const char name[] =
		"jit_evil\033[2J\302\233\233\342\200\256\342\201\246\377;jit_forged";
	unsigned char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64], line[256];

	if (memory == MAP_FAILED)
		abort();
	(void)prctl(PR_SET_NAME, "thr\n\233\302\233\342\201\246\033\342\200\256\377");
	(void)snprintf(line, sizeof(line), "%d\n", (int)getpid());
	write_text("pid", line);
	memcpy(memory, (const void *)(uintptr_t)work, CODE_BYTES);
	__builtin___clear_cache((char *)memory, (char *)memory + CODE_BYTES);
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	(void)snprintf(line, sizeof(line), "%llx %x %s\n", (unsigned long long)(uintptr_t)memory,
		       CODE_BYTES, name);
	write_text(path, line);
	named_later(ROUNDS);
	sink += ((uint64_t(*)(uint64_t))(uintptr_t)memory)(ROUNDS);
	return 0;
}
