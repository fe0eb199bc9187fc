// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of the start race: spins in its own code and in libraries, which it loads, unloads and
 * maps over each other, then executes the next program. It is number RACE_INDEX of RACE_NR; all
 * files lie in the folder argv[1].
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "race_library.c" /* pad_N and spin_N of the program itself */

typedef void spin(unsigned long nr);

static const unsigned long spins = 150000;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/*
 * Loads, spins, unloads; the next library tends to get the same addresses. Returns the offset of
 * spin in the file.
 */
static unsigned long load_and_spin(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_NOW);
	Dl_info info;
	spin *function;

	if (!library)
		die(path);
	*(void **)&function = dlsym(library, name);
	if (!function || !dladdr(*(void **)&function, &info))
		die(name);
	function(spins);
	unsigned long offset = (unsigned long)(*(char **)&function - (char *)info.dli_fbase);
	dlclose(library);
	return offset;
}

/* Maps the file over the previous mapping at a fixed address and spins in it. */
static void map_and_spin(const char *path, unsigned long offset)
{
	void *const place = (void *)0x20000000000;
	int fd = open(path, O_RDONLY);
	struct stat st;
	spin *function;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	char *map = mmap(place, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			 fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	close(fd);
	*(void **)&function = map + offset;
	function(spins);
}

int main(int argc, char **argv)
{
	char path[2][4096];
	char name[2][64];
	char next[4096];

	if (argc < 2)
		return 2;
	JOIN(spin_, RACE_NAME)(spins);
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/librace%d%c.so", argv[1], RACE_INDEX,
			 'a' + i);
		snprintf(name[i], sizeof(name[i]), "spin_lib%d%c", RACE_INDEX, 'a' + i);
	}
	for (int round = 0; round < 4; round++) {
		int i = round % 2;

		map_and_spin(path[i], load_and_spin(path[i], name[i]));
	}
	snprintf(next, sizeof(next), "%s/race%d", argv[1], (RACE_INDEX + 1) % RACE_NR);
	execl(next, next, argv[1], (char *)NULL);
	die(next);
}
