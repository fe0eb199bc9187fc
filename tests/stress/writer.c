// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/stress/writer.h"

#include <sched.h>
#include <signal.h>
#include <time.h>

#define NR_BURST_MAX 24u
/* Signals of one level that are sent and not handled yet. */
#define NR_UNDER_WAY_MAX 2u
#define PAUSE_TICKS	 (1ull << OPROF_RECORD_TIME_BITS)
#define NR_BEFORE_PAUSE	 2000u

__thread uint64_t *stress_retries;
__thread uint32_t stress_steps;
static __thread struct stress_writer *self;
static __thread struct stress_level *now; /* the running context */
static __thread uint64_t steps_random;

int stress_signal(uint32_t level)
{
	return SIGRTMIN + (int)level;
}

ring_word stress_nr_packets(const struct stress_writer *writer)
{
	return ring_load(&writer->ring.shared->reserved) >> writer->ring.sub_order;
}

/* ---- one record ---- */

static enum oprof_ring_lost reason_of(int error)
{
	switch (error) {
	case -ENOSPC:
		return OPROF_LOST_FULL;
	case -EBUSY:
		return OPROF_LOST_NESTED;
	case -EMSGSIZE:
		return OPROF_LOST_TOO_BIG;
	case -ESHUTDOWN:
		return OPROF_LOST_STOPPED;
	default:
		return OPROF_LOST_KILLED; /* not an error of reserve: the sums will differ */
	}
}

void stress_steps_begin(uint64_t seed)
{
	steps_random = (seed + 1) * 0x9e3779b97f4a7c15u;
	stress_steps = 1;
}

void stress_interrupt(void)
{
	uint32_t above = now ? (uint32_t)(now - self->levels) + 1 : 0;
	uint64_t bits = stress_random(&steps_random);

	stress_steps = 1 + (uint32_t)(bits >> 8) % (bits & 7 ? 400 : 20);
	if (!now)
		(void)sched_yield();
	else if (above < self->nr_levels)
		(void)pthread_kill(pthread_self(), stress_signal(above));
}

/* Interrupts the writer in the middle of a record; otherwise this would rarely happen. */
static void maybe_interrupt(const struct stress_writer *writer, struct stress_level *level)
{
	uint32_t above = (uint32_t)(level - writer->levels) + 1;

	if (above < writer->nr_levels && !(stress_random(&level->random) & 15))
		(void)pthread_kill(pthread_self(), stress_signal(above));
}

static void count_in_packet(struct stress_writer *writer, const struct ring_slot *slot)
{
	/* While a slot is open, delivered is the position of its packet. */
	ring_word number = ring_load(&slot->place->delivered) >> writer->ring.sub_order;

	if (number < STRESS_NR_PACKETS_MAX)
		__atomic_fetch_add(&writer->nr_records_of_packets[number], 1, __ATOMIC_RELAXED);
}

static void fill_and_commit(struct stress_writer *writer, struct stress_level *level,
			    const struct ring_request *request, struct ring_slot *slot)
{
	struct stress_record record = {writer->index, (uint32_t)(level - writer->levels),
				       level->number, slot->time};
	uint32_t half = request->payload_bytes / 2;

	if (half < STRESS_FULL_FIELD_BYTES)
		half = 0;
	maybe_interrupt(writer, level);
	stress_fill(slot->payload, request, &record, 0, half);
	maybe_interrupt(writer, level);
	if (!(stress_random(&level->random) & 15)) {
		level->nr_cancelled++;
		ring_cancel(&writer->ring, slot);
		return;
	}
	stress_fill(slot->payload, request, &record, half, request->payload_bytes);
	count_in_packet(writer, slot);
	ring_commit(&writer->ring, slot);
	level->number++;
	level->nr_committed++;
	level->nr_nested_commits += writer->inside > 1;
}

static uint32_t nr_handled(const struct stress_writer *writer)
{
	uint32_t sum = 0, i;

	for (i = 1; i < writer->nr_levels; i++)
		sum += __atomic_load_n(&writer->levels[i].nr_handled, __ATOMIC_ACQUIRE);
	return sum;
}

/*
 * Reserve is wait-free: a retry means that an interrupt or a flush came between, and each of them
 * causes at most one.
 */
static int reserve_counted(struct stress_writer *writer, struct stress_level *level,
			   const struct ring_request *request, struct ring_slot *slot)
{
	uint32_t handled = nr_handled(writer);
	uint32_t flushed = __atomic_load_n(&writer->nr_flushes_done, __ATOMIC_ACQUIRE);
	uint64_t *interrupted = stress_retries, retries = 0;
	int error;

	stress_retries = &retries;
	error = ring_reserve(&writer->ring, request->event_id, request->payload_bytes,
			     request->align, slot);
	stress_retries = interrupted;
	handled = nr_handled(writer) - handled;
	flushed = __atomic_load_n(&writer->nr_flushes, __ATOMIC_ACQUIRE) - flushed;
	level->retries += retries;
	if (retries > level->retries_max)
		level->retries_max = retries;
	level->nr_unexplained_retries += retries > (uint64_t)handled + flushed;
	return error;
}

static int write_record(struct stress_writer *writer, struct stress_level *level,
			const struct ring_request *request)
{
	struct ring_slot slot;
	int error;

	level->nr_attempted++;
	writer->inside++;
	ring_barrier(); /* handlers restore the value that they found */
	error = reserve_counted(writer, level, request, &slot);
	if (error) {
		level->refused[reason_of(error)]++;
	} else {
		if (writer->inside > level->deepest)
			level->deepest = writer->inside;
		if (level->deepest > __atomic_load_n(&writer->deepest, __ATOMIC_RELAXED))
			__atomic_store_n(&writer->deepest, level->deepest, __ATOMIC_RELAXED);
		fill_and_commit(writer, level, request, &slot);
	}
	ring_barrier();
	writer->inside--;
	return error;
}

/*
 * Stops before the packet counters are used up: the threads that end a round may get no CPU for
 * long.
 */
static bool is_full(const struct stress_writer *writer)
{
	return stress_nr_packets(writer) > STRESS_NR_PACKETS_MAX / 8 * 7;
}

static int write_one(struct stress_writer *writer, struct stress_level *level)
{
	struct ring_request request;

	if (is_full(writer))
		return -ENOSPC;
	stress_request_choose(&request, (uint32_t)(level - writer->levels),
			      writer->config.sub_buffer_bytes, &level->random);
	return write_record(writer, level, &request);
}

/* ---- interrupts ---- */

static void levels_up_to(sigset_t *signals, uint32_t level)
{
	uint32_t i;

	(void)sigemptyset(signals);
	for (i = 1; i <= level; i++)
		(void)sigaddset(signals, stress_signal(i));
}

/* The thread sanitizer runs handlers later and with all signals masked, so that none would nest. */
static void unmask_above(uint32_t level)
{
#ifdef STRESS_THREAD_SANITIZER
	sigset_t signals;

	levels_up_to(&signals, level);
	(void)pthread_sigmask(SIG_SETMASK, &signals, NULL);
#else
	(void)level;
#endif
}

/*
 * Called when a handler of this level or of a higher one is already running. The kernel's signal
 * masks rule that out, but the thread sanitizer calls delayed handlers from any function that it
 * intercepts, also in a handler that masks their signal. The records of a level would then not be
 * in the order of their numbers. The storm thread counts the signal as handled.
 */
static void take_out_of_order(struct stress_level *level)
{
	__atomic_fetch_add(&level->nr_handled, 1, __ATOMIC_RELEASE);
	level->nr_out_of_order++;
}

static void on_interrupt(int signal)
{
	struct stress_writer *writer = self;
	uint32_t number = (uint32_t)(signal - SIGRTMIN), n;
	struct stress_level *level, *interrupted = now;
	int saved_errno = errno;

	if (!writer || number >= writer->nr_levels)
		return;
	level = &writer->levels[number];
	if (interrupted >= level) {
		take_out_of_order(level);
		return;
	}
	now = level;
	unmask_above(number);
	n = 1 + stress_random(&level->random) % 4;
	if (!(stress_random(&level->random) & 15))
		n = NR_BURST_MAX;
	__atomic_fetch_add(&level->nr_handled, 1, __ATOMIC_RELEASE);
	while (n--)
		(void)write_one(writer, level);
	now = interrupted;
	errno = saved_errno;
}

int stress_signals_init(uint32_t nr_levels)
{
	struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
	uint32_t i;

	for (i = 1; i < nr_levels; i++) {
		levels_up_to(&action.sa_mask, i);
		if (sigaction(stress_signal(i), &action, NULL))
			return -errno;
	}
	return 0;
}

uint32_t stress_storm(struct stress_writer *writer)
{
	uint32_t nr_sent = 0, i;

	for (i = 1; i < writer->nr_levels; i++) {
		struct stress_level *level = &writer->levels[i];
		uint32_t handled = __atomic_load_n(&level->nr_handled, __ATOMIC_RELAXED);

		/* Interrupts that the writer sent itself also count as handled. */
		if ((int32_t)(level->nr_sent - handled) < 0)
			level->nr_sent = handled;
		if (level->nr_sent - handled < NR_UNDER_WAY_MAX &&
		    !pthread_kill(writer->thread, stress_signal(i))) {
			level->nr_sent++;
			nr_sent++;
		}
	}
	return nr_sent;
}

/* ---- the thread ---- */

/*
 * Pauses until a compact stamp cannot represent the time any more: the next record of the open
 * packet gets an extended header. The first record makes sure that a packet is open.
 */
static void pause_long(struct stress_writer *writer)
{
	const struct ring_request small = {STRESS_ID_FULL, STRESS_FULL_FIELD_BYTES, 1};
	const struct timespec turn = {.tv_nsec = 10000000};
	struct stress_level *level = &writer->levels[0];
	sigset_t signals, before;
	uint64_t begin;

	levels_up_to(&signals, writer->nr_levels - 1);
	__atomic_store_n(&writer->no_flush, 1, __ATOMIC_SEQ_CST);
	(void)pthread_sigmask(SIG_BLOCK, &signals, &before);
	(void)nanosleep(&turn, NULL); /* the reader makes room, or a flush ends */
	(void)write_record(writer, level, &small);
	begin = ring_clock(writer->ring.clock);
	while (ring_clock(writer->ring.clock) - begin <= PAUSE_TICKS)
		(void)nanosleep(&turn, NULL);
	(void)write_record(writer, level, &small);
	__atomic_store_n(&writer->no_flush, 0, __ATOMIC_SEQ_CST);
	(void)nanosleep(&turn, NULL); /* time for a flush, and for the reader */
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool has_ended(const struct stress_writer *writer, uint32_t nr_stopped)
{
	if (!__atomic_load_n(&writer->stop, __ATOMIC_RELAXED))
		return false;
	return !writer->finalised_live || nr_stopped > 3 || is_full(writer);
}

static void *run(void *argument)
{
	struct stress_writer *writer = argument;
	struct stress_level *level = &writer->levels[0];
	uint32_t nr_stopped = 0, nr_before_pause = NR_BEFORE_PAUSE;
	sigset_t signals;

	self = writer;
	now = level;
	stress_steps_begin(level->random);
	levels_up_to(&signals, writer->nr_levels - 1);
	(void)pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
	while (!has_ended(writer, nr_stopped)) {
		int error = write_one(writer, level);

		nr_stopped += error == -ESHUTDOWN;
		if (!(stress_random(&level->random) & (error == -ENOSPC ? 7 : 255)))
			(void)sched_yield();
		if (nr_stopped || --nr_before_pause)
			continue;
		nr_before_pause = 8 * NR_BEFORE_PAUSE;
		if (!__atomic_load_n(&writer->has_gap, __ATOMIC_RELAXED))
			pause_long(writer);
	}
	__atomic_store_n(&writer->is_done, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&writer->storm_is_over, __ATOMIC_ACQUIRE))
		(void)sched_yield();
	return NULL;
}

int stress_writer_start(struct stress_writer *writer, uint64_t seed)
{
	uint32_t i;

	for (i = 0; i < writer->nr_levels; i++)
		writer->levels[i].random = (seed + 1) * 0x9e3779b97f4a7c15u +
					   (writer->index * 64 + i + 1) * 0x2545f491u;
	return -pthread_create(&writer->thread, NULL, run, writer);
}
