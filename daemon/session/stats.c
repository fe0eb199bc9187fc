// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/stats.h"

#include "lib/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct oprof_stats_file) == 16, "the file's layout is a contract");
_Static_assert(sizeof(struct oprof_stats_entry) == 40, "the file's layout is a contract");

static const char *const stats_own_names[STATS_NR] = {
	[STATS_SEEN] = "seen",
	[STATS_STORED] = "stored",
	[STATS_IDLE] = "idle",
	[STATS_LOST + OPROF_LOST_KERNEL_RING] = "lost_kernel_ring",
	[STATS_LOST + OPROF_LOST_NO_TASK] = "lost_no_task",
	[STATS_LOST + OPROF_LOST_NO_MAPPING] = "lost_no_mapping",
	[STATS_LOST + OPROF_LOST_NO_KERNEL_MAP] = "lost_no_kernel_map",
	[STATS_LOST + OPROF_LOST_OTHER_NAMESPACE] = "lost_other_namespace",
	[STATS_LOST + OPROF_LOST_MODE] = "lost_mode",
	[STATS_LOST + OPROF_LOST_BAD_RECORD] = "lost_bad_record",
	[STATS_LOST + OPROF_LOST_DISK] = "lost_disk",
	[STATS_LOST + OPROF_LOST_FILE] = "lost_file",
	[STATS_LOST + OPROF_LOST_MEMORY] = "lost_memory",
	[STATS_LOST + OPROF_LOST_SIDE_BAND] = "lost_side_band",
	[STATS_LOST + OPROF_LOST_UNREAD] = "lost_unread",
	[STATS_THROTTLE_EPISODES] = "throttle_episodes",
	[STATS_THROTTLED_NS] = "throttled_ns",
	[STATS_WEIGHT_STORED] = "weight_stored",
	[STATS_SKIPPED_RECORDS] = "skipped_records",
	[STATS_OTHER_CODE] = "other_code",
	[STATS_EXPIRED] = "expired",
	[STATS_EXPIRED_IDLE] = "expired_idle",
	[STATS_EXPIRED_WEIGHT] = "expired_weight",
	[STATS_STACKS_STORED] = "stacks_stored",
	[STATS_STACKS_LOST_DISK] = "stacks_lost_disk",
	[STATS_STACKS_LOST_FILE] = "stacks_lost_file",
	[STATS_STACKS_LOST_MEMORY] = "stacks_lost_memory",
	[STATS_STACKS_FOLDED] = "stacks_folded",
	[STATS_STACKS_TRUNCATED] = "stacks_truncated",
	[STATS_STACKS_BROKEN] = "stacks_broken",
	[STATS_EXPIRED_STACKS] = "expired_stacks",
};

/* The mapping of the open stats file: the only one that the SIGBUS handler repairs. */
static struct oprof_stats_file *volatile stats_mapped;
static volatile sig_atomic_t stats_holed;
static struct sigaction stats_previous_sigbus;

static void stats_on_sigbus(int signal_nr, siginfo_t *info, void *context)
{
	char *mapped = (char *)stats_mapped;
	char *address = info->si_addr;
	int saved_errno = errno;

	if (mapped && address >= mapped && address < mapped + STATS_FILE_BYTES &&
	    mmap(mapped, STATS_FILE_BYTES, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
		stats_holed = 1;
		errno = saved_errno;
		return;
	}
	if (stats_previous_sigbus.sa_flags & SA_SIGINFO) {
		stats_previous_sigbus.sa_sigaction(signal_nr, info, context);
		return;
	}
	/*
	 * The program had no handler before: SIGBUS had its default action or was ignored. Restore
	 * this setting. When the present handler returns, the access faults again.
	 */
	(void)sigaction(SIGBUS, &stats_previous_sigbus, NULL);
}

int stats_catch_sigbus(void)
{
	struct sigaction action = {.sa_sigaction = stats_on_sigbus,
				   .sa_flags = SA_SIGINFO | SA_NODEFER};

	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, &stats_previous_sigbus) ? -errno : 0;
}

static uint32_t stats_entry(struct stats *stats, const char *name)
{
	uint32_t i;

	for (i = 0; i < stats->nr_entries; i++)
		if (!strncmp(stats->names[i], name, OPROF_STATS_NAME_BYTES - 1))
			return i;
	if (i == STATS_ENTRIES_MAX)
		return i;
	(void)snprintf(stats->names[i], OPROF_STATS_NAME_BYTES, "%s", name);
	stats->values[i] = 0;
	stats->based[i] = false;
	stats->nr_entries++;
	return i;
}

/* Loads the counters of an earlier run. Returns 0, or 1 if the file has another format. */
static int stats_load(struct stats *stats, const struct oprof_stats_file *file)
{
	if (memcmp(file->magic, OPROF_STATS_MAGIC, sizeof(file->magic)) != 0 ||
	    file->version != OPROF_STATS_VERSION || file->nr_entries > STATS_ENTRIES_MAX)
		return 1;
	for (uint32_t i = 0; i < file->nr_entries; i++) {
		char name[OPROF_STATS_NAME_BYTES];
		uint32_t entry;

		memcpy(name, file->entries[i].name, sizeof(name));
		name[sizeof(name) - 1] = '\0';
		if (!name[0])
			continue;
		entry = stats_entry(stats, name);
		if (entry < STATS_ENTRIES_MAX)
			stats->values[entry] = file->entries[i].value;
	}
	return 0;
}

static void stats_fill_entry(const struct stats *stats, uint32_t i)
{
	memcpy(stats->file->entries[i].name, stats->names[i], OPROF_STATS_NAME_BYTES);
	stats->file->entries[i].value = stats->values[i];
}

/*
 * The store is a release, so that readers in other processes that see the new number of entries
 * also see the entries' names.
 */
static void stats_set_nr_entries(const struct stats *stats, uint32_t nr_entries)
{
	__atomic_store_n(&stats->file->nr_entries, nr_entries, __ATOMIC_RELEASE);
}

static void stats_write_entry(struct stats *stats, uint32_t i)
{
	stats_fill_entry(stats, i);
	stats_set_nr_entries(stats, i + 1);
}

/*
 * Copies the counters in memory to the file. If a session continues, the file already has these
 * counters, most of them in the same entries. The file therefore has all counters even during the
 * copying. Other processes can read it, and the next daemon can continue with it if this daemon is
 * killed. In a new file, the magic is written last.
 */
static void stats_write(struct stats *stats)
{
	uint64_t magic;

	for (uint32_t i = 0; i < stats->nr_entries; i++)
		stats_fill_entry(stats, i);
	stats_set_nr_entries(stats, stats->nr_entries);
	__atomic_store_n(&stats->file->version, OPROF_STATS_VERSION, __ATOMIC_RELEASE);
	memcpy(&magic, OPROF_STATS_MAGIC, sizeof(magic));
	__atomic_store_n((uint64_t *)(void *)stats->file->magic, magic, __ATOMIC_RELEASE);
}

/* Maps the file at path. Creates the file, with all its blocks allocated, if it is missing. */
static int stats_map(const char *path, struct oprof_stats_file **file)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	void *mapped = MAP_FAILED;
	int error;

	if (fd < 0)
		return -errno;
	error = -posix_fallocate(fd, 0, STATS_FILE_BYTES);
	if (!error) {
		mapped = mmap(NULL, STATS_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		error = mapped == MAP_FAILED ? -errno : 0;
	}
	(void)close(fd);
	if (!error)
		*file = mapped;
	return error;
}

int stats_open(struct stats *stats, const char *path)
{
	char *old = NULL;
	size_t nr_bytes = 0;
	int damaged = 0;
	int error;

	memset(stats, 0, sizeof(*stats));
	for (unsigned int i = 0; i < STATS_NR; i++)
		(void)stats_entry(stats, stats_own_names[i]);
	error = file_read_text(path, STATS_FILE_BYTES, &old, &nr_bytes);
	if (!error)
		damaged = nr_bytes != STATS_FILE_BYTES || stats_load(stats, (const void *)old);
	else if (error != -ENOENT)
		damaged = 1;
	free(old);
	stats->path = strdup(path);
	if (!stats->path)
		return -ENOMEM;
	if (damaged && unlink(path) && errno != ENOENT)
		error = -errno;
	else
		error = stats_map(path, &stats->file);
	if (error) {
		free(stats->path);
		return error;
	}
	stats_holed = 0;
	stats_mapped = stats->file;
	stats_write(stats);
	stats->damaged = damaged;
	return damaged;
}

void stats_close(struct stats *stats)
{
	stats_mapped = NULL;
	if (stats->file)
		(void)munmap(stats->file, STATS_FILE_BYTES);
	free(stats->path);
	stats->file = NULL;
	stats->path = NULL;
}

int stats_mend(struct stats *stats)
{
	struct oprof_stats_file *file = NULL;
	int error;

	if (!stats_holed)
		return 0;
	(void)unlink(stats->path);
	error = stats_map(stats->path, &file);
	if (error)
		return error;
	assert(file);
	(void)munmap(stats->file, STATS_FILE_BYTES);
	stats->file = file;
	stats_mapped = file;
	stats_holed = 0;
	stats_write(stats);
	return 1;
}

/* Returns the entry of a source's counter; STATS_ENTRIES_MAX if the counter has no entry. */
static uint32_t stats_source_entry(struct stats *stats, const char *name)
{
	uint32_t nr_before = stats->nr_entries;
	uint32_t entry = stats_entry(stats, name);

	if (entry < STATS_NR)
		return STATS_ENTRIES_MAX; /* the daemon itself counts these */
	if (stats->nr_entries != nr_before)
		stats_write_entry(stats, entry);
	return entry;
}

void stats_begin_source(struct stats *stats, uint64_t seen, const struct source_counter *counters,
			size_t nr_counters)
{
	stats->seen_base = stats->values[STATS_SEEN] - seen;
	for (size_t i = 0; i < nr_counters; i++) {
		uint32_t entry = stats_source_entry(stats, counters[i].name);

		if (entry == STATS_ENTRIES_MAX)
			continue;
		stats->base[entry] = stats->values[entry] - counters[i].value;
		stats->based[entry] = true;
	}
}

void stats_update_source(struct stats *stats, uint64_t seen, const struct source_counter *counters,
			 size_t nr_counters)
{
	stats_set(stats, STATS_SEEN, stats->seen_base + seen);
	for (size_t i = 0; i < nr_counters; i++) {
		uint32_t entry = stats_source_entry(stats, counters[i].name);

		if (entry == STATS_ENTRIES_MAX)
			continue;
		if (!stats->based[entry]) { /* the counter appeared during this run */
			stats->base[entry] = stats->values[entry];
			stats->based[entry] = true;
		}
		stats_set(stats, entry, stats->base[entry] + counters[i].value);
	}
}

/*
 * missing: number of missing samples, modulo 2^64 (may be negative). The stack of a missing sample
 * is missing, too. If more stacks than samples are missing, the difference counts as lost stacks.
 */
static void recount_stacks(struct stats *stats, uint64_t stacks, uint64_t missing)
{
	uint64_t now = stacks + stats->values[STATS_EXPIRED_STACKS];
	int64_t lost = (int64_t)(stats->values[STATS_STACKS_STORED] - now - missing);

	stats_set(stats, STATS_STACKS_STORED, now);
	if (lost > 0)
		stats_add(stats, STATS_STACKS_LOST_FILE, (uint64_t)lost);
}

void stats_recount(struct stats *stats, uint64_t stored, uint64_t idle, uint64_t weight,
		   uint64_t stacks)
{
	const uint64_t *values = stats->values;
	uint64_t seen = values[STATS_SEEN];
	uint64_t stored_before = values[STATS_STORED];
	uint64_t accounted;

	stats_set(stats, STATS_STORED, stored + values[STATS_EXPIRED] - values[STATS_EXPIRED_IDLE]);
	stats_set(stats, STATS_IDLE, idle + values[STATS_EXPIRED_IDLE]);
	stats_set(stats, STATS_WEIGHT_STORED, weight + values[STATS_EXPIRED_WEIGHT]);
	if (stacks || values[STATS_STACKS_STORED])
		recount_stacks(stats, stacks, stored_before - values[STATS_STORED]);
	accounted = stats_accounted(stats);
	if (seen > accounted)
		stats_add(stats, STATS_LOST + OPROF_LOST_FILE, seen - accounted);
	if (seen < accounted) {
		stats_set(stats, STATS_SEEN, accounted);
		stats->seen_base += accounted - seen;
	}
}

void stats_catch_up(struct stats *stats, const struct oprof_stats_entry *later, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		char name[OPROF_STATS_NAME_BYTES];
		uint32_t nr_before = stats->nr_entries;
		uint32_t entry;

		memcpy(name, later[i].name, sizeof(name));
		name[sizeof(name) - 1] = '\0';
		entry = name[0] ? stats_entry(stats, name) : STATS_ENTRIES_MAX;
		if (entry == STATS_ENTRIES_MAX || entry == STATS_STORED || entry == STATS_IDLE ||
		    entry == STATS_WEIGHT_STORED || entry == STATS_STACKS_STORED)
			continue;
		if (stats->nr_entries != nr_before)
			stats_write_entry(stats, entry);
		if (stats->values[entry] < later[i].value)
			stats_set(stats, entry, later[i].value);
	}
}

size_t stats_snapshot(const struct stats *stats, struct oprof_stats_entry *entries)
{
	for (uint32_t i = 0; i < stats->nr_entries; i++) {
		memcpy(entries[i].name, stats->names[i], sizeof(entries[i].name));
		entries[i].value = stats->values[i];
	}
	return stats->nr_entries;
}

uint64_t stats_accounted(const struct stats *stats)
{
	uint64_t sum = stats->values[STATS_STORED] + stats->values[STATS_IDLE];

	for (unsigned int i = 0; i < OPROF_LOST_NR; i++)
		sum += stats->values[STATS_LOST + i];
	return sum;
}
