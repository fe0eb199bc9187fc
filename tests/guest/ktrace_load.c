// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/ktrace_load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/guest/kmod_test.h"

uint64_t ktrace_tid(void)
{
	return (uint64_t)syscall(SYS_gettid);
}

void ktrace_getppid(unsigned int nr)
{
	while (nr--)
		(void)syscall(SYS_getppid);
}

/* Signals may interrupt the sleep. */
void ktrace_nap(unsigned int ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

int ktrace_control(struct ktrace *trace, unsigned long command)
{
	return ktrace_call(trace->fd, command, NULL);
}

struct ktrace_found ktrace_finish(struct ktrace *trace, struct ktrace_folder *folder,
				  void (*look)(const struct ctf_record *record, void *context),
				  void *context)
{
	int error;

	while ((error = ktrace_control(trace, OPROF_KTRACE_FINALISE)) == -EAGAIN)
		(void)ktrace_drain(trace, folder);
	CHECK_IS(error, 0);
	(void)ktrace_drain(trace, folder);
	ktrace_folder_close(folder);
	return ktrace_read(folder, look, context);
}

void ktrace_check(struct ktrace *trace, const struct ktrace_found *found, const char *of)
{
	const struct oprof_ktrace_counts counts = ktrace_counts(trace);

	CHECK_IS_OF(found->nr_faults, 0, of);
	CHECK_IS_OF(found->lost, ktrace_lost(&counts), of);
	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		CHECK_IS_OF(found->lost_by[i], counts.lost_by[i], of);
	if (trace->channel.mode == OPROF_KTRACE_DISCARD)
		CHECK_IS_OF(found->nr_records, counts.nr_records, of);
	else
		CHECK_OF(found->nr_records <= counts.nr_records, of);
}

/* ---- loads ---- */

static void ignore(int number)
{
	(void)number;
}

static void run_child(void)
{
	const pid_t child = fork();

	if (!child) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	(void)waitpid(child, NULL, 0);
}

void ktrace_bit_of_all(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 1000}};
	char *page;
	int fd;

	(void)signal(SIGALRM, ignore);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
	run_child();
	fd = open("/tmp/ktrace-file", O_RDWR | O_CREAT, 0600);
	(void)!write(fd, "x", 1);
	(void)close(fd);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[0] = 1;
	(void)munmap(page, 4096);
	ktrace_nap(2);
	ktrace_getppid(10);
}

volatile bool ktrace_stop_load;

void *ktrace_load(void *unused)
{
	(void)unused;
	while (!ktrace_stop_load)
		ktrace_bit_of_all();
	return NULL;
}

void *ktrace_load_calls(void *unused)
{
	(void)unused;
	while (!ktrace_stop_load)
		ktrace_getppid(1000);
	return NULL;
}

void ktrace_begin(pthread_t *thread, void *(*function)(void *))
{
	ktrace_stop_load = false;
	CHECK(!pthread_create(thread, NULL, function, NULL));
}

void ktrace_end(pthread_t thread)
{
	ktrace_stop_load = true;
	(void)pthread_join(thread, NULL);
}

void ktrace_add_all(struct ktrace *trace)
{
	for (unsigned int i = 0; i < OPROF_KTRACE_NR_KINDS; i++)
		CHECK_IS(ktrace_event(trace, i, NULL),
			 trace->info.kinds & (1ull << i) ? 0 : -ENOENT);
	CHECK_IS(ktrace_syscalls(trace, true, NULL, NULL), 0);
}
