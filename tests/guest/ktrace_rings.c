// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ktrace_rings [TEST]...: tests how the reader gets the packets of the module's trace sessions,
 * under storms of NMIs, and what remains after all is closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oprof/kmod.h"
#include "tests/guest/kmod_test.h"
#include "tests/guest/ktrace_load.h"

#define SUB_BUFFER  16384u
#define STORM_TYPE  0x53540000u /* as in kmod/storm.h */
#define STORM_EVERY 100000u

/* ---- rings ---- */

static void a_snapshot_is_whole_while_writers_go_on(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	pthread_t thread;
	uint64_t nr;

	ktrace_open(&trace, OPROF_KTRACE_OVERWRITE, SUB_BUFFER, 4, 0);
	ktrace_add_all(&trace);
	if (ktrace_samples(&trace, STORM_TYPE, 0, STORM_EVERY, 16))
		printf("# without a storm\n");
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_begin(&thread, ktrace_load_calls);
	for (unsigned int i = 0; i < 20; i++) {
		ktrace_nap(20);
		ktrace_folder_open(&folder, &trace);
		CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_FLUSH), 0);
		nr = ktrace_snapshot(&trace, &folder);
		ktrace_folder_close(&folder);
		found = ktrace_read(&folder, NULL, NULL);
		CHECK(nr > 0 && found.nr_records > 0);
		CHECK_IS(found.nr_faults, 0);
	}
	ktrace_end(thread);
	printf("# the last one: %llu records, %llu of them samples, behind %llu packets, lost %llu "
	       "(nested %llu)\n",
	       (unsigned long long)found.nr_records,
	       (unsigned long long)found.nr_of[KTRACE_ID_SAMPLE],
	       (unsigned long long)found.nr_before, (unsigned long long)found.lost,
	       (unsigned long long)found.lost_by[OPROF_LOST_NESTED]);
	CHECK(found.nr_before > 8); /* several laps were written */
	ktrace_close(&trace);
}

/* Three sessions under one load: one is read all the time, one is too small, one overwrites. */
static void sessions_do_not_disturb_each_other(void)
{
	static const uint32_t modes[] = {OPROF_KTRACE_DISCARD, OPROF_KTRACE_DISCARD,
					 OPROF_KTRACE_OVERWRITE};
	struct ktrace_folder folders[3];
	struct ktrace_found found;
	struct ktrace traces[3];
	pthread_t thread;

	for (unsigned int i = 0; i < 3; i++) {
		ktrace_open(&traces[i], modes[i], i == 1 ? 4096 : 1u << 18, i == 1 ? 2 : 4, 0);
		ktrace_folder_open(&folders[i], &traces[i]);
		ktrace_add_all(&traces[i]);
		CHECK_IS(ktrace_control(&traces[i], OPROF_KTRACE_START), 0);
	}
	/* Only the first session starts the storm, because there can be only one. */
	if (ktrace_samples(&traces[0], STORM_TYPE, 0, STORM_EVERY, 16))
		printf("# without a storm\n");
	ktrace_begin(&thread, ktrace_load);
	for (unsigned int i = 0; i < 30; i++) {
		ktrace_nap(20);
		(void)ktrace_drain(&traces[0], &folders[0]);
	}
	ktrace_end(thread);
	for (unsigned int i = 0; i < 3; i++) {
		found = ktrace_finish(&traces[i], &folders[i], NULL, NULL);
		ktrace_check(&traces[i], &found, i == 0 ? "read" : i == 1 ? "full" : "overwriting");
		CHECK(found.nr_records > 0);
		printf("# %llu records, lost %llu (nested %llu), overwritten packets %llu\n",
		       (unsigned long long)found.nr_records, (unsigned long long)found.lost,
		       (unsigned long long)found.lost_by[OPROF_LOST_NESTED],
		       (unsigned long long)(found.overwritten + found.nr_before));
		ktrace_close(&traces[i]);
	}
}

static short poll_now(int fd, int wait_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN | POLLPRI};

	return poll(&poll_fd, 1, wait_ms) < 0 ? -1 : poll_fd.revents;
}

static void read_away(struct ktrace *trace)
{
	struct oprof_ktrace_packet packet;

	for (uint32_t cpu = 0; cpu < trace->info.nr_cpus; cpu++)
		while (!ktrace_call(trace->rings[cpu].fd, OPROF_KTRACE_NEXT, &packet))
			CHECK_IS(ktrace_call(trace->rings[cpu].fd, OPROF_KTRACE_PUT, NULL), 0);
}

static void poll_tells_of_packets_of_a_full_ring_and_of_the_end(void)
{
	struct oprof_ktrace_packet packet;
	struct ktrace trace;
	cpu_set_t set;
	int fd;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 4096, 4, 0);
	fd = trace.rings[0].fd;
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, ktrace_tid()), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	CHECK_IS(poll_now(fd, 0), 0);
	ktrace_getppid(110); /* 40 bytes each: a little more than a packet */
	CHECK_IS(poll_now(fd, 0), POLLIN);
	CHECK_IS(poll_now(trace.fd, 0), POLLIN);
	ktrace_getppid(5000);
	CHECK_IS(poll_now(fd, 0), POLLIN | POLLPRI);
	while (!ktrace_call(fd, OPROF_KTRACE_NEXT, &packet))
		CHECK_IS(ktrace_call(fd, OPROF_KTRACE_PUT, NULL), 0);
	CHECK_IS(poll_now(fd, 0), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_FINALISE), 0);
	CHECK(poll_now(fd, 0) & POLLIN);
	read_away(&trace);
	CHECK_IS(poll_now(fd, 0), POLLHUP);
	CHECK_IS(poll_now(trace.fd, 0), POLLHUP);
	ktrace_close(&trace);
	CPU_SET(1, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

/* No flush is requested; the timer wakes a waiting reader. */
static void a_flush_period_wakes_its_reader(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 4, 10000000);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, ktrace_tid()), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_getppid(10);
	CHECK(poll_now(trace.fd, 60000) & POLLIN);
	CHECK(ktrace_drain(&trace, &folder) > 0);
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_EXIT], 10);
	ktrace_close(&trace);
}

/* The spliced bytes are those of the mapping; the packet stays until the pipe is read. */
static void a_packet_in_a_pipe_is_not_given_back(void)
{
	struct oprof_ktrace_packet packet, again = {.position = 0};
	uint8_t *bytes = malloc(SUB_BUFFER);
	struct ktrace trace;
	size_t nr = 0;
	int pipes[2], fd = -1;

	CHECK(!pipe(pipes));
	ktrace_open(&trace, OPROF_KTRACE_DISCARD, SUB_BUFFER, 4, 0);
	CHECK_IS(ktrace_syscalls(&trace, true, NULL, NULL), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_getppid(5000);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_FLUSH), 0);
	for (uint32_t cpu = 0; cpu < trace.info.nr_cpus && fd < 0; cpu++)
		if (!ktrace_call(trace.rings[cpu].fd, OPROF_KTRACE_NEXT, &packet))
			fd = (int)cpu;
	if (!CHECK(fd >= 0))
		return;
	while (nr < SUB_BUFFER) {
		const ssize_t in = splice(trace.rings[fd].fd, NULL, pipes[1], NULL, 5000, 0);
		ssize_t out;

		if (!CHECK(in > 0))
			break;
		CHECK_IS(ktrace_call(trace.rings[fd].fd, OPROF_KTRACE_PUT, NULL), -EBUSY);
		/* The packet is held, and the offset of the next splice stays. */
		CHECK_IS(ktrace_call(trace.rings[fd].fd, OPROF_KTRACE_NEXT, &again), -EBUSY);
		CHECK_IS(ktrace_call(trace.rings[fd].fd, OPROF_KTRACE_GET, &again), -EBUSY);
		out = read(pipes[0], bytes + nr, (size_t)in);
		if (!CHECK_IS(out, in))
			break;
		nr += (size_t)in;
	}
	CHECK_IS(splice(trace.rings[fd].fd, NULL, pipes[1], NULL, 5000, 0), 0);
	CHECK(!memcmp(bytes, trace.rings[fd].map + packet.map_offset, SUB_BUFFER));
	CHECK_IS(ktrace_call(trace.rings[fd].fd, OPROF_KTRACE_PUT, NULL), 0);
	/* All descriptors are closed while the pipe still holds pages. */
	CHECK_IS(ktrace_call(trace.rings[fd].fd, OPROF_KTRACE_NEXT, &packet), 0);
	memcpy(bytes, trace.rings[fd].map + packet.map_offset, 4096);
	CHECK_IS(splice(trace.rings[fd].fd, NULL, pipes[1], NULL, 4096, 0), 4096);
	ktrace_close(&trace);
	CHECK_IS(read(pipes[0], bytes + 4096, 4096), 4096);
	CHECK(!memcmp(bytes, bytes + 4096, 4096));
	(void)close(pipes[0]);
	(void)close(pipes[1]);
	free(bytes);
}

/* A new descriptor delivers the held packet again. */
static void a_ring_is_opened_again_when_its_descriptor_is_closed(void)
{
	struct oprof_ktrace_packet packet, again;
	struct oprof_ktrace_ring call = {.cpu = 0};
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, SUB_BUFFER, 4, 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_FINALISE, NULL), -EBUSY);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_FINALISE, NULL), 0);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), 0);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_RING, &call), -EBUSY);
	(void)close(trace.rings[0].fd);
	/* The mapping still refers to the ring. */
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_RING, &call), -EBUSY);
	(void)munmap((void *)(uintptr_t)trace.rings[0].map, trace.rings[0].map_bytes);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_RING, &call), 0);
	CHECK_IS(ktrace_call(call.fd, OPROF_KTRACE_NEXT, &again), 0);
	CHECK_IS(again.position, packet.position);
	CHECK_IS(ktrace_call(call.fd, OPROF_KTRACE_PUT, NULL), 0);
	CHECK_IS(ktrace_call(call.fd, OPROF_KTRACE_NEXT, &again), -ENODATA);
	trace.rings[0].fd = -1;
	(void)close(call.fd);
	ktrace_close(&trace);
}

/* ---- the end ---- */

static bool is_at_end(struct ktrace *trace)
{
	bool at_end = true;

	for (uint32_t cpu = 0; cpu < trace->info.nr_cpus; cpu++) {
		struct oprof_ktrace_packet packet;
		const int fd = trace->rings[cpu].fd;

		at_end &= fd < 0 || ktrace_call(fd, OPROF_KTRACE_NEXT, &packet) == -ENODATA;
		if (fd >= 0)
			(void)ktrace_call(fd, OPROF_KTRACE_PUT_KEEP, NULL);
	}
	return at_end;
}

static void rings_are_read_to_the_end_when_the_session_is_closed(void)
{
	struct oprof_ktrace_counts counts;
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	pthread_t thread;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 4096, 4, 0);
	ktrace_folder_open(&folder, &trace);
	ktrace_add_all(&trace);
	ktrace_begin(&thread, ktrace_load);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	do {
		ktrace_nap(1);
		counts = ktrace_counts(&trace);
	} while (counts.nr_records + ktrace_lost(&counts) < 1000);
	(void)close(trace.fd);
	trace.fd = -1;
	/* A child forked concurrently also holds the session until it execs. */
	for (unsigned int i = 0; i < 1000 && !is_at_end(&trace); i++) {
		(void)ktrace_drain(&trace, &folder);
		ktrace_nap(10);
	}
	CHECK(is_at_end(&trace));
	ktrace_end(thread);
	ktrace_folder_close(&folder);
	found = ktrace_read(&folder, NULL, NULL);
	CHECK_IS(found.nr_faults, 0);
	CHECK(found.nr_records > 0);
	ktrace_close(&trace);
}

/* The child has the same descriptor; after its death the parent can put the packet. */
static void a_packet_that_a_killed_child_held_can_be_put(void)
{
	struct oprof_ktrace_packet packet, again;
	struct ktrace trace;
	int ready[2], fd = -1;
	pid_t child;
	char byte;

	ktrace_open(&trace, OPROF_KTRACE_OVERWRITE, SUB_BUFFER, 4, 0);
	CHECK_IS(ktrace_syscalls(&trace, true, NULL, NULL), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_getppid(5000);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_FLUSH), 0);
	for (uint32_t cpu = 0; cpu < trace.info.nr_cpus && fd < 0; cpu++) {
		struct oprof_ktrace_range range;

		if (ktrace_call(trace.rings[cpu].fd, OPROF_KTRACE_RANGE, &range))
			continue;
		packet = (struct oprof_ktrace_packet){.position = range.to - SUB_BUFFER};
		if (ktrace_call(trace.rings[cpu].fd, OPROF_KTRACE_GET, &packet))
			continue;
		fd = trace.rings[cpu].fd;
	}
	if (!CHECK(fd >= 0) || !CHECK_IS(ktrace_call(fd, OPROF_KTRACE_PUT_KEEP, NULL), 0))
		return;
	CHECK(!pipe(ready));
	child = fork();
	if (!child) {
		int pipes[2];

		(void)!pipe(pipes);
		if (!ktrace_call(fd, OPROF_KTRACE_GET, &packet) &&
		    splice(fd, NULL, pipes[1], NULL, 5000, 0) > 0)
			(void)!write(ready[1], "x", 1);
		for (;;)
			(void)pause();
	}
	(void)close(ready[1]);
	CHECK_IS(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	again = packet;
	CHECK_IS(ktrace_call(fd, OPROF_KTRACE_GET, &again), -EBUSY);
	(void)kill(child, SIGKILL);
	CHECK_IS(waitpid(child, NULL, 0), child);
	CHECK_IS(ktrace_call(fd, OPROF_KTRACE_GET, &again), -EBUSY);
	CHECK_IS(ktrace_call(fd, OPROF_KTRACE_PUT_KEEP, NULL), 0);
	CHECK_IS(ktrace_call(fd, OPROF_KTRACE_GET, &again), 0);
	CHECK_IS(ktrace_call(fd, OPROF_KTRACE_PUT_KEEP, NULL), 0);
	CHECK_IS(ktrace_call(fd, OPROF_KTRACE_PUT_KEEP, NULL), -EINVAL);
	ktrace_close(&trace);
}

/*
 * Kills the owner under load, with all kinds of objects open; the next owner finds everything free.
 */
static void an_owner_that_is_killed_leaves_nothing(void)
{
	struct ktrace trace;

	for (unsigned int i = 0; i < 8; i++) {
		int ready[2];
		pid_t child;
		char byte;

		CHECK(!pipe(ready));
		child = fork();
		if (!child) {
			pthread_t thread;

			ktrace_open(&trace, i % 2, 4096, 4, 1000000);
			ktrace_add_all(&trace);
			(void)ktrace_named(&trace, "sched/sched_switch");
			(void)ktrace_samples(&trace, OPROF_KMOD_TYPE_TIMER, 0, 1000000, 16);
			(void)ktrace_samples(&trace, STORM_TYPE, 0, STORM_EVERY, 16);
			(void)ktrace_control(&trace, OPROF_KTRACE_START);
			ktrace_begin(&thread, ktrace_load);
			(void)!write(ready[1], "x", 1);
			for (;;)
				ktrace_bit_of_all();
		}
		(void)close(ready[1]);
		CHECK_IS(read(ready[0], &byte, 1), 1);
		(void)close(ready[0]);
		ktrace_nap(i + 1);
		(void)kill(child, SIGKILL);
		CHECK_IS(waitpid(child, NULL, 0), child);
	}
}

static const struct kmod_test tests[] = {
	KMOD_TEST(a_snapshot_is_whole_while_writers_go_on),
	KMOD_TEST(sessions_do_not_disturb_each_other),
	KMOD_TEST(poll_tells_of_packets_of_a_full_ring_and_of_the_end),
	KMOD_TEST(a_flush_period_wakes_its_reader),
	KMOD_TEST(a_packet_in_a_pipe_is_not_given_back),
	KMOD_TEST(a_ring_is_opened_again_when_its_descriptor_is_closed),
	KMOD_TEST(rings_are_read_to_the_end_when_the_session_is_closed),
	KMOD_TEST(a_packet_that_a_killed_child_held_can_be_put),
	KMOD_TEST(an_owner_that_is_killed_leaves_nothing),
};

int main(int argc, char **argv)
{
	(void)argc;
	return kmod_test_main(tests, sizeof(tests) / sizeof(tests[0]), argv + 1);
}
