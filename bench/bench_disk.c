// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Disk used by a session's history, simulated in a short time. A minute of a
 * real session is recorded (real_session.h), and the following hours and days
 * are drawn from this minute at random: a sample either repeats a previous one
 * or has a new place. In the recording, the number of places grows as a power
 * of the number of samples; the probability of a new place follows this law. In
 * the simulation the law holds for days, whereas the code of a real machine is
 * finite; therefore the figures are more likely too high than too low. Slices
 * are written and merged as the daemon does.
 */
#include "bench/bench.h"
#include "bench/real_session.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_SECONDS	   60
#define RECORD_HZ	   997
#define NR_CPUS		   2 /* CPUs of the simulated machine */
#define LEFT_ON_HZ	   99
#define MINUTE_SAMPLES(hz) (60u * NR_CPUS * (hz))
#define PLACES_MAX	   (1u << 20)
#define KNOWN_MAX	   (1u << 24) /* a power of two */
/*
 * A new place is less than this number of bytes after a known place. Each time the place drawn is
 * already known, the next one may be this much farther away.
 */
#define NEAR_BYTES   4096
#define MERGED_MAX   60
#define HOURS_KEPT   72 /* doc/slice.md: levels */
#define MINUTES_KEPT 240
#define DAYS	     30.0

struct place {
	uint32_t section;
	uint64_t key;
};

struct model {
	const struct slice_section *sections;
	size_t nr_sections;
	struct place *places; /* places of a uniform random selection of the samples so far */
	size_t nr_places;
	double nr_samples; /* so far */
	double nr_keys;	   /* number of keys at the end of the recording */
	double nr_recorded, exponent;
	size_t nr_known;
	uint64_t random;
};

static char folder[PATH_MAX / 2];
static struct slice *recorded;
static struct place places[PLACES_MAX];
static uint64_t known[KNOWN_MAX]; /* hashes of all places so far; 0: none */

/* ---- the recording ---- */

static double file_mib(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		bench_fail(path, errno);
	return (double)st.st_blocks * 512 / (1 << 20);
}

static double tree_bytes;

static int add_bytes(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)type;
	(void)ftw;
	tree_bytes += (double)st->st_blocks * 512;
	return 0;
}

static double tree_mib(const char *path)
{
	tree_bytes = 0;
	if (nftw(path, add_bytes, 16, FTW_PHYS))
		bench_fail(path, errno);
	return tree_bytes / (1 << 20);
}

static void write_slice(struct slice_builder *builder, const char *path)
{
	static uint64_t epoch;
	struct slice_info info = {.host = "bench", .cpu_type = "bench"};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t nr_bytes;
	int error = fd < 0 ? -errno : 0;

	info.epoch_first = info.epoch_last = ++epoch;
	if (!error)
		error = slice_builder_write(builder, &info, fd, &nr_bytes);
	if (error || close(fd))
		bench_fail(path, error);
}

static struct slice *open_slice(const char *path)
{
	struct slice *slice;
	struct diag diag;
	int error = slice_open(&slice, path, &diag);

	if (error)
		real_session_fail(&diag, error);
	return slice;
}

/*
 * Returns the expected number of keys in a random half of the samples: a key
 * with count N is present with probability 1 - 2^-N.
 */
static double keys_of_half(const struct sdb_entry *entries, uint64_t nr)
{
	double sum = 0;

	for (uint64_t i = 0; i < nr; i++)
		sum += 1 - exp2(-(double)entries[i].nr_samples);
	return sum;
}

/* Marks a place as known. Returns false if it was known before. */
static bool know(struct model *model, const struct place *place)
{
	uint64_t hash = place->key * UINT64_C(0x9e3779b97f4a7c15) ^ place->section;

	hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
	for (size_t i = hash >> 40 & (KNOWN_MAX - 1);; i = (i + 1) & (KNOWN_MAX - 1)) {
		if (known[i] == hash)
			return false;
		if (known[i])
			continue;
		if (++model->nr_known > KNOWN_MAX / 4 * 3)
			bench_fail("too many keys", -ENOMEM);
		known[i] = hash;
		return true;
	}
}

static void take_section(struct model *model, uint32_t number, double *half)
{
	uint64_t nr_keys = model->sections[number].nr_keys;
	struct sdb_entry *entries = malloc(nr_keys * sizeof(*entries));
	struct diag diag;
	int error = entries ? slice_read_section(recorded, entries, &diag) : -ENOMEM;

	if (error)
		real_session_fail(&diag, error);
	*half += keys_of_half(entries, nr_keys);
	for (uint64_t i = 0; i < nr_keys; i++)
		for (uint64_t k = 0; k < entries[i].nr_samples && model->nr_places < PLACES_MAX;
		     k++)
			model->places[model->nr_places++] = (struct place){number, entries[i].key};
	for (uint64_t i = 0; i < nr_keys; i++)
		(void)know(model, &(struct place){number, entries[i].key});
	model->nr_keys += (double)nr_keys;
	free(entries);
}

/* Initialises the model with the state at the end of the recording. */
static void model_init(struct model *model, const char *path)
{
	double half = 0;

	slice_close(recorded);
	recorded = open_slice(path);
	memset(known, 0, sizeof(known));
	*model = (struct model){.places = places, .random = 1};
	model->sections = slice_sections(recorded, &model->nr_sections);
	for (uint32_t i = 0; i < model->nr_sections; i++)
		take_section(model, i, &half);
	model->nr_samples = model->nr_recorded = (double)model->nr_places;
	model->exponent = fmin(1, log2(model->nr_keys / half));
}

/* ---- the simulated time ---- */

static double random_share(struct model *model)
{
	return (double)(bench_random(&model->random) >> 11) * 0x1p-53;
}

static struct place draw_new(struct model *model, const struct place *near)
{
	struct place place = *near;
	uint64_t nr_bytes = NEAR_BYTES;

	do {
		place.key = near->key + bench_random(&model->random) % nr_bytes;
		nr_bytes += NEAR_BYTES;
	} while (!know(model, &place));
	return place;
}

static struct place draw(struct model *model)
{
	double grown = pow(model->nr_samples / model->nr_recorded, model->exponent);
	double p_new = model->exponent * model->nr_keys * grown / model->nr_samples;
	struct place place = model->places[bench_random(&model->random) % model->nr_places];

	if (random_share(model) < p_new)
		place = draw_new(model, &place);
	model->nr_samples++;
	if (model->nr_places < PLACES_MAX)
		model->places[model->nr_places++] = place;
	else if (random_share(model) * model->nr_samples < PLACES_MAX)
		model->places[bench_random(&model->random) % PLACES_MAX] = place;
	return place;
}

/* Writes a slice of nr_samples samples. */
static void make_slice(struct model *model, uint64_t nr_samples, const char *path)
{
	int64_t *numbers = calloc(model->nr_sections, sizeof(*numbers));
	struct slice_builder *builder;

	if (!numbers || slice_builder_create(&builder))
		bench_fail("memory", -ENOMEM);
	for (size_t i = 0; i < model->nr_sections; i++)
		numbers[i] = slice_builder_section(builder, &model->sections[i]);
	for (uint64_t i = 0; i < nr_samples; i++) {
		struct place place = draw(model);

		if (slice_builder_add(builder, numbers[place.section], place.key, 1, 1))
			bench_fail("memory", -ENOMEM);
	}
	write_slice(builder, path);
	slice_builder_destroy(builder);
	free(numbers);
}

/*
 * Writes nr slices of nr_samples samples each, and returns their disk size. If
 * merged is not NULL, also merges them; *merged is the disk size of the merged
 * slice.
 */
static double make_slices(struct model *model, unsigned int nr, uint64_t nr_samples, double *merged)
{
	static char names[MERGED_MAX][PATH_MAX];
	const char *paths[MERGED_MAX];
	char into[PATH_MAX];
	double mib = 0;

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int at = merged ? i : 0;

		snprintf(names[at], sizeof(names[at]), "%s/slice.%u", folder, at);
		paths[at] = names[at];
		make_slice(model, nr_samples, names[at]);
		mib += file_mib(names[at]);
	}
	if (merged) {
		struct slice *merged_slice;
		struct diag diag;
		uint64_t nr_bytes;
		int fd, error;

		snprintf(into, sizeof(into), "%s/merged", folder);
		fd = open(into, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		error = fd < 0 ? -errno
			       : slice_merge(paths, nr, OPROF_SLICE_HOUR, fd, &nr_bytes, &diag);
		if (error || close(fd))
			real_session_fail(&diag, error);
		*merged = file_mib(into);
		merged_slice = open_slice(into);
		printf("# %u slices of %.2f MB become one of %.2f MB, %llu keys\n", nr, mib,
		       *merged, (unsigned long long)slice_header(merged_slice)->nr_keys);
		slice_close(merged_slice);
	}
	return mib;
}

static void bench_hour(const char *path)
{
	struct model model;
	double minutes, hour;

	if (!bench_wanted("disk_per_hour_flat"))
		return;
	model_init(&model, path);
	printf("# recorded: %.0f samples, %.0f keys in %zu sections; keys grow as samples^%.2f\n",
	       model.nr_recorded, model.nr_keys, model.nr_sections, model.exponent);
	minutes = make_slices(&model, 60, MINUTE_SAMPLES(RECORD_HZ), &hour);
	bench_print("disk_per_hour_flat", minutes, "MB");
	bench_print("disk_per_hour_flat_merged", hour, "MB");
}

/*
 * Computes the disk used after 30 days by the slices of each level (minutes,
 * hours and days). One day is simulated, and its size is used for all days.
 */
static void bench_days(const char *path, double rest_mib)
{
	const double nr_days = DAYS - (HOURS_KEPT * 60.0 + MINUTES_KEPT) / (24 * 60);
	struct model model;
	double day, hours, minutes;

	if (!bench_wanted("disk_30_days"))
		return;
	model_init(&model, path);
	(void)make_slices(&model, 24, 60 * MINUTE_SAMPLES(LEFT_ON_HZ), &day);
	hours = make_slices(&model, HOURS_KEPT, 60 * MINUTE_SAMPLES(LEFT_ON_HZ), NULL);
	minutes = make_slices(&model, MINUTES_KEPT, MINUTE_SAMPLES(LEFT_ON_HZ), NULL);
	printf("# %d Hz on %d CPUs: %.1f days of %.2f MB, %d hours %.1f MB, %d minutes %.1f MB, "
	       "live files and symbols %.1f MB\n",
	       LEFT_ON_HZ, NR_CPUS, nr_days, day, HOURS_KEPT, hours, MINUTES_KEPT, minutes,
	       rest_mib);
	bench_print("disk_30_days", nr_days * day + hours + minutes + rest_mib, "MB");
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");
	char path[PATH_MAX], session[PATH_MAX];
	struct slice_builder *builder;

	bench_init(argc, argv);
	if (!bench_wanted("disk_per_hour_flat") && !bench_wanted("disk_30_days"))
		return EXIT_SUCCESS;
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	real_session_record(folder, RECORD_SECONDS, RECORD_HZ);
	builder = real_session_load(folder);
	snprintf(path, sizeof(path), "%s/recorded", folder);
	write_slice(builder, path);
	slice_builder_destroy(builder);
	snprintf(session, sizeof(session), "%s/session/samples/current", folder);
	bench_hour(path);
	bench_days(path, tree_mib(session));
	slice_close(recorded);
	return EXIT_SUCCESS;
}
