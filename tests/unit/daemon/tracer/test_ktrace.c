// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/ktrace.h"

#include "lib/file.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_CPUS	 3u
#define NO_CPU	 1u /* not a possible CPU: it has no ring */
#define NR_SUBS	 4u
#define SUB	 4096u
#define BYTES	 (NR_SUBS * SUB)
#define OPENED	 1000000u /* stamps: of the session's open, and now */
#define NOW	 2000000u
#define FREQ_HZ	 500000000u
#define NR_EACH	 3u /* records in each packet */
#define NR_TAKEN (2 * NR_SUBS)

static struct ktrace ktrace;
static struct ktrace_taken taken;
static struct ctf_writer *writer;
static struct diag diag;
static struct make_packet packet;

/* ---- the module ---- */

static struct oprof_ktrace_info info;
static struct fake_ring {
	int fd;
	uint64_t from, to, next; /* positions; next: what NEXT returns */
	uint64_t nr_written;	 /* records */
	int range_error, get_errors[NR_SUBS], put_error;
	uint64_t wrong_offset, wrong_bytes; /* added to what GET returns */
	bool is_held;
	unsigned int nr_put, nr_kept;
} rings[NR_CPUS];
static uint64_t packet_ticks; /* clock ticks that reading a packet takes */
static uint64_t settle_ticks; /* the same for each call that fixes the range of packets to read */
static unsigned int nr_flushed, nr_to_finalise;
static unsigned long refused; /* this request fails with refused_error */
static int refused_error;
static uint64_t filters[8]; /* number of ids in each call */
static unsigned int nr_filters;

static int hold(struct fake_ring *ring, uint64_t position, struct oprof_ktrace_packet *told)
{
	const uint64_t place = position / SUB % NR_SUBS;

	ck_assert(!ring->is_held);
	info.stamp += packet_ticks;
	if (ring->get_errors[place])
		return ring->get_errors[place];
	ring->is_held = true;
	told->map_offset = place * SUB + ring->wrong_offset;
	told->bytes = SUB + ring->wrong_bytes;
	/* The position that splice reads from. */
	ck_assert_int_ge(lseek(ring->fd, (off_t)(place * SUB), SEEK_SET), 0);
	return 0;
}

static int let_go(struct fake_ring *ring, bool is_read)
{
	if (!ring->is_held)
		return EINVAL;
	ring->is_held = false;
	if (ring->put_error)
		return ring->put_error;
	ring->nr_put += is_read;
	ring->nr_kept += !is_read;
	ring->next += is_read ? SUB : 0;
	return 0;
}

static int ring_call(struct fake_ring *ring, unsigned long request, void *what)
{
	switch (request) {
	case OPROF_KTRACE_RANGE:
		info.stamp += settle_ticks;
		if (!ring->range_error)
			*(struct oprof_ktrace_range *)what =
				(struct oprof_ktrace_range){ring->from, ring->to};
		return ring->range_error;
	case OPROF_KTRACE_GET:
		return hold(ring, ((struct oprof_ktrace_packet *)what)->position, what);
	case OPROF_KTRACE_NEXT:
		return ring->next == ring->to ? EAGAIN : hold(ring, ring->next, what);
	default:
		ck_assert(request == OPROF_KTRACE_PUT || request == OPROF_KTRACE_PUT_KEEP);
		return let_go(ring, request == OPROF_KTRACE_PUT);
	}
}

static int open_ring(struct oprof_ktrace_ring *of)
{
	if (of->cpu == NO_CPU)
		return EINVAL;
	of->fd = dup(rings[of->cpu].fd);
	of->map_bytes = BYTES;
	return 0;
}

static int take_filter(const struct oprof_ktrace_filter *filter)
{
	ck_assert_uint_lt(nr_filters, sizeof(filters) / sizeof(*filters));
	ck_assert_uint_eq(filter->by, OPROF_KTRACE_BY_TREE);
	/* The ids are consecutive, from 1 on. */
	ck_assert_uint_eq(*(const uint64_t *)(uintptr_t)filter->ids,
			  1 + nr_filters * OPROF_KTRACE_FILTER_IDS_MAX);
	filters[nr_filters++] = filter->nr_ids;
	return 0;
}

static int count(struct oprof_ktrace_counts *counts)
{
	counts->nr_records = 0;
	for (uint32_t i = 0; i < NR_CPUS; i++)
		if (counts->cpu == i || counts->cpu == OPROF_KTRACE_ALL_CPUS)
			counts->nr_records += rings[i].nr_written;
	return 0;
}

static int module_call(unsigned long request, void *what)
{
	if (request == refused)
		return refused_error;
	switch (request) {
	case OPROF_KTRACE_INFO:
		*(struct oprof_ktrace_info *)what = info;
		return 0;
	case OPROF_KTRACE_CHANNEL:
	case OPROF_KTRACE_START:
		return 0;
	case OPROF_KTRACE_FILTER:
		return take_filter(what);
	case OPROF_KTRACE_RING:
		return open_ring(what);
	case OPROF_KTRACE_COUNTS:
		return count(what);
	case OPROF_KTRACE_FINALISE:
		return nr_to_finalise && --nr_to_finalise ? EAGAIN : 0;
	default:
		ck_assert_uint_eq(request, OPROF_KTRACE_FLUSH);
		nr_flushed++;
		info.stamp += settle_ticks;
		return 0;
	}
}

/* Replaces the library's function. Every second call is interrupted. */
int ioctl(int fd, unsigned long request, ...)
{
	static bool is_second;
	struct fake_ring *ring = NULL;
	void *what;
	va_list more;

	va_start(more, request);
	what = va_arg(more, void *);
	va_end(more);
	is_second = !is_second;
	if (is_second) {
		errno = EINTR;
		return -1;
	}
	for (uint32_t i = 0; ktrace.rings && i < NR_CPUS; i++)
		if (ktrace.rings[i].fd == fd)
			ring = &rings[i];
	errno = ring ? ring_call(ring, request, what) : module_call(request, what);
	return errno ? -1 : 0;
}

/* Make packet seq of a CPU, which begins at 1000 seq + cpu; lost: records lost up to its end. */
static void put_packet(uint32_t cpu, uint64_t seq, uint64_t lost)
{
	const uint64_t begin = 1000 * seq + cpu;

	make_packet_begin(&packet, made_trace.uuid, cpu, seq, begin, SUB);
	for (uint64_t i = 0; i < NR_EACH; i++)
		ck_assert(make_packet_add(&packet, 0, begin + i, 1, "", 0));
	packet.header.lost = packet.header.lost_by[0] = lost;
	make_packet_end(&packet, begin + 10);
	ck_assert_int_eq(pwrite(rings[cpu].fd, packet.bytes, SUB, (off_t)(seq % NR_SUBS * SUB)),
			 SUB);
	rings[cpu].nr_written += NR_EACH;
}

/* CPU 0 has packets 2 to 5, CPU 2 packets 0 to 3. */
static void fill(void)
{
	for (uint64_t i = 0; i < NR_SUBS; i++) {
		put_packet(0, i + 2, 10 * i);
		put_packet(2, i, 100 + i);
	}
	rings[0].from = rings[0].next = 2 * SUB;
	rings[0].to = 2 * SUB + BYTES;
	rings[2].to = BYTES;
}

static int open_module(void)
{
	return ktrace_open(&ktrace, "device", &diag);
}

static void setup(void)
{
	struct oprof_ktrace_channel config = {.sub_buffer_bytes = SUB, .nr_sub_buffers = NR_SUBS};

	test_folder_setup();
	memset(rings, 0, sizeof(rings));
	for (uint32_t i = 0; i < NR_CPUS; i++) {
		rings[i].fd = memfd_create("ring", 0);
		ck_assert_int_eq(ftruncate(rings[i].fd, BYTES), 0);
	}
	nr_flushed = nr_to_finalise = nr_filters = 0;
	packet_ticks = settle_ticks = 0;
	refused = 0;
	info = (struct oprof_ktrace_info){.version = OPROF_KTRACE_VERSION,
					  .nr_cpus = NR_CPUS,
					  .freq_hz = FREQ_HZ,
					  .stamp = OPENED};
	ck_assert_int_eq(file_replace("device", "", 0, 0600), 0);
	ck_assert_int_eq(open_module(), 0);
	ck_assert_int_eq(ktrace_add_channel(&ktrace, &config, &diag), 0);
	ck_assert_uint_eq(ktrace.nr_bytes, 2 * BYTES);
	ck_assert_int_eq(ktrace.rings[NO_CPU].fd, -1);
	info.stamp = NOW;
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &made_trace, &diag), 0);
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NR_CPUS; i++) {
		ck_assert(!rings[i].is_held);
		(void)close(rings[i].fd);
	}
	(void)ctf_writer_close(writer, NULL);
	ktrace_close(&ktrace);
	test_folder_teardown();
}

/* The number of a CPU's packets in the trace folder, which must equal those of its ring. */
static uint64_t nr_written(uint32_t cpu)
{
	uint8_t *bytes;
	char path[32];
	size_t nr;

	(void)snprintf(path, sizeof(path), "trace/channel_%u", cpu);
	if (file_read_regular(path, 2 * BYTES, (char **)&bytes, &nr))
		return 0;
	for (size_t i = 0; i < nr; i += SUB) {
		const struct oprof_packet_header *header = (const void *)(bytes + i);
		uint8_t there[SUB];

		ck_assert_int_eq(
			pread(rings[cpu].fd, there, SUB, (off_t)(header->seq % NR_SUBS * SUB)),
			SUB);
		ck_assert_mem_eq(there, bytes + i, SUB);
	}
	free(bytes);
	return nr / SUB;
}

static int snapshot(void)
{
	return ktrace_snapshot(&ktrace, writer, &taken, &diag);
}

/* ---- opening ---- */

static const struct {
	const char *path;
	uint32_t version;
	uint64_t freq_hz;
	int refused_error, error; /* error of INFO */
	const char *says;
} openings[] = {
	{"nowhere", OPROF_KTRACE_VERSION, 1, 0, -ENOENT,
	 "no kernel module that can trace is loaded"},
	{"device/trace", OPROF_KTRACE_VERSION, 1, 0, -ENOENT,
	 "no kernel module that can trace is loaded"},
	{"device", OPROF_KTRACE_VERSION, 1, ENOTTY, -ENOTTY, "Inappropriate ioctl"},
	{"device", OPROF_KTRACE_VERSION + 1, 1, 0, -EPROTO, "install both from the same release"},
	{"device", OPROF_KTRACE_VERSION, 0, 0, -EPROTO, "clock does not run"},
};

START_TEST(a_module_that_cannot_be_used_is_refused_with_the_reason)
{
	struct ktrace other;

	info.version = openings[_i].version;
	info.freq_hz = openings[_i].freq_hz;
	refused_error = openings[_i].refused_error;
	refused = refused_error ? OPROF_KTRACE_INFO : 0;
	ck_assert_int_eq(ktrace_open(&other, openings[_i].path, &diag), openings[_i].error);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), openings[_i].says));
	ck_assert_int_le(other.fd, 0);
}
END_TEST

static const struct {
	unsigned long refused;
	const char *says;
} channels[] = {
	{OPROF_KTRACE_CHANNEL, "cannot make 2 buffers of 4096 bytes"},
	{OPROF_KTRACE_RING, "cannot open the module's buffers: Cannot allocate"},
};

START_TEST(a_channel_that_is_not_available_is_told)
{
	const struct oprof_ktrace_channel config = {.sub_buffer_bytes = SUB, .nr_sub_buffers = 2};
	struct ktrace other;

	ck_assert_int_eq(ktrace_open(&other, "device", &diag), 0);
	refused = channels[_i].refused;
	refused_error = ENOMEM;
	ck_assert_int_eq(ktrace_add_channel(&other, &config, &diag), -ENOMEM);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), channels[_i].says));
	ktrace_close(&other);
}
END_TEST

START_TEST(a_ring_that_cannot_be_mapped_is_told)
{
	const struct oprof_ktrace_channel config = {.sub_buffer_bytes = SUB, .nr_sub_buffers = 2};
	struct ktrace other;

	ck_assert_int_eq(ktrace_open(&other, "device", &diag), 0);
	(void)close(rings[0].fd);
	rings[0].fd = open("device", O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(ktrace_add_channel(&other, &config, &diag), -EACCES);
	ck_assert_ptr_nonnull(
		strstr(diag_show(&diag), "cannot open the module's buffers: Permission"));
	ktrace_close(&other);
}
END_TEST

START_TEST(filters_go_in_pieces_and_none_is_refused)
{
	static uint64_t ids[2 * OPROF_KTRACE_FILTER_IDS_MAX + 1];
	const size_t nr = sizeof(ids) / sizeof(*ids);

	for (size_t i = 0; i < nr; i++)
		ids[i] = i + 1;
	ck_assert_int_eq(ktrace_filter(&ktrace, OPROF_KTRACE_BY_TREE, ids, nr, &diag), 0);
	ck_assert_uint_eq(nr_filters, 3);
	ck_assert_uint_eq(filters[0], OPROF_KTRACE_FILTER_IDS_MAX);
	ck_assert_uint_eq(filters[2], 1);
	ck_assert_int_eq(ktrace_filter(&ktrace, OPROF_KTRACE_BY_TREE, ids, 0, &diag), -EINVAL);
	ck_assert_int_eq(ktrace_filter(&ktrace, OPROF_KTRACE_BY_UID, ids,
				       OPROF_KTRACE_FILTER_IDS_MAX + 1, &diag),
			 -E2BIG);
	ck_assert_uint_eq(nr_filters, 3);
	refused = OPROF_KTRACE_FILTER;
	refused_error = ENOSPC;
	ck_assert_int_eq(ktrace_filter(&ktrace, OPROF_KTRACE_BY_UID, ids, 1, &diag), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "refuses the filter: No space"));
}
END_TEST

START_TEST(what_keeps_it_from_recording_is_told)
{
	ck_assert_int_eq(ktrace_start(&ktrace, &diag), 0);
	refused = OPROF_KTRACE_START;
	refused_error = EBUSY;
	ck_assert_int_eq(ktrace_start(&ktrace, &diag), -EBUSY);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "uses the machine's counters"));
	refused_error = EPERM;
	ck_assert_int_eq(ktrace_start(&ktrace, &diag), -EPERM);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "cannot start recording: Operation"));
}
END_TEST

/* ---- snapshots ---- */

START_TEST(a_snapshot_takes_all_that_the_rings_hold_and_leaves_it_there)
{
	fill();
	for (unsigned int i = 1; i <= 2; i++) {
		ck_assert_msg(!snapshot(), "%s", diag_show(&diag));
		ck_assert_uint_eq(nr_flushed, i);
		ck_assert_uint_eq(taken.nr_records, NR_TAKEN * NR_EACH);
		ck_assert_uint_eq(taken.lost, 30 + 3);
		ck_assert_uint_eq(taken.overwritten, 0);
		ck_assert_uint_eq(taken.begin, 2); /* of CPU 2 */
		ck_assert_uint_eq(nr_written(0), NR_SUBS);
		ck_assert_uint_eq(nr_written(2), NR_SUBS);
		ck_assert_uint_eq(rings[0].nr_kept, i * NR_SUBS);
		ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
		ck_assert_int_eq(rename("trace", i == 1 ? "first" : "second"), 0);
		ck_assert_int_eq(ctf_writer_open(&writer, "trace", &made_trace, &diag), 0);
	}
}
END_TEST

/* A snapshot's end is the time before its range of packets is fixed: later records may be
 * missing. */
START_TEST(a_snapshot_ends_before_it_is_settled_what_it_takes)
{
	uint64_t again;

	fill();
	packet_ticks = 1000;
	settle_ticks = 7;
	ck_assert_int_eq(snapshot(), 0);
	ck_assert_uint_gt(info.stamp, NOW + NR_TAKEN * 1000);
	ck_assert_uint_eq(taken.end, NOW);
	again = info.stamp;
	rings[0].range_error = EIO;
	ck_assert_int_eq(snapshot(), -EIO);
	ck_assert_uint_eq(taken.end, again);
}
END_TEST

START_TEST(a_snapshot_of_nothing_begins_now)
{
	ck_assert_int_eq(snapshot(), 0);
	ck_assert_uint_eq(taken.begin, NOW);
	ck_assert_uint_eq(taken.end, NOW);
	ck_assert_uint_eq(taken.nr_records, 0);
	ck_assert_uint_eq(nr_written(0), 0);
}
END_TEST

START_TEST(a_ring_of_which_not_all_was_written_begins_at_0)
{
	for (uint64_t i = 0; i < 2; i++)
		put_packet(0, i, 0);
	rings[0].from = (uint64_t)-2 * SUB;
	rings[0].to = 2 * SUB;
	ck_assert_int_eq(snapshot(), 0);
	ck_assert_uint_eq(nr_written(0), 2);
}
END_TEST

/* Either the first ring fails or the last. */
START_TEST(a_ring_that_fails_is_told_and_the_others_are_taken)
{
	const uint32_t fails = _i ? 2 : 0, other = 2 - fails;
	char says[64];

	fill();
	rings[fails].range_error = EIO;
	(void)snprintf(says, sizeof(says), "CPU %u: cannot get the packets' state", fails);
	ck_assert_int_eq(snapshot(), -EIO);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), says));
	ck_assert_uint_eq(nr_written(fails), 0);
	ck_assert_uint_eq(nr_written(other), NR_SUBS);
	ck_assert_uint_eq(taken.nr_records, NR_SUBS * NR_EACH);
}
END_TEST

START_TEST(a_packet_that_fails_is_told_and_the_others_are_taken)
{
	fill();
	rings[0].get_errors[3] = EIO;
	rings[2].get_errors[3] = ENOMEM;
	ck_assert_int_eq(snapshot(), -EIO);
	ck_assert_ptr_nonnull(
		strstr(diag_show(&diag), "CPU 0: cannot get a packet from the module"));
	ck_assert_uint_eq(taken.nr_records, (NR_TAKEN - 2) * NR_EACH);
	ck_assert_uint_eq(nr_written(0), NR_SUBS - 1);
	ck_assert_uint_eq(nr_written(2), NR_SUBS - 1);
}
END_TEST

START_TEST(packets_that_were_overwritten_are_counted_but_for_each_rings_oldest)
{
	fill();
	rings[0].get_errors[2] = rings[0].get_errors[3] = ESTALE; /* packets 2 and 3 */
	rings[2].get_errors[0] = rings[2].get_errors[1] = rings[2].get_errors[2] = ESTALE;
	ck_assert_int_eq(snapshot(), 0);
	ck_assert_uint_eq(taken.overwritten, 1 + 2);
	ck_assert_uint_eq(taken.nr_records, (NR_TAKEN - 5) * NR_EACH);
	ck_assert_uint_eq(taken.lost, 10);
	ck_assert_uint_eq(taken.begin, 3002);
}
END_TEST

START_TEST(packets_that_are_not_there_are_no_errors)
{
	fill();
	rings[0].get_errors[3] = EAGAIN;
	rings[2].get_errors[3] = ENODATA;
	ck_assert_int_eq(snapshot(), 0);
	ck_assert_uint_eq(taken.overwritten, 0);
	ck_assert_uint_eq(taken.nr_records, (NR_TAKEN - 2) * NR_EACH);
}
END_TEST

static const struct {
	uint64_t offset, bytes; /* added to the right values */
} outsides[] = {{BYTES, 0}, {BYTES + SUB, 0}, {0, BYTES}, {0, (uint64_t)-SUB}};

START_TEST(a_packet_outside_its_ring_is_refused)
{
	fill();
	rings[0].wrong_offset = outsides[_i].offset;
	rings[0].wrong_bytes = outsides[_i].bytes;
	ck_assert_int_eq(snapshot(), -EPROTO);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "CPU 0: the module reports a packet "
						       "outside its ring"));
	ck_assert_uint_eq(nr_written(0), 0);
	ck_assert_uint_eq(nr_written(2), NR_SUBS);
	/* The oldest packet of CPU 0 is unknown if its header lies outside. */
	ck_assert_uint_eq(ktrace_oldest(&ktrace), outsides[_i].offset ? 0 : 2);
}
END_TEST

START_TEST(records_of_a_packet_that_is_not_written_are_counted_and_its_losses_are_not)
{
	fill();
	rings[0].wrong_bytes = BYTES;
	ck_assert_int_eq(snapshot(), -EPROTO);
	ck_assert_uint_eq(taken.nr_records, NR_TAKEN * NR_EACH);
	ck_assert_uint_eq(ctf_writer_counts(writer).nr_records, NR_SUBS * NR_EACH);
	ck_assert_uint_eq(taken.lost, 3);
}
END_TEST

/* ---- what the rings hold ---- */

START_TEST(the_oldest_is_that_of_all_rings_and_of_empty_ones_what_a_writer_may_have_yet)
{
	ck_assert_uint_eq(ktrace_oldest(&ktrace), NOW - FREQ_HZ / 1000);
	ck_assert_uint_eq(ktrace_held_since(&ktrace), 0);
	fill();
	ck_assert_uint_eq(ktrace_oldest(&ktrace), 2);
	/* CPU 2 has not overwritten anything yet. */
	ck_assert_uint_eq(ktrace_held_since(&ktrace), 2000);
	rings[0].get_errors[2] = EAGAIN;
	ck_assert_uint_eq(ktrace_held_since(&ktrace), 3000);
	rings[2].get_errors[0] = ESTALE;
	ck_assert_uint_eq(ktrace_oldest(&ktrace), 1002);
	/* A packet of CPU 2 is being written. */
	for (unsigned int i = 0; i < NR_SUBS; i++)
		rings[2].get_errors[i] = EAGAIN;
	ck_assert_uint_eq(ktrace_oldest(&ktrace), 0);
	rings[2].nr_written = 0;
	ck_assert_uint_eq(ktrace_oldest(&ktrace), 3000);
	/* Without OPROF_KTRACE_COUNTS it is unknown whether a packet is being written. */
	refused = OPROF_KTRACE_COUNTS;
	refused_error = EIO;
	ck_assert_uint_eq(ktrace_oldest(&ktrace), 0);
}
END_TEST

START_TEST(what_another_process_held_is_let_go)
{
	rings[2].is_held = true;
	ktrace_let_go(&ktrace);
	ck_assert(!rings[2].is_held);
	ck_assert_uint_eq(rings[2].nr_kept, 1);
	ck_assert_uint_eq(rings[0].nr_kept, 0);
}
END_TEST

START_TEST(times_are_those_of_both_clocks_at_once)
{
	ktrace.info.monotonic_ns = 7000000000;
	ck_assert_uint_eq(ktrace_ns(&ktrace, OPENED), 7000000000);
	ck_assert_uint_eq(ktrace_ns(&ktrace, OPENED + FREQ_HZ), 8000000000);
	ck_assert_uint_eq(ktrace_ns(&ktrace, OPENED - FREQ_HZ / 1000), 6999000000);
	ck_assert_uint_eq(ktrace_now(&ktrace), NOW);
	refused = OPROF_KTRACE_INFO; /* the last value read stays */
	refused_error = EIO;
	ck_assert_uint_eq(ktrace_now(&ktrace), OPENED);
}
END_TEST

/* ---- to a folder ---- */

START_TEST(what_has_come_is_read_once)
{
	fill();
	ck_assert_int_eq(ktrace_drain(&ktrace, writer, &diag), 0);
	ck_assert_uint_eq(nr_flushed, 0);
	ck_assert_uint_eq(nr_written(0), NR_SUBS);
	ck_assert_uint_eq(nr_written(2), NR_SUBS);
	ck_assert_int_eq(ktrace_flush(&ktrace, writer, &diag), 0);
	ck_assert_uint_eq(nr_flushed, 1);
	ck_assert_uint_eq(nr_written(0), NR_SUBS);
	ck_assert_uint_eq(rings[0].nr_put, NR_SUBS);
	ck_assert_uint_eq(rings[0].nr_kept, 0);
}
END_TEST

START_TEST(a_packet_that_is_not_written_does_not_keep_the_rings_from_being_read)
{
	fill();
	rings[0].wrong_bytes = BYTES;
	ck_assert_int_eq(ktrace_drain(&ktrace, writer, &diag), -EPROTO);
	ck_assert_uint_eq(rings[0].nr_put, NR_SUBS);
	ck_assert_uint_eq(rings[2].nr_put, NR_SUBS);
	ck_assert_uint_eq(nr_written(2), NR_SUBS);
}
END_TEST

START_TEST(a_packet_that_is_not_put_back_ends_a_round)
{
	fill();
	rings[0].put_error = EIO;
	ck_assert_int_eq(ktrace_drain(&ktrace, writer, &diag), 0);
	ck_assert_uint_eq(nr_written(0), 1);
}
END_TEST

START_TEST(the_end_is_tried_until_no_writer_is_in_its_way)
{
	nr_to_finalise = 3;
	fill();
	ck_assert_int_eq(ktrace_finish(&ktrace, writer, &diag), 0);
	ck_assert_uint_eq(nr_to_finalise, 0);
	ck_assert_uint_eq(nr_written(0), NR_SUBS);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ktrace");
	const int nr_openings = sizeof(openings) / sizeof(*openings);
	const int nr_outsides = sizeof(outsides) / sizeof(*outsides);

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_module_that_cannot_be_used_is_refused_with_the_reason, 0,
			    nr_openings);
	tcase_add_loop_test(tests, a_channel_that_is_not_available_is_told, 0, 2);
	tcase_add_test(tests, a_ring_that_cannot_be_mapped_is_told);
	tcase_add_test(tests, filters_go_in_pieces_and_none_is_refused);
	tcase_add_test(tests, what_keeps_it_from_recording_is_told);
	tcase_add_test(tests, a_snapshot_takes_all_that_the_rings_hold_and_leaves_it_there);
	tcase_add_test(tests, a_snapshot_ends_before_it_is_settled_what_it_takes);
	tcase_add_test(tests, a_snapshot_of_nothing_begins_now);
	tcase_add_test(tests, a_ring_of_which_not_all_was_written_begins_at_0);
	tcase_add_loop_test(tests, a_ring_that_fails_is_told_and_the_others_are_taken, 0, 2);
	tcase_add_test(tests, a_packet_that_fails_is_told_and_the_others_are_taken);
	tcase_add_test(tests, packets_that_were_overwritten_are_counted_but_for_each_rings_oldest);
	tcase_add_test(tests, packets_that_are_not_there_are_no_errors);
	tcase_add_loop_test(tests, a_packet_outside_its_ring_is_refused, 0, nr_outsides);
	tcase_add_test(tests,
		       records_of_a_packet_that_is_not_written_are_counted_and_its_losses_are_not);
	tcase_add_test(
		tests,
		the_oldest_is_that_of_all_rings_and_of_empty_ones_what_a_writer_may_have_yet);
	tcase_add_test(tests, what_another_process_held_is_let_go);
	tcase_add_test(tests, times_are_those_of_both_clocks_at_once);
	tcase_add_test(tests, what_has_come_is_read_once);
	tcase_add_test(tests, a_packet_that_is_not_written_does_not_keep_the_rings_from_being_read);
	tcase_add_test(tests, a_packet_that_is_not_put_back_ends_a_round);
	tcase_add_test(tests, the_end_is_tried_until_no_writer_is_in_its_way);
	return test_run(tests);
}
