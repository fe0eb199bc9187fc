// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load_unmap MODE SECONDS FOLDER [WORKER]: runs code of two files, A and B, in turn at one address,
 * many times within a pass of the module's worker. A's code lies where B has none, and vice versa,
 * so that a sample's offset tells its file, whatever it is attributed to.
 *
 *	dlopen	two shared objects (FOLDER/A, FOLDER/B), opened and closed
 *	munmap	files of code, mapped and unmapped
 *	fixed	B is mapped over A while another thread runs in A
 *	burst	as munmap, with more unmappings at once than the module keeps: WORKER, the module's
 *		thread, is bound to CPU 0 and does not run during the unmappings
 *
 * Prints to stdout:
 *	object NAME page N	page of its code in the file
 *	mapped NAME BEGIN END	fixed: when it was mapped, in ns of CLOCK_MONOTONIC
 *	turns N, same N		number of turns; of those, at the address of the previous turn
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE	     4096u
#define CODE_BYTES   (2 * PAGE)
#define SPINS	     200000
#define TURN_NS	     2000000u
#define BURST_PAGES  5000u
#define NR_TURNS_MIN 32u /* minimum on slow machines */

typedef void (*spin_function)(long count);
typedef void (*wait_function)(atomic_int *flag);

/* spin: count down; wait: until *flag is not 0. Position-independent, one loop. */
#if defined(__x86_64__)
static const uint8_t spin_code[] = {0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3};
static const uint8_t wait_code[] = {0x83, 0x3f, 0x00, 0x74, 0xfb, 0xc3};
#elif defined(__aarch64__)
static const uint32_t spin_code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
static const uint32_t wait_code[] = {0xb9400001, 0x34ffffe1, 0xd65f03c0};
#else
#error "no code for this machine"
#endif

static uint64_t end_ns;

static void die(const char *what)
{
	fprintf(stderr, "load_unmap: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int is_time_left(void)
{
	return now_ns() < end_ns;
}

/* ---- files of code ---- */

struct object {
	int fd;
	unsigned int page; /* which has the code; the other page has none */
};

static struct object objects[2];

/* B ends after its only page: a thread at the address of A's code gets SIGBUS. */
static void object_make(const char *folder, unsigned int index, const void *code, size_t bytes)
{
	struct object *object = &objects[index];
	char path[4096];

	snprintf(path, sizeof(path), "%s/%c", folder, 'A' + (int)index);
	object->page = index == 0 ? 1 : 0;
	object->fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	if (object->fd < 0 || ftruncate(object->fd, (off_t)(object->page + 1) * PAGE) ||
	    pwrite(object->fd, code, bytes, (off_t)object->page * PAGE) != (ssize_t)bytes)
		die(path);
	printf("object %c page %u\n", 'A' + (int)index, object->page);
}

static char *object_map(unsigned int index, char *address)
{
	char *mapped = mmap(address, CODE_BYTES, PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | (address ? MAP_FIXED : 0), objects[index].fd, 0);

	if (mapped == MAP_FAILED)
		die("mmap");
	return mapped;
}

/* Makes more mappings than the module keeps. Alternating pages of one file never merge. */
static void burst_map(char *room)
{
	for (unsigned int i = 0; i < BURST_PAGES; i++)
		if (mmap(room + (size_t)i * PAGE, PAGE, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_FIXED, objects[0].fd,
			 (off_t)(i & 1) * PAGE) == MAP_FAILED)
			die("mmap of a page");
}

/* Moves everything to the worker's CPU; in a burst only this process runs there. */
static void share_cpu(pid_t worker)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(worker, sizeof(first), &first) ||
	    sched_setaffinity(0, sizeof(first), &first))
		die("sched_setaffinity");
}

static void keep_cpu(int keep)
{
	struct sched_param param = {.sched_priority = keep ? 99 : 0};

	if (sched_setscheduler(0, keep ? SCHED_FIFO : SCHED_OTHER, &param))
		die("sched_setscheduler");
}

/* Replaces all mappings in one call. */
static void burst_unmap(char *room)
{
	if (mmap(room, (size_t)BURST_PAGES * PAGE, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		die("mmap over the pages");
}

static unsigned long turns_of_munmap(const char *folder, int with_bursts)
{
	char *room = mmap(NULL, (size_t)BURST_PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	unsigned long nr = 0;
	char *address = NULL;

	object_make(folder, 0, spin_code, sizeof(spin_code));
	object_make(folder, 1, spin_code, sizeof(spin_code));
	for (; is_time_left() || nr < NR_TURNS_MIN; nr++) {
		int is_burst = with_bursts && nr % 16 == 7;
		unsigned int index = nr & 1;

		if (is_burst) {
			keep_cpu(1);
			burst_map(room);
		}
		address = object_map(index, address);
		((spin_function)(void *)(address + objects[index].page * PAGE))(is_burst ? 8 * SPINS
											 : SPINS);
		munmap(address, CODE_BYTES);
		if (is_burst) {
			burst_unmap(room);
			keep_cpu(0);
		}
	}
	printf("same %lu\n", nr - 1);
	return nr;
}

/* ---- shared objects ---- */

static unsigned long turns_of_dlopen(const char *folder)
{
	unsigned long nr, nr_same = 0;
	const char *last = NULL;
	char path[4096];

	for (nr = 0; is_time_left(); nr++) {
		spin_function spin;
		Dl_info info;
		void *object;

		snprintf(path, sizeof(path), "%s/%c", folder, 'A' + (int)(nr & 1));
		object = dlopen(path, RTLD_NOW);
		if (!object) {
			fprintf(stderr, "load_unmap: %s\n", dlerror());
			exit(1);
		}
		*(void **)&spin = dlsym(object, "spin");
		if (!spin || !dladdr((void *)spin, &info))
			die("spin");
		nr_same += info.dli_fbase == last;
		last = info.dli_fbase;
		if (nr < 2)
			printf("object %c page %lu\n", 'A' + (int)nr,
			       (unsigned long)((char *)spin - last) / PAGE);
		spin(SPINS);
		dlclose(object);
	}
	printf("same %lu\n", nr_same);
	return nr;
}

/* ---- over running code ---- */

enum state { PARKED, WANT_A, IN_A, IN_B, WANT_PARKED };

static char *code;
static _Atomic enum state state;
static atomic_int never, leave;
static sigjmp_buf out;

static void on_bus(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

static void await(enum state wanted)
{
	while (state != wanted)
		sched_yield();
}

static void stay(void)
{
	uint64_t until = now_ns() + TURN_NS;

	while (now_ns() < until)
		;
}

static void *runner(void *context)
{
	for (;;) {
		await(WANT_A);
		if (!sigsetjmp(out, 1)) {
			state = IN_A;
			/* Never returns: B is mapped over it and has no page there. */
			((wait_function)(void *)(code + objects[0].page * PAGE))(&never);
			abort();
		}
		state = IN_B;
		((wait_function)(void *)(code + objects[1].page * PAGE))(&leave);
		state = PARKED;
	}
	return context;
}

static void object_map_told(unsigned int index, char *address)
{
	uint64_t begin_ns = now_ns();

	object_map(index, address);
	printf("mapped %c %" PRIu64 " %" PRIu64 "\n", 'A' + (int)index, begin_ns, now_ns());
}

static unsigned long turns_of_fixed(const char *folder)
{
	struct sigaction action = {.sa_handler = on_bus};
	unsigned long nr = 0;
	pthread_t thread;

	object_make(folder, 0, wait_code, sizeof(wait_code));
	object_make(folder, 1, wait_code, sizeof(wait_code));
	sigaction(SIGBUS, &action, NULL);
	code = object_map(1, NULL);
	if (pthread_create(&thread, NULL, runner, NULL))
		die("thread");
	for (; is_time_left(); nr++) {
		object_map_told(0, code);
		leave = 0;
		state = WANT_A;
		await(IN_A);
		stay();
		object_map_told(1, code);
		await(IN_B);
		stay();
		leave = 1;
		await(PARKED);
	}
	printf("same %lu\n", nr);
	return nr;
}

int main(int nr_words, char **words)
{
	unsigned long nr;

	if (nr_words < 4 || nr_words > 5)
		return 2;
	end_ns = now_ns() + strtoull(words[2], NULL, 10) * 1000000000u;
	if (!strcmp(words[1], "dlopen"))
		nr = turns_of_dlopen(words[3]);
	else if (!strcmp(words[1], "munmap"))
		nr = turns_of_munmap(words[3], 0);
	else if (!strcmp(words[1], "burst") && nr_words == 5) {
		share_cpu((pid_t)strtol(words[4], NULL, 10));
		nr = turns_of_munmap(words[3], 1);
	} else if (!strcmp(words[1], "fixed"))
		nr = turns_of_fixed(words[3]);
	else
		return 2;
	printf("turns %lu\n", nr);
	return 0;
}
