// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_load FOLDER NUMBER: creates NUMBER cgroups job0, job1, ... below FOLDER and uses 20 to 60
 * ms of CPU time in each, two at a time. Prints "jobN USEC" for each, as the kernel counted its CPU
 * time. The cgroups with even numbers are removed at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES 512

static const char *folder;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void path_of(char *path, int job, const char *file)
{
	(void)snprintf(path, PATH_BYTES, "%s/job%d%s", folder, job, file);
}

__attribute__((noinline)) static void spin(void)
{
	for (int i = 0; i < 10000; i++)
		__asm__ volatile("");
}

static void job_run(int job)
{
	clock_t end;
	char path[PATH_BYTES];
	int fd;

	path_of(path, job, "/cgroup.procs");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		fail(path);
	end = clock() + (20 + job % 5 * 10) * (CLOCKS_PER_SEC / 1000);
	while (clock() < end)
		spin();
	_exit(0);
}

static void job_begin(int job)
{
	char path[PATH_BYTES];
	pid_t pid;

	path_of(path, job, "");
	if (mkdir(path, 0755))
		fail(path);
	(void)fflush(stdout);
	pid = fork();
	if (!pid)
		job_run(job);
	if (pid < 0)
		fail("fork");
}

/* Called after the job's process has ended. */
static void job_end(int job)
{
	char path[PATH_BYTES], name[64];
	unsigned long long usec;
	FILE *file;

	path_of(path, job, "/cpu.stat");
	file = fopen(path, "re");
	if (!file || fscanf(file, "%63s %llu", name, &usec) != 2 || strcmp(name, "usage_usec") != 0)
		fail(path);
	(void)fclose(file);
	printf("job%d %llu\n", job, usec);
	path_of(path, job, "");
	if (job % 2 == 0 && rmdir(path))
		fail(path);
}

int main(int argc, char **argv)
{
	int nr = argc == 3 ? atoi(argv[2]) : 0;
	int begun = 0;

	if (nr < 2)
		return 2;
	folder = argv[1];
	for (int job = 0; job < nr; job += 2) {
		for (; begun < job + 2 && begun < nr; begun++)
			job_begin(begun);
		while (wait(NULL) >= 0 || errno == EINTR)
			;
		for (int done = job; done < begun; done++)
			job_end(done);
	}
	return 0;
}
