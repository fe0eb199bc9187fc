// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A page of a mapped file can become inaccessible: another process truncates the file, its disk
 * fails, or a copy-on-write file system is full. The kernel then sends SIGBUS to the thread that
 * touches the page. The handler in this file maps a private page of zeros instead of the lost
 * page, and marks the file as lost.
 */
#include "libdb/sdb_internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPPINGS_PER_CHUNK 64

/* Chunks are never freed, because the handler may read them at any time. */
struct mapping_chunk {
	struct sdb_mapping mappings[MAPPINGS_PER_CHUNK];
	bool taken[MAPPINGS_PER_CHUNK];
	struct mapping_chunk *next;
};

static struct mapping_chunk *chunks;
static pthread_mutex_t chunks_lock = PTHREAD_MUTEX_INITIALIZER; /* the handler does not lock it */
static struct sigaction old_action;
static uintptr_t system_page_bytes;

static struct sdb_mapping *mapping_take(struct mapping_chunk *chunk)
{
	for (int i = 0; i < MAPPINGS_PER_CHUNK; i++) {
		if (!chunk->taken[i]) {
			chunk->taken[i] = true;
			chunk->mappings[i].lost = 0;
			return &chunk->mappings[i];
		}
	}
	return NULL;
}

struct sdb_mapping *sdb_mapping_get(void)
{
	struct sdb_mapping *mapping = NULL;
	struct mapping_chunk *chunk;

	(void)pthread_mutex_lock(&chunks_lock);
	for (chunk = chunks; chunk && !mapping; chunk = chunk->next)
		mapping = mapping_take(chunk);
	if (!mapping) {
		chunk = calloc(1, sizeof(*chunk));
		if (chunk) {
			mapping = mapping_take(chunk);
			chunk->next = chunks;
			/* Partner: the acquire in mapping_find. */
			__atomic_store_n(&chunks, chunk, __ATOMIC_RELEASE);
		}
	}
	(void)pthread_mutex_unlock(&chunks_lock);
	return mapping;
}

void sdb_mapping_put(struct sdb_mapping *mapping)
{
	struct mapping_chunk *chunk;

	if (!mapping)
		return;
	sdb_mapping_set(mapping, NULL, 0);
	(void)pthread_mutex_lock(&chunks_lock);
	for (chunk = chunks; chunk; chunk = chunk->next) {
		if (mapping >= chunk->mappings && mapping < chunk->mappings + MAPPINGS_PER_CHUNK)
			chunk->taken[mapping - chunk->mappings] = false;
	}
	(void)pthread_mutex_unlock(&chunks_lock);
}

/*
 * Only the thread that uses a file can cause a fault in the file's mapping. The handler runs in
 * the same thread, so it never needs a mapping that this thread is setting. The handler may see
 * mappings that other threads are setting, but these never contain the address of the fault.
 */
void sdb_mapping_set(struct sdb_mapping *mapping, const void *start, size_t nr_bytes)
{
	__atomic_store_n(&mapping->start, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&mapping->nr_bytes, nr_bytes, __ATOMIC_RELEASE);
	__atomic_store_n(&mapping->start, (uintptr_t)start, __ATOMIC_RELEASE);
}

static struct sdb_mapping *mapping_find(uintptr_t address)
{
	/* Partner: the release in sdb_mapping_get. */
	struct mapping_chunk *chunk = __atomic_load_n(&chunks, __ATOMIC_ACQUIRE);

	for (; chunk; chunk = chunk->next) {
		for (int i = 0; i < MAPPINGS_PER_CHUNK; i++) {
			struct sdb_mapping *mapping = &chunk->mappings[i];
			uintptr_t start = __atomic_load_n(&mapping->start, __ATOMIC_ACQUIRE);

			if (start &&
			    address - start < __atomic_load_n(&mapping->nr_bytes, __ATOMIC_ACQUIRE))
				return mapping;
		}
	}
	return NULL;
}

/*
 * Calls the previous handler, or takes the default action, which terminates the process by SIGBUS.
 */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	if (old_action.sa_flags & SA_SIGINFO) {
		old_action.sa_sigaction(sig, info, context);
	} else if (old_action.sa_handler == SIG_DFL || old_action.sa_handler == SIG_IGN) {
		/* When the handler returns, the access is repeated and ends the process. */
		(void)signal(SIGBUS, SIG_DFL);
		if (info->si_code <= 0)
			(void)raise(SIGBUS); /* sent by kill(), so there is no access to repeat */
	} else {
		old_action.sa_handler(sig);
	}
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	const int saved_errno = errno;
	struct sdb_mapping *mapping = NULL;
	uintptr_t page;

	if (info->si_code > 0)
		mapping = mapping_find((uintptr_t)info->si_addr);
	if (!mapping) {
		pass_on(sig, info, context);
		errno = saved_errno;
		return;
	}
	page = (uintptr_t)info->si_addr & ~(system_page_bytes - 1);
	/* mmap() does nothing but a system call, so a signal handler can call it. */
	if (mmap((void *)page, system_page_bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		pass_on(sig, info, context);
	__atomic_store_n(&mapping->lost, 1, __ATOMIC_RELAXED);
	errno = saved_errno;
}

int sdb_catch_sigbus(void)
{
	struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};

	system_page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	(void)sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, &old_action) < 0 ? -errno : 0;
}
