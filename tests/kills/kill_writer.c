// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/kills/kill_writer.h"
#include "tests/kills/kill_check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMER_US     70
#define NR_TRIES_MAX 20000 /* reserves of a life: limits the failures in a full ring */

struct kill_shared *kill_shared;

static uint64_t random_state = 1;
/* This process's copy: the shared plan may already be that of the next writer. */
static struct kill_plan plan;
static volatile bool armed;
#define NOT_BESIDE UINT32_MAX
/*
 * The level at which a flusher or the reader runs instead of the writer. It is one word, because a
 * signal may arrive at any step; its writer runs at a higher level, and may itself flush and read.
 */
static volatile uint32_t beside_at = NOT_BESIDE;
static volatile uint32_t nr_tries;

uint32_t kill_random_below(uint32_t end)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 16) % end);
}

static bool one_in(uint32_t number)
{
	return number && !kill_random_below(number);
}

static struct kill_context *context_now(void)
{
	return &kill_shared->contexts[kill_shared->level];
}

/* ---- between two steps ---- */

static void came_between(uint32_t level)
{
	for (uint32_t i = 0; i < level; i++)
		kill_shared->contexts[i].nr_between++;
}

void kill_flush(void)
{
	const uint32_t was = beside_at;

	beside_at = kill_shared->level;
	if (!ring_flush(&kill_shared->reader.ring)) {
		came_between(kill_shared->level + 1);
		for (uint32_t i = 0; i < KILL_LEVELS; i++)
			kill_shared->contexts[i].nr_flushes++;
	}
	beside_at = was;
}

void kill_read(uint32_t nr_packets)
{
	const uint32_t was = beside_at;

	beside_at = kill_shared->level;
	while (nr_packets-- && !kill_check_next(true))
		;
	beside_at = was;
}

static _Noreturn void die(const char *function)
{
	if (kill_shared->repairs)
		kill_shared->repair_died_in = function;
	else
		kill_shared->died_in = function;
	(void)kill(getpid(), SIGKILL);
	for (;;)
		(void)pause();
}

void kill_step(const char *function)
{
	if (!armed || beside_at != NOT_BESIDE)
		return;
	kill_shared->nr_steps++;
	if (plan.aimed && (!plan.target || !strcmp(plan.target, function)) && !--plan.countdown)
		die(function);
	if (one_in(plan.flush_one_in))
		kill_flush();
	if (one_in(plan.read_one_in))
		kill_read(kill_random_below(4));
	if (one_in(plan.nested_one_in) && kill_shared->level + 1 < plan.max_level)
		(void)raise(SIGUSR1);
}

static bool is_writer(void)
{
	return armed && !kill_shared->repairs && beside_at != kill_shared->level;
}

bool kill_tried(const void *word, bool done)
{
	struct kill_context *context = context_now();

	if (!is_writer() || word != &kill_shared->ring.shared->reserved)
		return done;
	if (context->state == KILL_ATTEMPT && done)
		context->state = KILL_RESERVED;
	if (done)
		came_between(kill_shared->level);
	else
		context->nr_fails++;
	return done;
}

void kill_clock(void)
{
	if (is_writer())
		context_now()->nr_turns++;
}

void kill_adding(void)
{
	struct kill_context *context = context_now();

	if (KILL_GUARD_ADDING && is_writer() && context->state == KILL_COMMITTING)
		context->state = KILL_ADDING;
}

uint64_t kill_added(uint64_t sum)
{
	const enum kill_state before = KILL_GUARD_ADDING ? KILL_ADDING : KILL_COMMITTING;
	struct kill_context *context = context_now();

	if (!is_writer())
		return sum;
	if (one_in(plan.after_add_one_in))
		(void)raise(SIGALRM);
	if (context->state == before)
		context->state = KILL_COMMITTED;
	return sum;
}

void kill_arm(const struct kill_plan *from)
{
	plan = *from;
	random_state = plan.random | 1;
	nr_tries = 0;
	armed = true;
}

void kill_disarm(void)
{
	armed = false;
}

/* ---- the writer ---- */

static uint32_t sub_buffer_bytes(void)
{
	return kill_shared->plan.config.sub_buffer_bytes;
}

/* Most payloads are short; some fill the rest, or a sub-buffer, or are too long. */
static uint32_t choose_payload_bytes(void)
{
	uint32_t bytes = sub_buffer_bytes(), least = sizeof(struct kill_record);
	uint32_t header = (uint32_t)sizeof(struct oprof_packet_header);
	uint32_t used =
		(uint32_t)(__atomic_load_n(&kill_shared->ring.shared->reserved, __ATOMIC_RELAXED) &
			   (bytes - 1));
	uint32_t left = bytes - ((used + 3) & ~3u);

	switch (kill_random_below(16)) {
	case 0: /* to its last byte, or one byte more */
		if (used > 1 && left >= least + 5)
			return left - 4 + kill_random_below(2);
		return bytes - header - 4;
	case 1:
		return bytes - header - 4 + kill_random_below(2);
	case 2:
		return least + kill_random_below(bytes - header - least);
	default:
		return least + kill_random_below(24);
	}
}

static uint32_t choose_event(uint32_t context, bool cancels, uint32_t *align)
{
	*align = 4;
	if (cancels)
		return KILL_EVENT_CANCELLED;
	switch (kill_random_below(8)) {
	case 0:
		*align = 1u << kill_random_below(3);
		return KILL_EVENT_EXTENDED + 4 * context + (*align >> 1);
	case 1:
		*align = 8;
		return KILL_EVENT_ALIGNED_8 + context;
	default:
		return KILL_EVENT_ALIGNED_4 + context;
	}
}

static void fill(const struct ring_slot *slot, uint32_t context, uint32_t number)
{
	const uint32_t length = slot->payload_bytes - (uint32_t)sizeof(struct kill_record);
	struct kill_record record = {context, number, length};

	memcpy(slot->payload, &record, sizeof(record));
	for (uint32_t i = 0; i < record.length; i++) {
		if (!(i % 32))
			kill_step(__func__);
		slot->payload[sizeof(record) + i] = kill_pattern(context, number, i);
	}
}

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
		kill_problem("reserve returned %d", error);
		return OPROF_LOST_FULL;
	}
}

/* Returns a packet number that does not wrap, unlike positions. */
static uint32_t packet_number(const struct ring_slot *slot)
{
	const struct ring *ring = &kill_shared->ring;
	ring_word mask = (ring_word)((ring_word)-1 >> ring->sub_order);
	ring_word now = (ring_word)(__atomic_load_n(&slot->place->delivered, __ATOMIC_RELAXED) >>
				    ring->sub_order);
	/* Load once: a signal handler that writes may change it at any time. */
	uint32_t newest = __atomic_load_n(&kill_shared->packet, __ATOMIC_RELAXED);
	ring_word ahead = (ring_word)((now - newest) & mask);

	if (ahead > mask / 2)
		return newest - (uint32_t)((mask - ahead) + 1u);
	newest += (uint32_t)ahead;
	__atomic_store_n(&kill_shared->packet, newest, __ATOMIC_RELAXED);
	return newest;
}

/* Reserve is wait-free: it retries only if another writer or a flush came between. */
static void check_retries(const struct kill_context *context)
{
	if (context->nr_fails > context->nr_between || context->nr_turns > context->nr_between + 2)
		kill_problem("%u failures, %u turns in a reserve, and %u came between",
			     context->nr_fails, context->nr_turns, context->nr_between);
	kill_shared->nr_reserves++;
	kill_shared->nr_tried_again += context->nr_between && context->nr_turns > 1;
	if (context->nr_between > kill_shared->max_between)
		kill_shared->max_between = context->nr_between;
	if (context->nr_fails > kill_shared->max_fails)
		kill_shared->max_fails = context->nr_fails;
	if (context->nr_turns > kill_shared->max_turns)
		kill_shared->max_turns = context->nr_turns;
}

static void acknowledge(struct kill_context *context, uint32_t level)
{
	if (context->cancels) {
		context->nr_cancelled++;
	} else {
		context->nr_acknowledged++;
		for (uint32_t i = 0; i < level && i < KILL_LEVELS; i++) {
			if (kill_shared->contexts[i].state >= KILL_RESERVED)
				kill_shared->contexts[i].nr_behind++;
		}
	}
	context->state = KILL_IDLE;
}

static void begin(struct kill_context *context)
{
	context->nr_behind = 0;
	context->nr_flushes = 0;
	context->nr_fails = 0;
	context->nr_turns = 0;
	context->nr_between = 0;
	context->cancels = !kill_random_below(12);
	context->state = KILL_ATTEMPT;
}

/* With positions of few bits the reader may not fall behind by half of their range. */
static void keep_near(void)
{
	const struct ring *ring = &kill_shared->ring;
	ring_word behind = (ring_word)(ring->shared->reserved - ring->shared->consumed);

	if (sizeof(ring_word) < 4 && ring->mode == RING_OVERWRITE && beside_at == NOT_BESIDE &&
	    behind > ((ring_word)-1 >> 2))
		kill_read(KILL_PACKETS);
}

int kill_write(uint32_t level)
{
	struct kill_context *context = &kill_shared->contexts[level];
	struct ring *ring = &kill_shared->ring;
	struct ring_slot slot;
	uint32_t align, event;
	int error;

	nr_tries++;
	keep_near();
	begin(context);
	event = choose_event(level, context->cancels, &align);
	error = ring_reserve(ring, event, choose_payload_bytes(), align, &slot);
	if (armed && !kill_shared->plan.flushes_beside)
		check_retries(context);
	if (error) {
		/*
		 * An atomic add, which sanitizers do not split: the timer's handler writes the same
		 * counter.
		 */
		(void)__atomic_fetch_add(&kill_shared->lost_by[reason_of(error)], 1,
					 __ATOMIC_RELAXED);
		context->state = KILL_IDLE;
		return error;
	}
	context->packets[context->nr_acknowledged] = packet_number(&slot);
	fill(&slot, level, context->nr_acknowledged);
	context->state = KILL_COMMITTING;
	if (context->cancels)
		ring_cancel(ring, &slot);
	else
		ring_commit(ring, &slot);
	acknowledge(context, level);
	return 0;
}

static bool is_full(uint32_t level)
{
	return nr_tries > NR_TRIES_MAX ||
	       kill_shared->contexts[level].nr_acknowledged >= KILL_LOG ||
	       kill_shared->packet >= KILL_PACKETS - 1024;
}

static void on_signal(int number)
{
	int saved = errno;

	(void)number;
	if (kill_shared->level + 1 < plan.max_level) {
		uint32_t level = ++kill_shared->level;
		uint32_t nr = 1 + kill_random_below(3);

		while (nr-- && !is_full(level))
			(void)kill_write(level);
		kill_shared->level--;
	}
	errno = saved;
}

static void set_handlers(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
	struct itimerval timer = {{0, TIMER_US}, {0, TIMER_US}};

	(void)sigaction(SIGUSR1, &action, NULL);
	(void)sigaction(SIGALRM, &action, NULL);
	if (plan.timer)
		(void)setitimer(ITIMER_REAL, &timer, NULL);
}

/* Finalises as a thread that ends does: it is killed in this call, or waits for room. */
static void end_ring(void)
{
	while (ring_finalise(&kill_shared->ring) == -EAGAIN && nr_tries++ < NR_TRIES_MAX)
		;
}

void kill_writer_live(void)
{
	uint32_t nr = 0;

	kill_arm(&kill_shared->plan);
	set_handlers();
	while (!is_full(0)) {
		(void)kill_write(0);
		if (plan.flushes_itself && one_in(8))
			(void)ring_flush(&kill_shared->ring);
		if (++nr == plan.finalises_after)
			end_ring();
	}
	die("end");
}
