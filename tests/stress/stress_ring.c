// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stress test of the ring: threads with nested signal handlers, small rings,
 * and concurrent readers, a flusher and snapshots. The sums must agree exactly.
 *
 *   stress_ring [--seconds S] [--mode discard|overwrite|both] [--seed N]
 *	[--sub-buffer BYTES --nr-sub-buffers N] [--writers N] [--depth N]
 *	[--laps N] [--folder DIR] [-v]
 *
 * Prints a line for each mode. The exit status is 1 if anything is torn,
 * unexplained, or not reached. With --folder, DIR/MODE is a CTF trace of the
 * packets that were read.
 */
#include "tests/stress/round.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct {
	uint32_t sub_buffer_bytes, nr_sub_buffers;
} sizes[] = {{256, 2}, {256, 8}, {512, 4}, {1024, 2}, {4096, 8}, {65536, 4}};

#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))

struct settings {
	double seconds;
	bool modes[2]; /* indexed by enum ring_mode */
	uint32_t sub_buffer_bytes, nr_sub_buffers;
	uint32_t nr_writers, depth, laps;
	uint64_t seed;
	const char *folder;
	bool verbose;
};

static const struct option long_options[] = {
	{"seconds", required_argument, NULL, 's'},
	{"mode", required_argument, NULL, 'm'},
	{"sub-buffer", required_argument, NULL, 'b'},
	{"nr-sub-buffers", required_argument, NULL, 'n'},
	{"writers", required_argument, NULL, 'w'},
	{"depth", required_argument, NULL, 'd'},
	{"laps", required_argument, NULL, 'l'},
	{"seed", required_argument, NULL, 'r'},
	{"folder", required_argument, NULL, 'f'},
	{NULL, 0, NULL, 0},
};

static const char *mode_name(enum ring_mode mode)
{
	return mode == RING_DISCARD ? "discard" : "overwrite";
}

/* ---- options ---- */

static bool take_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *number >= min && *number <= max;
}

static bool take_small(const char *text, uint32_t min, uint32_t max, uint32_t *number)
{
	uint64_t taken;

	if (!take_number(text, min, max, &taken))
		return false;
	*number = (uint32_t)taken;
	return true;
}

static bool take_mode(const char *text, struct settings *settings)
{
	bool both = !strcmp(text, "both");

	settings->modes[RING_DISCARD] = both || !strcmp(text, mode_name(RING_DISCARD));
	settings->modes[RING_OVERWRITE] = both || !strcmp(text, mode_name(RING_OVERWRITE));
	return settings->modes[RING_DISCARD] || settings->modes[RING_OVERWRITE];
}

static bool take_option(int option, struct settings *settings)
{
	uint32_t seconds = 0;

	switch (option) {
	case 's':
		if (!take_small(optarg, 0, 1000000, &seconds))
			return false;
		settings->seconds = seconds;
		return true;
	case 'm':
		return take_mode(optarg, settings);
	case 'b':
		return take_small(optarg, RING_SUB_BUFFER_MIN, 1u << 16,
				  &settings->sub_buffer_bytes);
	case 'n':
		return take_small(optarg, 2, RING_NR_SUB_BUFFERS_MAX, &settings->nr_sub_buffers);
	case 'w':
		return take_small(optarg, 1, STRESS_NR_WRITERS_MAX, &settings->nr_writers);
	case 'd':
		return take_small(optarg, 1, STRESS_NR_LEVELS_MAX, &settings->depth);
	case 'l':
		return take_small(optarg, 1, 1000000, &settings->laps);
	case 'r':
		return take_number(optarg, 0, UINT64_MAX, &settings->seed);
	case 'f':
		settings->folder = optarg;
		return true;
	case 'v':
		settings->verbose = true;
		return true;
	default:
		return false;
	}
}

/* ---- rounds ---- */

static uint64_t clock_hz(enum ring_clock clock)
{
	const struct timespec time = {.tv_nsec = 50000000};
	uint64_t begin = ring_clock(clock), begin_ns = ring_clock_monotonic();

	(void)nanosleep(&time, NULL);
	return (uint64_t)((double)(ring_clock(clock) - begin) * 1e9 /
			  (double)(ring_clock_monotonic() - begin_ns));
}

static void show(const char *name, const struct stress_totals *totals)
{
	const struct stress_sums *sums = &totals->sums;

	(void)printf("%s: written %" PRIu64 ", read %" PRIu64 " in %" PRIu64
		     " packets, lost full %" PRIu64 " nested %" PRIu64 " too_big %" PRIu64
		     " stopped %" PRIu64 ", overwritten %" PRIu64 " in %" PRIu64
		     " packets, laps >= %" PRIu64 ", deepest nesting %u, nested commits %" PRIu64
		     ", interrupts %" PRIu64 ", retries %" PRIu64 " (of one at most %" PRIu64
		     "), cancelled %" PRIu64 ", extended %" PRIu64 " (by time %" PRIu64
		     "), packets flushed %" PRIu64 ", snapshots %" PRIu64 " (packets %" PRIu64
		     ", gone %" PRIu64 "), torn=%" PRIu64 " unexplained=%" PRIu64 "%s\n",
		     name, totals->nr_written, sums->nr_records, sums->nr_packets,
		     totals->lost_by[OPROF_LOST_FULL], totals->lost_by[OPROF_LOST_NESTED],
		     totals->lost_by[OPROF_LOST_TOO_BIG], totals->lost_by[OPROF_LOST_STOPPED],
		     sums->nr_overwritten_records, sums->nr_overwritten_packets, totals->laps_min,
		     totals->deepest, totals->nr_nested_commits, totals->nr_interrupts,
		     totals->retries, totals->retries_max, totals->nr_cancelled, sums->nr_extended,
		     sums->nr_gap_headers, totals->nr_flushed, sums->nr_snapshots,
		     sums->nr_snapshot_packets, sums->nr_snapshot_gone, sums->torn,
		     sums->unexplained, totals->nr_not_reached ? ", NOT REACHED" : "");
	(void)fflush(stdout);
}

/* Prints the sums that another reader of the folder must find. */
static void show_folder(const char *mode, const struct stress_sums *sums)
{
	(void)printf("folder %s: records %" PRIu64 " padding %" PRIu64 " lost %" PRIu64
		     " missing_packets %" PRIu64 "\n",
		     mode, sums->nr_records, sums->nr_padding, sums->lost_since_first,
		     sums->nr_missing_since_first);
}

static bool is_good(const struct stress_totals *totals)
{
	return !totals->sums.torn && !totals->sums.unexplained && !totals->nr_not_reached;
}

static int open_folder(const struct settings *settings, struct stress_options *options)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", settings->folder,
			     mode_name(options->config.mode)) >= sizeof(path))
		return -ENAMETOOLONG;
	(void)mkdir(settings->folder, 0777); /* the next step reports an error */
	return stress_folder_open(&options->folder, path, options->config.uuid,
				  options->config.stream_id, settings->nr_writers,
				  clock_hz(options->config.clock));
}

/* A folder holds one trace, of one round. */
static int run_round(const struct settings *settings, struct stress_options *options,
		     struct stress_totals *totals)
{
	struct stress_totals of_round = {0};
	char name[64];
	int error = settings->folder ? open_folder(settings, options) : 0;

	if (error)
		return error;
	(void)snprintf(name, sizeof(name), "  %s %u x %u, seed %" PRIu64,
		       mode_name(options->config.mode), options->config.nr_sub_buffers,
		       options->config.sub_buffer_bytes, options->seed);
	error = stress_round(options, &of_round);
	if (options->folder) {
		int closed = stress_folder_close(options->folder);

		show_folder(mode_name(options->config.mode), &of_round.sums);
		error = error ? error : closed;
	}
	if (settings->verbose)
		show(name, &of_round);
	stress_totals_add(totals, &of_round);
	return error;
}

static int run_mode(const struct settings *settings, enum ring_mode mode)
{
	const uint32_t nr_rounds = settings->sub_buffer_bytes ? 1 : NR_SIZES;
	const uint32_t nr_modes = settings->modes[0] + settings->modes[1];
	struct stress_totals totals = {0};
	uint32_t i;
	int error;

	for (i = 0; i < nr_rounds; i++) {
		struct stress_options options = {
			.config = {.mode = mode,
				   .clock = (i + settings->seed) & 1 ? RING_CLOCK_COUNTER
								     : RING_CLOCK_MONOTONIC,
				   .sub_buffer_bytes = sizes[i].sub_buffer_bytes,
				   .nr_sub_buffers = sizes[i].nr_sub_buffers,
				   .stream_id = 7,
				   .uuid = "stress of a ring"},
			.nr_writers = settings->nr_writers,
			.nr_levels = settings->depth,
			.nr_laps = settings->laps,
			.seed = settings->seed + i,
			.seconds = settings->seconds / nr_modes / nr_rounds,
		};

		if (settings->sub_buffer_bytes) {
			options.config.sub_buffer_bytes = settings->sub_buffer_bytes;
			options.config.nr_sub_buffers = settings->nr_sub_buffers;
		}
		error = run_round(settings, &options, &totals);
		if (error) {
			(void)fprintf(stderr, "stress_ring: %s\n", strerror(-error));
			return error;
		}
	}
	show(mode_name(mode), &totals);
	return is_good(&totals) ? 0 : -EPROTO;
}

int main(int argc, char **argv)
{
	struct settings settings = {.modes = {true, true},
				    .nr_sub_buffers = 4,
				    .nr_writers = 2,
				    .depth = 4,
				    .laps = 100,
				    .seed = 1};
	int option, mode, error = 0;

	while ((option = getopt_long(argc, argv, "v", long_options, NULL)) != -1) {
		if (!take_option(option, &settings)) {
			(void)fprintf(stderr, "stress_ring: see the head of stress_ring.c\n");
			return 2;
		}
	}
	if (settings.folder && !settings.sub_buffer_bytes)
		settings.sub_buffer_bytes = 4096;
	for (mode = RING_DISCARD; mode <= RING_OVERWRITE; mode++) {
		if (settings.modes[mode])
			error |= run_mode(&settings, (enum ring_mode)mode);
	}
	return error ? 1 : 0;
}
