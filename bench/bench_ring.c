// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ring: the time to write a record with 16 bytes of payload, the time of each step, and the
 * time of rarer paths. If LTTng-UST is installed, also LTTng's time for the same record.
 *
 * Rings have 4 sub-buffers of 64 KiB, as in the peer. ring_reserve_commit uses discard mode and the
 * time-stamp counter. The ring is emptied between rounds, outside the measured time. Each step is
 * measured in a separate loop. When a record is written the steps overlap, so that the sum of their
 * times is more than the time of a record.
 */
#include "bench/bench.h"
#include "bench/lttng.h"
#include "bench/ring_still.h"

#include "ring/ring_write.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EVENT_ID	 5u
#define NR_RECORDS	 8000u /* records per round; a ring has room for more than 9,000 */
#define NR_ROUNDS	 1000u
#define NR_PAUSES	 20u
#define SUB_BUFFER_BYTES 65536u
#define NR_SUB_BUFFERS	 4u

struct payload {
	uint64_t words[2];
};

static uint8_t plain_memory[SUB_BUFFER_BYTES * NR_SUB_BUFFERS];
static struct ring counter_ring, monotonic_ring, overwrite_ring, boundary_ring, full_ring;
static struct ring_reader counter_reader, monotonic_reader, boundary_reader;

/* ---- rings ---- */

static void make_ring(struct ring *ring, struct ring_reader *reader, enum ring_mode mode,
		      enum ring_clock clock, uint32_t sub_buffer_bytes, uint32_t nr_sub_buffers)
{
	const struct ring_config config = {.mode = mode,
					   .clock = clock,
					   .sub_buffer_bytes = sub_buffer_bytes,
					   .nr_sub_buffers = nr_sub_buffers};
	size_t bytes;
	void *memory;
	int error = ring_memory_bytes(&config, &bytes);

	if (error)
		bench_fail("ring", error);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		bench_fail("ring", errno);
	error = ring_init(ring, &config, 0, memory);
	if (!error && reader)
		error = ring_reader_init(reader, ring);
	if (error)
		bench_fail("ring", error);
}

static void make_rings(void)
{
	make_ring(&counter_ring, &counter_reader, RING_DISCARD, RING_CLOCK_COUNTER,
		  SUB_BUFFER_BYTES, NR_SUB_BUFFERS);
	make_ring(&monotonic_ring, &monotonic_reader, RING_DISCARD, RING_CLOCK_MONOTONIC,
		  SUB_BUFFER_BYTES, NR_SUB_BUFFERS);
	make_ring(&overwrite_ring, NULL, RING_OVERWRITE, RING_CLOCK_COUNTER, SUB_BUFFER_BYTES,
		  NR_SUB_BUFFERS);
	/*
	 * A sub-buffer has room for one record, so that each record closes one
	 * packet and opens the next.
	 */
	make_ring(&boundary_ring, &boundary_reader, RING_DISCARD, RING_CLOCK_COUNTER,
		  RING_SUB_BUFFER_MIN, RING_NR_SUB_BUFFERS_MAX / 2);
	make_ring(&full_ring, NULL, RING_DISCARD, RING_CLOCK_COUNTER, SUB_BUFFER_BYTES,
		  NR_SUB_BUFFERS);
}

/* Reads all packets. Ends the benchmark if records were lost. */
static void empty_ring(struct ring *ring, struct ring_reader *reader)
{
	struct ring_packet packet;
	int error;

	(void)ring_flush(ring); /* -EAGAIN: no packet is open */
	while (!(error = ring_next(reader, &packet)))
		ring_put(reader, &packet);
	if (error != -EAGAIN)
		bench_fail("reading the ring", error);
	if (ring_lost_sum(ring))
		bench_fail("records were lost", ENOSPC);
}

/* ---- the measured code ---- */

static inline int write_record(struct ring *ring, uint64_t number)
{
	const struct payload payload = {{number, ~number}};
	struct ring_slot slot;
	int error = ring_reserve(ring, EVENT_ID, sizeof(payload), 4, &slot);

	if (error)
		return error;
	memcpy(slot.payload, &payload, sizeof(payload));
	ring_commit(ring, &slot);
	return 0;
}

/* Not inlined, because valgrind counts the instructions of this function. */
__attribute__((noinline)) static void write_records(struct ring *ring, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		(void)write_record(ring, i);
}

static double ns_per_record(uint64_t begin)
{
	return (double)(bench_thread_ns() - begin) / NR_RECORDS;
}

static double record_ns(void)
{
	uint64_t begin = bench_thread_ns();
	double ns;

	write_records(&counter_ring, NR_RECORDS);
	ns = ns_per_record(begin);
	empty_ring(&counter_ring, &counter_reader);
	return ns;
}

static double monotonic_ns(void)
{
	uint64_t begin = bench_thread_ns();
	double ns;

	write_records(&monotonic_ring, NR_RECORDS);
	ns = ns_per_record(begin);
	empty_ring(&monotonic_ring, &monotonic_reader);
	return ns;
}

static double overwrite_ns(void)
{
	uint64_t begin = bench_thread_ns();

	write_records(&overwrite_ring, NR_RECORDS);
	return ns_per_record(begin);
}

/* Returns the time of reserve and commit, without reading a clock or writing a payload. */
static double still_ns(void)
{
	uint64_t begin = bench_thread_ns();
	double ns;

	ring_still_records(&counter_ring, NR_RECORDS);
	ns = ns_per_record(begin);
	empty_ring(&counter_ring, &counter_reader);
	return ns;
}

/* Writes the payload to consecutive slots, as in a ring. */
static double copy_ns(void)
{
	uint64_t begin = bench_thread_ns();
	size_t at = 0;

	for (unsigned int i = 0; i < NR_RECORDS; i++) {
		const struct payload payload = {{i, ~(uint64_t)i}};

		memcpy(plain_memory + at, &payload, sizeof(payload));
		at += OPROF_RECORD_COMPACT_BYTES + sizeof(payload);
		__asm__ volatile("" ::: "memory");
	}
	return ns_per_record(begin);
}

static double clock_ns(void)
{
	uint64_t begin = bench_thread_ns();

	for (unsigned int i = 0; i < NR_RECORDS; i++) {
		uint64_t now = ring_clock(RING_CLOCK_COUNTER);

		__asm__ volatile("" ::"r"(now));
	}
	return ns_per_record(begin);
}

/* Commits 0 bytes of the same slot repeatedly, so that the packet never fills. */
static double commit_ns(void)
{
	struct ring_slot slot, same;
	uint64_t begin;
	double ns;

	if (ring_reserve(&counter_ring, EVENT_ID, sizeof(struct payload), 4, &slot))
		bench_fail("reserve", ENOSPC);
	same = slot;
	same.commit_bytes = 0;
	begin = bench_thread_ns();
	for (unsigned int i = 0; i < NR_RECORDS; i++) {
		__asm__ volatile("" : "+m"(same));
		ring_commit(&counter_ring, &same);
	}
	ns = ns_per_record(begin);
	ring_commit(&counter_ring, &slot);
	empty_ring(&counter_ring, &counter_reader);
	return ns;
}

static double boundary_ns(void)
{
	uint8_t payload[RING_SUB_BUFFER_MIN - sizeof(struct oprof_packet_header) - 8] = {1};
	uint64_t begin = bench_thread_ns();
	double ns;

	for (unsigned int i = 0; i < NR_RECORDS; i++) {
		struct ring_slot slot;

		if (!ring_reserve(&boundary_ring, EVENT_ID, sizeof(payload), 4, &slot)) {
			memcpy(slot.payload, payload, sizeof(struct payload));
			ring_commit(&boundary_ring, &slot);
		}
	}
	ns = ns_per_record(begin);
	empty_ring(&boundary_ring, &boundary_reader);
	return ns;
}

/* The ring is not read, so that after the first lap each record is refused. */
static double full_ns(void)
{
	uint64_t lost = ring_lost(&full_ring, OPROF_LOST_FULL), begin;
	double ns;

	if (!lost) {
		while (!write_record(&full_ring, 0))
			;
		lost = ring_lost(&full_ring, OPROF_LOST_FULL);
	}
	begin = bench_thread_ns();
	write_records(&full_ring, NR_RECORDS);
	ns = ns_per_record(begin);
	if (ring_lost(&full_ring, OPROF_LOST_FULL) != lost + NR_RECORDS)
		bench_fail("not all were refused", EINVAL);
	return ns;
}

/*
 * Returns a lower bound for any record: the time to read the counter and store the record's bytes.
 */
static double floor_ns(void)
{
	uint64_t begin = bench_thread_ns();
	size_t at = 0;

	for (unsigned int i = 0; i < NR_RECORDS; i++) {
		const struct payload payload = {{i, ~(uint64_t)i}};
		uint32_t header = EVENT_ID | (uint32_t)ring_clock(RING_CLOCK_COUNTER)
						     << OPROF_RECORD_ID_BITS;

		memcpy(plain_memory + at, &header, sizeof(header));
		memcpy(plain_memory + at + sizeof(header), &payload, sizeof(payload));
		at += sizeof(header) + sizeof(payload);
		__asm__ volatile("" ::: "memory");
	}
	return ns_per_record(begin);
}

/* ---- two CPUs ---- */

static struct side {
	struct ring ring;
	int cpu;
	double best;
} sides[2];
static int nr_started;
static int is_over; /* one thread has ended; the other's later rounds do not count */

/* Writes records in overwrite mode, for comparison with ring_reserve_commit_overwrite. */
static void *write_side(void *argument)
{
	struct side *side = argument;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)side->cpu, &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	write_records(&side->ring, 10 * NR_RECORDS);
	__atomic_add_fetch(&nr_started, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&nr_started, __ATOMIC_SEQ_CST) < 2)
		(void)sched_yield();
	for (unsigned int i = 0; i < NR_ROUNDS; i++) {
		uint64_t begin = bench_thread_ns();
		double ns;

		write_records(&side->ring, NR_RECORDS);
		ns = ns_per_record(begin);
		if (__atomic_load_n(&is_over, __ATOMIC_SEQ_CST))
			break;
		if (!i || ns < side->best)
			side->best = ns;
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Chooses the CPUs of the two threads. Returns false if there is only one CPU. */
static bool choose_cpus(void)
{
	int nr_found = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE && nr_found < 2; cpu++) {
		if (CPU_ISSET((size_t)cpu, &set))
			sides[nr_found++].cpu = cpu;
	}
	return nr_found == 2;
}

static void run_two_cpus(void)
{
	pthread_t threads[2];

	if (!bench_wanted("ring_two_cpus"))
		return;
	if (!choose_cpus()) {
		printf("# ring_two_cpus: skipped, needs two CPUs\n");
		return;
	}
	for (int i = 0; i < 2; i++) {
		int error;

		make_ring(&sides[i].ring, NULL, RING_OVERWRITE, RING_CLOCK_COUNTER,
			  SUB_BUFFER_BYTES, NR_SUB_BUFFERS);
		error = pthread_create(&threads[i], NULL, write_side, &sides[i]);
		if (error)
			bench_fail("thread", error);
	}
	for (int i = 0; i < 2; i++)
		(void)pthread_join(threads[i], NULL);
	bench_print("ring_two_cpus", sides[0].best > sides[1].best ? sides[0].best : sides[1].best,
		    "ns");
}

/* ---- lines ---- */

enum candidate {
	RECORD,
	MONOTONIC,
	OVERWRITE,
	STILL,
	COPY,
	CLOCK,
	COMMIT,
	BOUNDARY,
	FULL,
	FLOOR,
	NR_CANDIDATES,
};

static double (*const candidates[NR_CANDIDATES])(void) = {
	[RECORD] = record_ns, [MONOTONIC] = monotonic_ns, [OVERWRITE] = overwrite_ns,
	[STILL] = still_ns,   [COPY] = copy_ns,		  [CLOCK] = clock_ns,
	[COMMIT] = commit_ns, [BOUNDARY] = boundary_ns,	  [FULL] = full_ns,
	[FLOOR] = floor_ns,
};

/*
 * A line is the time of a candidate, which is one of the functions above. A
 * step that cannot run alone is measured by two candidates: the time of `less`
 * is subtracted.
 */
static const struct line {
	const char *name;
	enum candidate candidate;
	enum candidate less; /* NR_CANDIDATES: none */
} lines[] = {
	{"ring_reserve_commit", RECORD, NR_CANDIDATES},
	{"ring_clock", CLOCK, NR_CANDIDATES},
	{"ring_reserve", STILL, COMMIT},
	{"ring_copy", COPY, NR_CANDIDATES},
	{"ring_commit", COMMIT, NR_CANDIDATES},
	{"ring_reserve_commit_overwrite", OVERWRITE, NR_CANDIDATES},
	{"ring_reserve_commit_monotonic", MONOTONIC, NR_CANDIDATES},
	{"ring_full", FULL, NR_CANDIDATES},
	{"ring_boundary", BOUNDARY, NR_CANDIDATES},
	{"floor_ring_reserve_commit", FLOOR, NR_CANDIDATES},
};
#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static double best[NR_CANDIDATES], peer_best;

/* Returns whether to run a line. A floor runs if the line that it belongs to is wanted. */
static bool is_wanted(const struct line *line)
{
	const char *name = line->name;

	return bench_wanted(name + (line->candidate == FLOOR ? strlen("floor_") : 0));
}

static bool any_wanted(void)
{
	for (size_t i = 0; i < NR_LINES; i++) {
		if (is_wanted(&lines[i]))
			return true;
	}
	return false;
}

/*
 * The candidates take turns in short rounds, so that disturbances by other
 * programs affect all of them alike.
 */
static void run_rounds(struct lttng *peer)
{
	for (unsigned int round = 0; round < NR_ROUNDS; round++) {
		for (int i = 0; i < NR_CANDIDATES; i++) {
			double ns = candidates[i]();

			if (!round || ns < best[i])
				best[i] = ns;
		}
		if (peer && round % 4 == 0) {
			double ns = lttng_round(peer, NR_RECORDS);

			if (ns > 0 && (peer_best <= 0 || ns < peer_best))
				peer_best = ns;
		}
		if (round % (NR_ROUNDS / NR_PAUSES) == 0)
			(void)usleep(20000);
	}
}

static void print_lines(void)
{
	for (size_t i = 0; i < NR_LINES; i++) {
		double value = best[lines[i].candidate];

		if (!is_wanted(&lines[i]))
			continue;
		if (lines[i].less != NR_CANDIDATES)
			value -= best[lines[i].less];
		bench_print(lines[i].name, value, "ns");
	}
	if (peer_best > 0 && bench_wanted("ring_reserve_commit")) {
		bench_print("peer_ring_reserve_commit", peer_best, "ns");
		bench_print("ratio_ring_reserve_commit", best[RECORD] / peer_best, "x");
	}
}

int main(int argc, char **argv)
{
	struct lttng *peer = NULL;

	/* For bench_ring_instructions.sh, which runs this program under valgrind. */
	if (argc == 3 && strcmp(argv[1], "--write") == 0) {
		make_rings();
		write_records(&counter_ring, (unsigned int)strtoul(argv[2], NULL, 10));
		return EXIT_SUCCESS;
	}
	bench_init(argc, argv);
	if (any_wanted()) {
		make_rings();
		if (bench_wanted("ring_reserve_commit"))
			peer = lttng_start();
		run_rounds(peer);
		lttng_stop(peer);
		print_lines();
	}
	run_two_cpus();
	return EXIT_SUCCESS;
}
