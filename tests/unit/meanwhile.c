// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/meanwhile.h"

#include "libdb/sdb_internal.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>

#define TORN_BYTES 512 /* headers */
#define WORD_BYTES 8u

ssize_t __real_pread(int fd, void *buf, size_t nr_bytes, off_t position);
ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t position);
ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t position);
int __real_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
int __wrap_fstat64(int fd, struct stat *status);

static struct {
	const struct meanwhile *both;
	const struct meanwhile_plan *plan; /* NULL: the whole of write at each step */
	unsigned int nr_steps, nr_stores;
	unsigned int nr_left; /* stores, until the writer stops */
	bool ended;
	long long position; /* of the step */
	sem_t go, stopped;
} run;

static __thread bool is_reader, is_writer;

/* ---- the writer ---- */

void sdb_fault_point(void)
{
	if (!is_writer)
		return;
	run.nr_stores++;
	if (run.nr_left == MEANWHILE_ALL || --run.nr_left)
		return;
	(void)sem_post(&run.stopped);
	(void)sem_wait(&run.go);
}

static void *write_thread(void *nothing)
{
	(void)nothing;
	is_writer = true;
	(void)sem_wait(&run.go);
	run.both->write(run.both->context);
	run.ended = true;
	(void)sem_post(&run.stopped);
	return NULL;
}

static void write_some(unsigned int nr_stores)
{
	if (run.ended || !nr_stores)
		return;
	run.nr_left = nr_stores;
	(void)sem_post(&run.go);
	(void)sem_wait(&run.stopped);
}

/* ---- the reader ---- */

static void step(long long position)
{
	const unsigned int nr = run.nr_steps++;

	run.position = position;
	if (!run.plan) {
		is_reader = false;
		run.both->write(run.both->context);
		is_reader = true;
		return;
	}
	if (nr == run.plan->first)
		write_some(run.plan->nr_stores);
	if (nr == run.plan->second)
		write_some(MEANWHILE_ALL);
}

static ssize_t read_part(int fd, char *buf, size_t nr_bytes, off_t position)
{
	step(position);
	return __real_pread(fd, buf, nr_bytes, position);
}

/* Words in their order, and what is behind them; short where any of them is. */
static ssize_t read_torn(int fd, char *buf, size_t nr_bytes, size_t nr_torn, off_t position)
{
	const size_t nr_words = nr_torn / WORD_BYTES;
	size_t nr_read = 0;

	if (run.both->descending && nr_bytes > nr_torn)
		nr_read += (size_t)read_part(fd, buf + nr_torn, nr_bytes - nr_torn,
					     position + (off_t)nr_torn);
	for (size_t i = 0; i < nr_words; i++) {
		const size_t at = (run.both->descending ? nr_words - 1 - i : i) * WORD_BYTES;

		nr_read += (size_t)read_part(fd, buf + at, WORD_BYTES, position + (off_t)at);
	}
	if (!run.both->descending && nr_bytes > nr_torn)
		nr_read += (size_t)read_part(fd, buf + nr_torn, nr_bytes - nr_torn,
					     position + (off_t)nr_torn);
	return (ssize_t)nr_read;
}

ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t position)
{
	off_t torn_end = TORN_BYTES;
	size_t nr_torn;

	if (!is_reader)
		return __real_pread(fd, buf, nr_bytes, position);
	if (run.both->nr_torn_bytes)
		torn_end = run.both->nr_torn_bytes;
	if (position >= torn_end)
		return read_part(fd, buf, nr_bytes, position);
	nr_torn = (size_t)(torn_end - position);
	if (nr_torn > nr_bytes)
		nr_torn = nr_bytes;
	return read_torn(fd, buf, nr_bytes, nr_torn - nr_torn % WORD_BYTES, position);
}

ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t position)
{
	return __wrap_pread(fd, buf, nr_bytes, position);
}

int __wrap_fstat(int fd, struct stat *status)
{
	if (is_reader)
		step(-1);
	return __real_fstat(fd, status);
}

int __wrap_fstat64(int fd, struct stat *status)
{
	return __wrap_fstat(fd, status);
}

/* ---- both ---- */

static void read_all(const struct meanwhile *both)
{
	is_reader = true;
	both->read(both->context);
	is_reader = false;
}

unsigned int meanwhile_run(const struct meanwhile *both, const struct meanwhile_plan *plan)
{
	pthread_t thread;

	run.both = both;
	run.plan = plan;
	run.nr_steps = run.nr_stores = 0;
	run.ended = false;
	if (sem_init(&run.go, 0, 0) || sem_init(&run.stopped, 0, 0) ||
	    pthread_create(&thread, NULL, write_thread, NULL))
		abort();
	read_all(both);
	write_some(MEANWHILE_ALL);
	(void)pthread_join(thread, NULL);
	(void)sem_destroy(&run.go);
	(void)sem_destroy(&run.stopped);
	return run.nr_steps;
}

static void read_nothing(void *context)
{
	(void)context;
}

unsigned int meanwhile_count_stores(const struct meanwhile *both)
{
	static const struct meanwhile_plan at_the_end = {0};
	struct meanwhile alone = *both;

	alone.read = read_nothing;
	(void)meanwhile_run(&alone, &at_the_end);
	return run.nr_stores;
}

unsigned int meanwhile_run_at_each(const struct meanwhile *both)
{
	run.both = both;
	run.plan = NULL;
	run.nr_steps = 0;
	read_all(both);
	return run.nr_steps;
}

long long meanwhile_position(void)
{
	return run.position;
}
