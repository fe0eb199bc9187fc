// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/stress/round.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A round that has not reached its goals by then is given up and fails. */
#define SECONDS_MAX 120.0

struct reader {
	struct stress_checker checker;
	struct ring_reader reader;
	struct stress_folder *folder;
	uint64_t random;
	uint64_t nr_packets; /* atomic: packets overwritten so far */
	pthread_t thread;
	int error;
};

struct round {
	const struct stress_options *options;
	struct stress_writer *writers;
	struct reader *readers;
	pthread_t flusher, storm;
	uint64_t nr_flushed; /* by the flusher */
	uint32_t storm_stop; /* atomic, as all members below */
	uint32_t finalise_live;
	uint32_t writers_ended;
};

static double seconds_now(void)
{
	return (double)ring_clock_monotonic() / 1e9;
}

static void sleep_us(uint64_t us)
{
	const struct timespec time = {.tv_nsec = (long)us * 1000};

	(void)nanosleep(&time, NULL);
}

/* ---- the reader ---- */

/* No writer may write to a packet that is held: it must be the same now and later. */
static void look_twice(struct reader *reader, const struct ring_packet *packet)
{
	stress_check_look(&reader->checker, packet);
	sleep_us(200);
	stress_check_look(&reader->checker, packet);
}

static void take_snapshot(struct reader *reader)
{
	struct stress_sums *sums = &reader->checker.sums;
	ring_word from, to, position;
	struct ring_packet packet;
	int error;

	sums->nr_snapshots++;
	ring_snapshot_range(&reader->reader, &from, &to);
	for (position = from; position != to;
	     position += reader->checker.writer->config.sub_buffer_bytes) {
		error = ring_get(&reader->reader, position, &packet);
		/*
		 * In overwrite mode a consumed packet is gone; packets before the ring's beginning
		 * never existed.
		 */
		if (error == -EAGAIN || error == -ESTALE ||
		    (error == -ENODATA && (int64_t)(position - reader->reader.consumed) < 0)) {
			sums->nr_snapshot_gone++;
			continue;
		}
		if (error) {
			stress_unexplained(&reader->checker, "ring_get in a snapshot: %d", error);
			continue;
		}
		if (stress_random(&reader->random) & 63)
			stress_check_look(&reader->checker, &packet);
		else
			look_twice(reader, &packet);
		ring_put_keep(&reader->reader, &packet);
	}
}

static void take_packet(struct reader *reader, struct ring_packet *packet)
{
	struct stress_writer *writer = reader->checker.writer;

	if (!(stress_random(&reader->random) & 255))
		look_twice(reader, packet);
	stress_check_next(&reader->checker, packet);
	__atomic_store_n(&reader->nr_packets, reader->checker.sums.nr_overwritten_packets,
			 __ATOMIC_RELAXED);
	if (reader->folder && !reader->error)
		reader->error = stress_folder_append(reader->folder, writer->index, packet->data,
						     writer->config.sub_buffer_bytes);
	ring_put(&reader->reader, packet);
	/* Lets writers fill the ring, or lap the reader. */
	if (!(stress_random(&reader->random) & 63))
		sleep_us(2000);
}

static void *run_reader(void *argument)
{
	struct reader *reader = argument;
	struct ring_packet packet;
	int error;

	stress_steps_begin(reader->random);
	for (;;) {
		error = ring_next(&reader->reader, &packet);
		if (!error)
			take_packet(reader, &packet);
		else if (error != -EAGAIN)
			break;
		else if (stress_random(&reader->random) & 3)
			(void)sched_yield();
		else
			sleep_us(20);
		if (!(stress_random(&reader->random) & 31))
			take_snapshot(reader);
	}
	if (error != -ENODATA)
		stress_unexplained(&reader->checker, "ring_next: %d", error);
	return NULL;
}

/* ---- the flusher, and finaliser ---- */

static void flush(struct round *round, struct stress_writer *writer, struct ring *view)
{
	if (__atomic_load_n(&writer->no_flush, __ATOMIC_SEQ_CST))
		return;
	__atomic_fetch_add(&writer->nr_flushes, 1, __ATOMIC_SEQ_CST);
	round->nr_flushed += !ring_flush(view);
	__atomic_fetch_add(&writer->nr_flushes_done, 1, __ATOMIC_SEQ_CST);
}

static int finalise_one(struct stress_writer *writer, struct ring *view)
{
	unsigned int reason;

	for (reason = 0; reason < OPROF_NR_LOST; reason++)
		writer->lost_before[reason] = ring_lost(view, (enum oprof_ring_lost)reason);
	return ring_finalise(view);
}

/* Finalises either all rings that end while their writers run, or all others. */
static void finalise(struct round *round, struct ring *views, bool live)
{
	uint32_t i;

	for (i = 0; i < round->options->nr_writers; i++) {
		struct stress_writer *writer = &round->writers[i];
		int error;

		if (writer->finalised_live != live)
			continue;
		__atomic_fetch_add(&writer->nr_flushes, 1, __ATOMIC_SEQ_CST);
		while ((error = finalise_one(writer, &views[i])) == -EAGAIN)
			(void)sched_yield(); /* the reader makes room */
		__atomic_fetch_add(&writer->nr_flushes_done, 1, __ATOMIC_SEQ_CST);
		if (error || ring_finalise(&views[i]) != -EALREADY)
			(void)fprintf(stderr, "ring %u: ring_finalise: %d\n", i, error);
	}
}

static void *run_flusher(void *argument)
{
	struct round *round = argument;
	struct ring views[STRESS_NR_WRITERS_MAX];
	uint64_t random = round->options->seed + 77;
	uint32_t i;

	for (i = 0; i < round->options->nr_writers; i++) {
		struct stress_writer *writer = &round->writers[i];

		if (ring_attach(&views[i], &writer->config, i, writer->memory))
			abort(); /* impossible: ring_init() made it */
	}
	stress_steps_begin(random);
	while (!__atomic_load_n(&round->finalise_live, __ATOMIC_ACQUIRE)) {
		for (i = 0; i < round->options->nr_writers; i++)
			flush(round, &round->writers[i], &views[i]);
		if (stress_random(&random) & 3)
			sleep_us(stress_random(&random) % 500);
	}
	finalise(round, views, true);
	while (!__atomic_load_n(&round->writers_ended, __ATOMIC_ACQUIRE))
		sleep_us(100);
	finalise(round, views, false);
	return NULL;
}

static void *run_storm(void *argument)
{
	struct round *round = argument;
	uint32_t nr_sent, nr_idle = 0, i;

	while (!__atomic_load_n(&round->storm_stop, __ATOMIC_ACQUIRE)) {
		nr_sent = 0;
		for (i = 0; i < round->options->nr_writers; i++)
			nr_sent += stress_storm(&round->writers[i]);
		nr_idle = nr_sent ? 0 : nr_idle + 1;
		if (nr_idle > 8)
			sleep_us(50);
		else if (nr_idle)
			(void)sched_yield();
	}
	return NULL;
}

/* ---- begin and end ---- */

static int init_writer(struct stress_writer *writer, const struct stress_options *options,
		       uint32_t index)
{
	int error;

	*writer = (struct stress_writer){.config = options->config,
					 .index = index,
					 .nr_levels = options->nr_levels,
					 .finalised_live = (index + options->seed) & 1};
	error = ring_memory_bytes(&writer->config, &writer->memory_bytes);
	if (error)
		return error;
	writer->memory = mmap(NULL, writer->memory_bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	writer->nr_records_of_packets =
		mmap(NULL, STRESS_NR_PACKETS_MAX * sizeof(uint16_t), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (writer->memory == MAP_FAILED || (void *)writer->nr_records_of_packets == MAP_FAILED)
		return -ENOMEM;
	return ring_init(&writer->ring, &writer->config, index, writer->memory);
}

static void deinit_writer(struct stress_writer *writer)
{
	(void)munmap(writer->memory, writer->memory_bytes);
	(void)munmap(writer->nr_records_of_packets, STRESS_NR_PACKETS_MAX * sizeof(uint16_t));
}

static int init_reader(struct reader *reader, struct stress_writer *writer,
		       const struct stress_options *options)
{
	*reader = (struct reader){
		.checker.writer = writer,
		.folder = options->folder,
		.random = options->seed * 1000003 + writer->index + 1,
	};
	return ring_reader_init(&reader->reader, &writer->ring);
}

static int start(struct round *round)
{
	uint32_t i;
	int error = stress_signals_init(round->options->nr_levels);

	for (i = 0; !error && i < round->options->nr_writers; i++)
		error = init_writer(&round->writers[i], round->options, i);
	for (i = 0; !error && i < round->options->nr_writers; i++)
		error = init_reader(&round->readers[i], &round->writers[i], round->options);
	for (i = 0; !error && i < round->options->nr_writers; i++)
		error = stress_writer_start(&round->writers[i], round->options->seed);
	for (i = 0; !error && i < round->options->nr_writers; i++)
		error = -pthread_create(&round->readers[i].thread, NULL, run_reader,
					&round->readers[i]);
	if (!error)
		error = -pthread_create(&round->flusher, NULL, run_flusher, round);
	if (!error)
		error = -pthread_create(&round->storm, NULL, run_storm, round);
	return error;
}

/* Ends the writers; a writer whose ring is finalised live ends because of that. */
static void stop(struct round *round)
{
	uint32_t i;

	for (i = 0; i < round->options->nr_writers; i++)
		__atomic_store_n(&round->writers[i].stop, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&round->finalise_live, 1, __ATOMIC_RELEASE);
	for (i = 0; i < round->options->nr_writers; i++) {
		while (!__atomic_load_n(&round->writers[i].is_done, __ATOMIC_ACQUIRE))
			sleep_us(100);
	}
	__atomic_store_n(&round->storm_stop, 1, __ATOMIC_RELEASE);
	(void)pthread_join(round->storm, NULL);
	for (i = 0; i < round->options->nr_writers; i++) {
		__atomic_store_n(&round->writers[i].storm_is_over, 1, __ATOMIC_RELEASE);
		(void)pthread_join(round->writers[i].thread, NULL);
	}
	__atomic_store_n(&round->writers_ended, 1, __ATOMIC_RELEASE);
	(void)pthread_join(round->flusher, NULL);
	for (i = 0; i < round->options->nr_writers; i++)
		(void)pthread_join(round->readers[i].thread, NULL);
}

/* ---- progress ---- */

static bool has_reached(const struct stress_options *options, const struct stress_writer *writer,
			const struct reader *reader)
{
	uint32_t deep = options->nr_levels < 3 ? options->nr_levels : 3;

	if (stress_nr_packets(writer) / options->config.nr_sub_buffers < options->nr_laps ||
	    __atomic_load_n(&writer->deepest, __ATOMIC_RELAXED) < deep ||
	    !__atomic_load_n(&writer->has_gap, __ATOMIC_RELAXED) ||
	    !ring_lost(&writer->ring, OPROF_LOST_TOO_BIG))
		return false;
	if (options->config.mode == RING_DISCARD)
		return ring_lost(&writer->ring, OPROF_LOST_FULL);
	return __atomic_load_n(&reader->nr_packets, __ATOMIC_RELAXED);
}

/*
 * Waits until all rings have reached their goals and the time is over, or the packet counters of
 * a ring are nearly used up. Returns false if the round is given up.
 */
static bool wait_until_reached(const struct round *round)
{
	const double begin = seconds_now();
	double passed = 0;
	bool reached = false, is_full = false;
	uint32_t i;

	while (!reached || (!is_full && passed < round->options->seconds)) {
		sleep_us(5000);
		passed = seconds_now() - begin;
		reached = true;
		for (i = 0; i < round->options->nr_writers; i++) {
			reached = reached && has_reached(round->options, &round->writers[i],
							 &round->readers[i]);
			is_full = is_full || stress_nr_packets(&round->writers[i]) >
						     STRESS_NR_PACKETS_MAX / 4 * 3;
		}
		if (!reached && passed > SECONDS_MAX)
			return false;
	}
	return true;
}

/* ---- sums ---- */

static uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_sums(struct stress_sums *to, const struct stress_sums *from)
{
	to->nr_packets += from->nr_packets;
	to->nr_records += from->nr_records;
	to->nr_padding += from->nr_padding;
	to->nr_extended += from->nr_extended;
	to->nr_gap_headers += from->nr_gap_headers;
	to->nr_overwritten_packets += from->nr_overwritten_packets;
	to->nr_overwritten_records += from->nr_overwritten_records;
	to->lost_since_first += from->lost_since_first;
	to->nr_missing_since_first += from->nr_missing_since_first;
	to->nr_snapshots += from->nr_snapshots;
	to->nr_snapshot_packets += from->nr_snapshot_packets;
	to->nr_snapshot_gone += from->nr_snapshot_gone;
	to->torn += from->torn;
	to->unexplained += from->unexplained;
}

static void add_level(struct stress_totals *totals, const struct stress_level *level)
{
	unsigned int i;

	totals->nr_written += level->nr_committed;
	totals->nr_cancelled += level->nr_cancelled;
	totals->nr_nested_commits += level->nr_nested_commits;
	totals->nr_interrupts += level->nr_handled;
	totals->retries += level->retries;
	totals->retries_max = max_of(totals->retries_max, level->retries_max);
	totals->deepest = (uint32_t)max_of(totals->deepest, level->deepest);
	for (i = 0; i < OPROF_NR_LOST; i++)
		totals->lost_by[i] += level->refused[i];
}

static int add_ring(struct stress_totals *totals, const struct stress_writer *writer,
		    struct reader *reader)
{
	uint64_t laps = stress_nr_packets(writer) / writer->config.nr_sub_buffers;
	uint32_t i;

	stress_check_sums(&reader->checker, &reader->reader);
	add_sums(&totals->sums, &reader->checker.sums);
	for (i = 0; i < writer->nr_levels; i++)
		add_level(totals, &writer->levels[i]);
	if (!totals->laps_min || laps < totals->laps_min)
		totals->laps_min = laps;
	return reader->error;
}

void stress_totals_add(struct stress_totals *to, const struct stress_totals *from)
{
	unsigned int i;

	add_sums(&to->sums, &from->sums);
	to->nr_written += from->nr_written;
	to->nr_cancelled += from->nr_cancelled;
	to->nr_nested_commits += from->nr_nested_commits;
	to->retries += from->retries;
	to->retries_max = max_of(to->retries_max, from->retries_max);
	to->nr_flushed += from->nr_flushed;
	to->nr_interrupts += from->nr_interrupts;
	if (!to->laps_min || from->laps_min < to->laps_min)
		to->laps_min = from->laps_min;
	to->deepest = (uint32_t)max_of(to->deepest, from->deepest);
	to->nr_not_reached += from->nr_not_reached;
	for (i = 0; i < OPROF_NR_LOST; i++)
		to->lost_by[i] += from->lost_by[i];
}

/* After an error while threads run, the caller can only exit. */
static int run_round(struct round *round, struct stress_totals *totals)
{
	uint32_t i;
	int error = start(round);

	if (error)
		return error;
	if (!wait_until_reached(round))
		totals->nr_not_reached++;
	stop(round);
	totals->nr_flushed += round->nr_flushed;
	for (i = 0; i < round->options->nr_writers; i++) {
		int ring_error = add_ring(totals, &round->writers[i], &round->readers[i]);

		error = error ? error : ring_error;
		deinit_writer(&round->writers[i]);
	}
	return error;
}

int stress_round(const struct stress_options *options, struct stress_totals *totals)
{
	struct round round = {.options = options};
	int error = -ENOMEM;

	round.writers = calloc(options->nr_writers, sizeof(*round.writers));
	round.readers = calloc(options->nr_writers, sizeof(*round.readers));
	if (round.writers && round.readers)
		error = run_round(&round, totals);
	free(round.writers);
	free(round.readers);
	return error;
}
