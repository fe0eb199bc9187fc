// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * short_runner make SEED FOLDER NR TEMPLATE...: makes NR programs from the templates: program
 * p_NAME with function hot_NAME and its own build-id, where NAME is random; and FOLDER/names, the
 * list of them.
 * short_runner run FOLDER: runs each of them for about a millisecond, two at a time, and prints how
 * many distinct pids they had.
 */
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAME_BYTES 12
#define ID_BYTES   20
#define AT_ONCE	   2

extern char **environ;
static uint64_t state;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t random_number(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* ---- make ---- */

struct template
{
	char *bytes;
	size_t nr_bytes;
};

static void read_template(struct template *template, const char *path)
{
	FILE *file = fopen(path, "r");
	struct stat status;

	if (!file || fstat(fileno(file), &status))
		die(path);
	template->nr_bytes = (size_t)status.st_size;
	template->bytes = malloc(template->nr_bytes);
	if (!template->bytes || fread(template->bytes, template->nr_bytes, 1, file) != 1)
		die(path);
	fclose(file);
}

/* Replaces each run of nr_bytes bytes from by the bytes of to. */
static void replace_all(char *bytes, size_t nr_all, char from, const char *to, size_t nr_bytes)
{
	size_t nr_alike = 0;

	for (size_t i = 0; i < nr_all; i++) {
		nr_alike = bytes[i] == from ? nr_alike + 1 : 0;
		if (nr_alike == nr_bytes) {
			memcpy(bytes + i + 1 - nr_bytes, to, nr_bytes);
			nr_alike = 0;
		}
	}
}

static void make_program(const struct template *template, const char *folder, const char *name)
{
	char path[4096], id[ID_BYTES];
	char *bytes = malloc(template->nr_bytes);
	FILE *file;

	if (!bytes)
		die("malloc");
	memcpy(bytes, template->bytes, template->nr_bytes);
	for (size_t i = 0; i < sizeof(id); i++)
		id[i] = (char)random_number();
	replace_all(bytes, template->nr_bytes, 'A', name, NAME_BYTES);
	replace_all(bytes, template->nr_bytes, 'B', id, ID_BYTES);
	snprintf(path, sizeof(path), "%s/p_%s", folder, name);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, template->nr_bytes, 1, file) != 1 || fclose(file) ||
	    chmod(path, 0755))
		die(path);
	free(bytes);
}

static void make_all(const char *folder, unsigned int nr, char **paths, unsigned int nr_templates)
{
	struct template templates[64];
	char path[4096];
	FILE *names;

	for (unsigned int i = 0; i < nr_templates; i++)
		read_template(&templates[i], paths[i]);
	snprintf(path, sizeof(path), "%s/names", folder);
	names = fopen(path, "w");
	for (unsigned int i = 0; names && i < nr; i++) {
		char name[NAME_BYTES + 1] = "";

		for (int j = 0; j < NAME_BYTES; j++)
			name[j] = (char)('a' + random_number() % 26);
		make_program(&templates[random_number() % nr_templates], folder, name);
		fprintf(names, "%s\n", name);
	}
	if (!names || fclose(names))
		die(path);
}

/* ---- run ---- */

/* Returns the turns of the programs' loop that take a millisecond. */
static unsigned long turns_of_ms(void)
{
	const unsigned long nr_turns = 20000000;
	struct timespec before, after;
	unsigned long x = 0;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	for (unsigned long nr = nr_turns; nr; nr--)
		__asm__ volatile("" : "+r"(x) : "r"(nr));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	return (unsigned long)((double)nr_turns * 1e6 /
			       ((double)(after.tv_sec - before.tv_sec) * 1e9 +
				(double)(after.tv_nsec - before.tv_nsec)));
}

static void run_one(const char *folder, const char *name, char *turns, unsigned char *pids_seen)
{
	char path[4096];
	char *arguments[] = {path, turns, NULL};
	pid_t pid;
	int error;

	snprintf(path, sizeof(path), "%s/p_%s", folder, name);
	error = posix_spawn(&pid, path, NULL, NULL, arguments, environ);
	if (error) {
		errno = error;
		die(path);
	}
	if (pid < 65536)
		pids_seen[pid] = 1;
}

static void run_all(const char *folder)
{
	static unsigned char pids_seen[65536];
	unsigned int nr = 0, nr_running = 0, nr_pids = 0;
	char path[4096], name[64], turns[32];
	FILE *names;

	snprintf(turns, sizeof(turns), "%lu", turns_of_ms());
	snprintf(path, sizeof(path), "%s/names", folder);
	names = fopen(path, "r");
	while (names && fscanf(names, "%63s", name) == 1) {
		if (nr_running == AT_ONCE && wait(NULL) > 0)
			nr_running--;
		run_one(folder, name, turns, pids_seen);
		nr_running++;
		nr++;
	}
	if (!names || !nr)
		die(path);
	while (wait(NULL) > 0)
		;
	for (size_t i = 0; i < sizeof(pids_seen); i++)
		nr_pids += pids_seen[i];
	printf("%u processes had %u pids\n", nr, nr_pids);
}

int main(int argc, char **argv)
{
	if (argc > 5 && argc < 70 && !strcmp(argv[1], "make")) {
		state = strtoull(argv[2], NULL, 10);
		make_all(argv[3], (unsigned int)atoi(argv[4]), argv + 5, (unsigned int)argc - 5);
	} else if (argc == 3 && !strcmp(argv[1], "run")) {
		run_all(argv[2]);
	} else {
		return 2;
	}
	return 0;
}
