// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NAME SEED MILLISECONDS DEPTH PROGRAMS PLUGS: randomly does what programs do that is hard for a
 * profiler, until the time is over: forks, executes other programs, starts threads, loads and
 * unloads libraries, maps them over each other at one address. In between, and in everything that
 * it starts, it runs functions whose names tell their files (named.h).
 *
 * PROGRAMS and PLUGS are lists of paths separated by commas.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/guest/named.h"

#define NR_MAX	    8
#define WORDS_MAX   1024
#define FIXED_PLACE 0x3f00000000ul

typedef void spin_function(unsigned long nr_turns);

struct list {
	char words[WORDS_MAX];
	char *paths[NR_MAX];
	unsigned int nr;
};

static struct list programs, plugs;
static off_t plug_offsets[NR_MAX]; /* of the function in the file */
static uint64_t state;
static unsigned int depth;

static uint64_t random_below(uint64_t limit)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % limit;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static void must(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	_exit(1);
}

static void list_parse(struct list *list, const char *text)
{
	char *rest = list->words, *path;

	must(strlen(text) < sizeof(list->words), "list");
	memcpy(list->words, text, strlen(text) + 1);
	while ((path = strsep(&rest, ",")) && list->nr < NR_MAX)
		list->paths[list->nr++] = path;
}

static unsigned long some_turns(void)
{
	return 20000 + random_below(800000);
}

static void spin_own(void)
{
	NAMED_SPIN(some_turns());
}

static void *thread_main(void *unused)
{
	NAMED_SPIN(100000);
	return unused;
}

static void do_thread(void)
{
	pthread_t thread;

	must(!pthread_create(&thread, NULL, thread_main, NULL), "thread");
	spin_own();
	pthread_join(thread, NULL);
}

static void wait_for(pid_t pid)
{
	int status;

	must(pid > 0 && waitpid(pid, &status, 0) == pid, "wait");
	must(WIFEXITED(status) && !WEXITSTATUS(status), "a child");
}

static void do_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		spin_own();
		_exit(0);
	}
	spin_own();
	wait_for(pid);
}

struct exec_words {
	char seed[24], ms[24], depth[24];
	char *all[7];
};

static void exec_words_init(struct exec_words *words, unsigned int ms)
{
	char *path = programs.paths[random_below(programs.nr)];

	snprintf(words->seed, sizeof(words->seed), "%llu",
		 (unsigned long long)random_below(1u << 30));
	snprintf(words->ms, sizeof(words->ms), "%u", ms);
	snprintf(words->depth, sizeof(words->depth), "%u", depth - 1);
	words->all[0] = path;
	words->all[1] = words->seed;
	words->all[2] = words->ms;
	words->all[3] = words->depth;
	words->all[4] = getenv("STORM_PROGRAMS");
	words->all[5] = getenv("STORM_PLUGS");
	words->all[6] = NULL;
}

/* One pid runs program after program, each as short as its start. */
static void do_exec(void)
{
	struct exec_words words;
	pid_t pid;

	if (!depth)
		return;
	exec_words_init(&words, (unsigned int)random_below(12));
	pid = fork();
	if (!pid) {
		spin_own();
		execv(words.all[0], words.all);
		_exit(1);
	}
	wait_for(pid);
}

/* posix_spawn uses vfork: the child shares our address space until it execs. */
static void do_spawn(void)
{
	extern char **environ;
	struct exec_words words;
	pid_t pid = 0;

	if (!depth)
		return;
	exec_words_init(&words, (unsigned int)random_below(12));
	must(!posix_spawn(&pid, words.all[0], NULL, NULL, words.all, environ), "spawn");
	wait_for(pid);
}

static spin_function *spin_of(void *library)
{
	spin_function **pointer = (spin_function **)dlsym(library, "plug_spin");

	must(pointer != NULL, "plug_spin");
	return *pointer;
}

static void do_library(void)
{
	void *library = dlopen(plugs.paths[random_below(plugs.nr)], RTLD_NOW);

	must(library != NULL, "dlopen");
	spin_of(library)(some_turns());
	dlclose(library);
}

/* Maps one file after the other at one address. */
static void do_fixed(void)
{
	void *at = (void *)FIXED_PLACE;

	for (int i = 0; i < 4; i++) {
		unsigned int which = (unsigned int)random_below(plugs.nr);
		int fd = open(plugs.paths[which], O_RDONLY | O_CLOEXEC);
		spin_function *spin;
		struct stat stat;
		char *place;

		must(fd >= 0 && !fstat(fd, &stat), "plug");
		must(mmap(at, (size_t)stat.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			  fd, 0) == at,
		     "mmap");
		close(fd);
		place = (char *)at + plug_offsets[which];
		memcpy(&spin, &place, sizeof(spin));
		spin(some_turns());
		if (random_below(2))
			munmap(at, (size_t)stat.st_size);
	}
}

/* In these small libraries, file offsets equal memory offsets. */
static void find_offsets(void)
{
	for (unsigned int i = 0; i < plugs.nr; i++) {
		void *library = dlopen(plugs.paths[i], RTLD_NOW);
		Dl_info info;
		void *spin;

		must(library != NULL, plugs.paths[i]);
		*(spin_function **)&spin = spin_of(library);
		must(dladdr(spin, &info) != 0, "dladdr");
		plug_offsets[i] = (char *)spin - (char *)info.dli_fbase;
		dlclose(library);
	}
}

int main(int argc, char **argv)
{
	static void (*const actions[])(void) = {do_thread, do_fork,    do_exec,
						do_spawn,  do_library, do_fixed};
	uint64_t end_ms;

	if (argc != 6)
		return 2;
	spin_own();
	state = strtoull(argv[1], NULL, 10);
	end_ms = now_ms() + strtoull(argv[2], NULL, 10);
	depth = (unsigned int)strtoul(argv[3], NULL, 10);
	setenv("STORM_PROGRAMS", argv[4], 1);
	setenv("STORM_PLUGS", argv[5], 1);
	list_parse(&programs, argv[4]);
	list_parse(&plugs, argv[5]);
	find_offsets();
	do {
		spin_own();
		actions[random_below(sizeof(actions) / sizeof(actions[0]))]();
	} while (now_ms() < end_ms);
	return 0;
}
