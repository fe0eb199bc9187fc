// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Live sample files: time of an insert, which includes growth from an empty
 * file; the longest insert; and disk space per key. Every key is new, which is
 * the worst case: in profiles most samples fall on existing keys.
 */
#include "bench/bench.h"

#include "lib/diag.h"
#include "libdb/sdb.h"
#include "libdb/sdb_format.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_KEYS_MAX 10000000u

enum keys { KEYS_RANDOM, KEYS_ALIGNED };
enum figure { FIGURE_INSERT_NS, FIGURE_STALL_MS, FIGURE_BYTES };

static const struct line {
	const char *name;
	enum keys keys;
	enum figure figure;
	unsigned int nr_keys;
	unsigned int nr_rounds;
} lines[] = {
	{"sdb_insert_random_1e5", KEYS_RANDOM, FIGURE_INSERT_NS, 100000, 40},
	{"sdb_insert_random_1e6", KEYS_RANDOM, FIGURE_INSERT_NS, 1000000, 10},
	{"sdb_insert_random_1e7", KEYS_RANDOM, FIGURE_INSERT_NS, 10000000, 3},
	{"sdb_insert_aligned_1e6", KEYS_ALIGNED, FIGURE_INSERT_NS, 1000000, 10},
	{"sdb_insert_stall_max_1e7", KEYS_RANDOM, FIGURE_STALL_MS, 10000000, 3},
	{"sdb_bytes_per_key_1e6", KEYS_RANDOM, FIGURE_BYTES, 1000000, 1},
};
#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static char folder[PATH_MAX];
static char path[PATH_MAX + 16];
static uint64_t *keys;

static void shuffle(uint64_t *array, unsigned int nr, uint64_t *state)
{
	for (unsigned int i = nr - 1; i > 0; i--) {
		const unsigned int j = (unsigned int)(bench_random(state) % (i + 1));
		const uint64_t swapped = array[i];

		array[i] = array[j];
		array[j] = swapped;
	}
}

static void make_keys(enum keys kind, unsigned int nr)
{
	uint64_t state = nr;

	for (unsigned int i = 0; i < nr; i++) {
		if (kind == KEYS_RANDOM)
			keys[i] = bench_random(&state) >> 24;
		else
			keys[i] = 16ULL * i;
	}
	if (kind == KEYS_ALIGNED)
		shuffle(keys, nr, &state);
}

static struct sdb *open_file(void)
{
	const struct sdb_identity identity = {.event = "cpu-clock",
					      .cpu_type = "timer",
					      .host = "bench",
					      .app_path = "/usr/bin/bench",
					      .image_path = "/usr/bin/bench",
					      .image_kind = OPROF_IMAGE_FILE,
					      .period_or_hz = 1000000};
	struct diag diag;
	struct sdb *db;
	int error;

	(void)unlink(path);
	error = sdb_open(&db, path, &identity, &diag);
	if (error)
		bench_fail(diag_show(&diag), error);
	return db;
}

static void add(struct sdb *db, uint64_t key)
{
	int error = sdb_add(db, key, 1);

	if (error)
		bench_fail("sdb_add", error);
}

static double insert_ns(const struct line *line)
{
	struct sdb *db = open_file();
	uint64_t begin = bench_thread_ns(), end;

	for (unsigned int i = 0; i < line->nr_keys; i++)
		add(db, keys[i]);
	end = bench_thread_ns();
	sdb_close(db);
	return (double)(end - begin) / line->nr_keys;
}

/*
 * A lower bound for this machine's memory: inserts the same keys into a plain
 * table of constant size, which is 70 % full at the end, never grows and is not
 * in a file. It is not a peer, because no existing program works in this way.
 */
static double plain_ns(const struct line *line)
{
	const uint64_t nr_slots = (uint64_t)line->nr_keys * 10 / 7;
	uint64_t *slots = calloc(nr_slots, sizeof(*slots));
	uint64_t begin, end;

	if (!slots)
		bench_fail("plain table", errno);
	begin = bench_thread_ns();
	for (unsigned int i = 0; i < line->nr_keys; i++) {
		uint64_t slot = (uint64_t)((unsigned __int128)sdb_mix(keys[i]) * nr_slots >> 64);

		while (slots[slot] && slots[slot] != keys[i] + 1)
			slot = slot + 1 < nr_slots ? slot + 1 : 0;
		slots[slot] = keys[i] + 1;
	}
	end = bench_thread_ns();
	free(slots);
	return (double)(end - begin) / line->nr_keys;
}

/* The CPU time of the longest insert, which includes reading the clock once. */
static double stall_ms(const struct line *line)
{
	struct sdb *db = open_file();
	uint64_t before = bench_thread_ns(), longest = 0;

	for (unsigned int i = 0; i < line->nr_keys; i++) {
		uint64_t now;

		add(db, keys[i]);
		now = bench_thread_ns();
		if (now - before > longest)
			longest = now - before;
		before = now;
	}
	sdb_close(db);
	return (double)longest / 1e6;
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static double bytes_per_key(const struct line *line)
{
	struct sdb *db = open_file();
	unsigned int nr_distinct = 1;
	struct stat status;

	for (unsigned int i = 0; i < line->nr_keys; i++)
		add(db, keys[i]);
	if (sdb_sync(db) || stat(path, &status) < 0)
		bench_fail(path, errno);
	sdb_close(db);
	qsort(keys, line->nr_keys, sizeof(*keys), compare_keys);
	for (unsigned int i = 1; i < line->nr_keys; i++)
		nr_distinct += keys[i] != keys[i - 1];
	return (double)status.st_blocks * 512 / nr_distinct;
}

static double measure(const struct line *line)
{
	make_keys(line->keys, line->nr_keys);
	if (line->figure == FIGURE_INSERT_NS)
		return insert_ns(line);
	return line->figure == FIGURE_STALL_MS ? stall_ms(line) : bytes_per_key(line);
}

static const char *unit_of(enum figure figure)
{
	if (figure == FIGURE_INSERT_NS)
		return "ns";
	return figure == FIGURE_STALL_MS ? "ms" : "B";
}

static bool any_wanted(void)
{
	for (size_t i = 0; i < NR_LINES; i++) {
		if (bench_wanted(lines[i].name))
			return true;
	}
	return false;
}

/*
 * Measures all lines in turn, round by round, so that disturbances by other
 * programs affect all lines alike.
 */
static void run_lines(void)
{
	double best[NR_LINES] = {0}, plain[NR_LINES] = {0};

	for (unsigned int round = 0; round < 40; round++) {
		for (size_t i = 0; i < NR_LINES; i++) {
			double value;

			if (round >= lines[i].nr_rounds || !bench_wanted(lines[i].name))
				continue;
			value = measure(&lines[i]);
			if (!round || value < best[i])
				best[i] = value;
			if (lines[i].figure != FIGURE_INSERT_NS)
				continue;
			value = plain_ns(&lines[i]);
			if (!round || value < plain[i])
				plain[i] = value;
		}
	}
	for (size_t i = 0; i < NR_LINES; i++) {
		char floor_name[64];

		if (!bench_wanted(lines[i].name))
			continue;
		bench_print(lines[i].name, best[i], unit_of(lines[i].figure));
		if (lines[i].figure != FIGURE_INSERT_NS)
			continue;
		(void)snprintf(floor_name, sizeof(floor_name), "floor_%s", lines[i].name);
		bench_print(floor_name, plain[i], unit_of(lines[i].figure));
	}
}

int main(int argc, char **argv)
{
	const char *where = getenv("TMPDIR");

	bench_init(argc, argv);
	if (!any_wanted())
		return EXIT_SUCCESS;
	(void)snprintf(folder, sizeof(folder), "%s/bench_sdb.XXXXXX", where ? where : "/tmp");
	if (!mkdtemp(folder))
		bench_fail(folder, errno);
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	keys = malloc(NR_KEYS_MAX * sizeof(*keys));
	if (!keys)
		bench_fail("keys", errno);
	run_lines();
	free(keys);
	(void)unlink(path);
	(void)rmdir(folder);
	return EXIT_SUCCESS;
}
