// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Acts like a just-in-time compiler: generates code in memory, reports it in a jitdump file in the
 * current folder, runs it, and overwrites it with other code.
 *
 *   jit_first	 at one address, for two shares of the time
 *   jit_second	 later, at the same address, for one share
 *   jit_moved	 generated elsewhere, moved, and run at its new address, for one share
 *
 * jitdump_program [MILLISECONDS of a share]
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CODE_BYTES   256
#define MEMORY_BYTES 65536

struct head {
	uint32_t id, nr_bytes;
	uint64_t time_ns;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

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

static void put(int fd, const void *bytes, size_t nr_bytes)
{
	if (write(fd, bytes, nr_bytes) != (ssize_t)nr_bytes)
		abort();
}

static int open_dump(void)
{
	const uint32_t words[6] = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid()};
	const uint64_t rest[2] = {clock_ns(CLOCK_MONOTONIC), 0};
	char name[64];
	int fd;

	(void)snprintf(name, sizeof(name), "jit-%d.dump", (int)getpid());
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		abort();
	put(fd, words, sizeof(words));
	put(fd, rest, sizeof(rest));
	/* The mapping announces the jitdump file to profilers. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		abort();
	return fd;
}

static void make(int fd, unsigned char *place, const char *name)
{
	const uint32_t ids[2] = {(uint32_t)getpid(), (uint32_t)getpid()};
	const uint64_t words[4] = {(uint64_t)(uintptr_t)place, (uint64_t)(uintptr_t)place,
				   CODE_BYTES, 1};
	struct head head = {0,
			    (uint32_t)(sizeof(head) + sizeof(ids) + sizeof(words) + strlen(name) +
				       1 + CODE_BYTES),
			    clock_ns(CLOCK_MONOTONIC)};

	memcpy(place, (const void *)(uintptr_t)work, CODE_BYTES);
	__builtin___clear_cache((char *)place, (char *)place + CODE_BYTES);
	put(fd, &head, sizeof(head));
	put(fd, ids, sizeof(ids));
	put(fd, words, sizeof(words));
	put(fd, name, strlen(name) + 1);
	put(fd, place, CODE_BYTES);
}

static void move(int fd, unsigned char *from, unsigned char *to)
{
	const uint32_t ids[2] = {(uint32_t)getpid(), (uint32_t)getpid()};
	const uint64_t words[5] = {(uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from,
				   (uint64_t)(uintptr_t)to, CODE_BYTES, 1};
	struct head head = {1, sizeof(head) + sizeof(ids) + sizeof(words),
			    clock_ns(CLOCK_MONOTONIC)};

	memcpy(to, from, CODE_BYTES);
	__builtin___clear_cache((char *)to, (char *)to + CODE_BYTES);
	put(fd, &head, sizeof(head));
	put(fd, ids, sizeof(ids));
	put(fd, words, sizeof(words));
}

/* Runs the code at place for nr_ns of CPU time. */
static uint64_t run(const unsigned char *place, uint64_t nr_ns)
{
	uint64_t (*function)(uint64_t) = (uint64_t(*)(uint64_t))(uintptr_t)place;
	uint64_t until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + nr_ns;
	uint64_t sum = 0;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
		sum += function(200000);
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t share_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 300) * 1000000u;
	unsigned char *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;
	int fd = open_dump();

	if (memory == MAP_FAILED)
		return EXIT_FAILURE;
	make(fd, memory, "jit_first");
	sum += run(memory, 2 * share_ns);
	make(fd, memory, "jit_second");
	sum += run(memory, share_ns);
	make(fd, memory + 4096, "jit_moved");
	move(fd, memory + 4096, memory + 8192);
	sum += run(memory + 8192, share_ns);
	printf("%llu\n", (unsigned long long)sum);
	return EXIT_SUCCESS;
}
