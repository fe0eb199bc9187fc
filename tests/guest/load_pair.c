// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load_pair SEED MILLISECONDS: runs functions with different shares, and work in the kernel, in
 * random order. The shares are not known; two sources must agree on them.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ZERO_BYTES (192 << 10)

static uint64_t state;
static int zero;

static uint64_t random_number(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

#define PAIR_FUNCTION(name)                                                                        \
	__attribute__((noinline)) static void name(unsigned long nr)                               \
	{                                                                                          \
		unsigned long x = nr;                                                              \
                                                                                                   \
		for (; nr; nr--)                                                                   \
			__asm__ volatile("" : "+r"(x) : "r"(nr));                                  \
	}

PAIR_FUNCTION(pair_most)
PAIR_FUNCTION(pair_much)
PAIR_FUNCTION(pair_some)
PAIR_FUNCTION(pair_little)
PAIR_FUNCTION(pair_least)

static void pair_zero(unsigned long nr)
{
	static char buffer[ZERO_BYTES];

	while (nr--)
		if (read(zero, buffer, sizeof(buffer)) != sizeof(buffer))
			exit(1);
}

static void run_slice(void)
{
	unsigned int at = (unsigned int)(random_number() % 100);
	unsigned long nr = 20000 + random_number() % 60000;

	if (at < 20)
		pair_zero(1);
	else if (at < 55)
		pair_most(nr);
	else if (at < 75)
		pair_much(nr);
	else if (at < 88)
		pair_some(nr);
	else if (at < 96)
		pair_little(nr);
	else
		pair_least(nr);
}

int main(int argc, char **argv)
{
	uint64_t end_ms;

	if (argc != 3)
		return 2;
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	state = strtoull(argv[1], NULL, 10);
	end_ms = now_ms() + strtoull(argv[2], NULL, 10);
	while (now_ms() < end_ms)
		for (int i = 0; i < 20; i++)
			run_slice();
	return 0;
}
