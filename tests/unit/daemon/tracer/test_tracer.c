// SPDX-License-Identifier: GPL-2.0-or-later
/* Snapshots of a kind of tracer that the test defines. */
#include "daemon/tracer/tracer_perf_internal.h"

#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACKET_BYTES 4096u
#define NR_PACKETS   3u
#define NR_EACH	     5u /* records in each packet */
#define NR_RECORDS   (NR_PACKETS * NR_EACH)

static struct tracer tracer;
static struct tracer_snapshot taken;
static struct diag diag;
static struct make_packet packet;

static void limit_files(rlim_t nr_bytes)
{
	struct rlimit limit;

	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = nr_bytes < limit.rlim_max ? nr_bytes : limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static bool no_room; /* none for packets after the metadata */

static int fake_snapshot(struct tracer *of, struct ctf_writer *writer, struct tracer_snapshot *into,
			 struct diag *why)
{
	unsigned int file;
	int error;

	(void)of;
	if (no_room)
		limit_files(0);
	*into = (struct tracer_snapshot){.nr_records = NR_RECORDS, .lost = 4, .overwritten = 2};
	error = ctf_writer_add_file(writer, "channel_0", 0, &file, why);
	for (uint64_t seq = 0; seq < NR_PACKETS; seq++) {
		struct diag one_diag;

		make_packet_begin(&packet, made_trace.uuid, 0, seq, 1000 * seq, PACKET_BYTES);
		for (uint64_t i = 0; i < NR_EACH; i++)
			ck_assert(make_packet_add(&packet, 0, 1000 * seq + i, 1, "", 0));
		make_packet_end(&packet, 1000 * seq + NR_EACH);
		error = diag_first(
			error,
			ctf_writer_append(writer, file, packet.bytes, PACKET_BYTES, &one_diag),
			&one_diag, why);
	}
	return error;
}

/* Called through the linker's --wrap. */
static bool no_sync;
int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	if (!no_sync)
		return __real_fsync(fd);
	errno = EIO;
	return -1;
}

static const struct tracer_ops fake_ops = {.snapshot = fake_snapshot};

static void setup(void)
{
	test_folder_setup();
	tracer = (struct tracer){.ops = &fake_ops, .trace = made_trace};
	memset(&taken, 0xff, sizeof(taken));
	no_sync = no_room = false;
}

static void teardown(void)
{
	limit_files(RLIM_INFINITY);
	test_folder_teardown();
}

START_TEST(a_snapshot_holds_all_that_was_taken)
{
	ck_assert_int_eq(tracer_snapshot(&tracer, "trace", &taken, &diag), 0);
	ck_assert_uint_eq(taken.nr_records, NR_RECORDS);
	ck_assert_uint_eq(taken.nr_unwritten, 0);
	ck_assert_uint_eq(taken.nr_packets, NR_PACKETS);
	ck_assert_uint_eq(taken.nr_bytes, NR_PACKETS * PACKET_BYTES);
	ck_assert(!taken.is_part);
}
END_TEST

START_TEST(what_a_full_disk_leaves_of_a_snapshot_is_told)
{
	int error;

	/* Room for the metadata, which is shorter than a packet and a half, and for one packet. */
	limit_files(2 * PACKET_BYTES - 1);
	error = tracer_snapshot(&tracer, "trace", &taken, &diag);
	ck_assert_msg(error == -EFBIG, "%d: %s", error, diag_show(&diag));
	ck_assert_uint_eq(taken.nr_records, NR_EACH);
	ck_assert_uint_eq(taken.nr_unwritten, NR_RECORDS - NR_EACH);
	ck_assert_uint_eq(taken.nr_packets, 1);
	ck_assert_uint_eq(taken.lost, 4);
	ck_assert_uint_eq(taken.overwritten, 2);
	ck_assert_ptr_nonnull(strstr(
		diag_show(&diag), "trace: file channel_0: a packet is lost: File too large; the "
				  "folder contains 5 of the 15 events that were taken from memory "
				  "(4 lost, 2 packets overwritten)"));
	ck_assert(taken.is_part);
}
END_TEST

START_TEST(a_full_disk_that_takes_no_packet_leaves_nothing)
{
	no_room = true;
	ck_assert_int_eq(tracer_snapshot(&tracer, "trace", &taken, &diag), -EFBIG);
	ck_assert_int_ne(access("trace", F_OK), 0);
	ck_assert_uint_eq(taken.nr_records, 0);
	ck_assert_uint_eq(taken.nr_unwritten, NR_RECORDS);
	ck_assert(!taken.is_part);
	ck_assert_ptr_null(strstr(diag_show(&diag), "contains"));
	/* A folder that existed before is kept. */
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(mkdir("trace", 0700), 0);
	ck_assert_int_eq(tracer_snapshot(&tracer, "trace", &taken, &diag), -EFBIG);
	ck_assert_int_eq(rmdir("trace"), 0);
}
END_TEST

/* Which part of the trace reached the disk is unknown. */
START_TEST(what_the_disk_may_have_lost_at_the_end_is_not_told_as_there)
{
	no_sync = true;
	ck_assert_int_eq(tracer_snapshot(&tracer, "trace", &taken, &diag), -EIO);
	ck_assert_str_eq(diag_show(&diag),
			 "trace: cannot write all of the trace to disk: Input/output error");
	ck_assert_uint_eq(taken.nr_unwritten, 0);
	ck_assert(taken.is_part);
	ck_assert_int_eq(rename("trace", "other"), 0);
	limit_files(2 * PACKET_BYTES - 1);
	ck_assert_int_eq(tracer_snapshot(&tracer, "trace", &taken, &diag), -EFBIG);
	ck_assert_str_eq(diag_show(&diag),
			 "trace: file channel_0: a packet is lost: File too large");
	ck_assert(taken.is_part);
}
END_TEST

START_TEST(of_a_snapshot_without_a_folder_there_is_nothing)
{
	ck_assert_int_eq(tracer_snapshot(&tracer, "no/trace", &taken, &diag), -ENOENT);
	ck_assert_uint_eq(taken.nr_records, 0);
	ck_assert_uint_eq(taken.nr_packets, 0);
	ck_assert(!taken.is_part);
	ck_assert_ptr_null(strstr(diag_show(&diag), "contains"));
}
END_TEST

/* ---- a flight recorder of perf events ---- */

static struct trace_perf_sink sink;

/* The rings have their largest possible size. */
START_TEST(a_flight_recorder_whose_rings_find_no_memory_does_not_start)
{
	static const struct trace_perf_event event = {
		.name = "sample", .kind = TRACE_RECORD_SAMPLE, .samples_hz = 99};
	const struct trace_channel_config config = {.mode = RING_OVERWRITE,
						    .sub_buffer_bytes = RING_SUB_BUFFER_MAX,
						    .nr_sub_buffers = RING_NR_SUB_BUFFERS_MAX,
						    .nr_cpus = TRACE_CHANNEL_NR_CPUS_MAX};
	const int32_t self = (int32_t)getpid();
	const struct trace_perf_config perf = {.events = &event,
					       .nr_events = 1,
					       .ring_bytes = 1 << 16,
					       .sink = &sink,
					       .tids = &self,
					       .nr_tids = 1};
	struct tracer_perf flight = {.base.ops = &tracer_perf_ops};
	const size_t nr_bytes = (size_t)config.sub_buffer_bytes * config.nr_sub_buffers;
	void *memory =
		mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	if (memory != MAP_FAILED) { /* the kernel promises any memory (vm.overcommit_memory) */
		ck_assert_int_eq(munmap(memory, nr_bytes), 0);
		return;
	}
	error = trace_perf_open(&flight.perf, &perf, &diag);
	if (error == -EACCES || error == -EPERM) /* performance events are refused here */
		return;
	ck_assert_msg(!error, "%s", diag_show(&diag));
	ck_assert_int_eq(trace_channel_create(&flight.channel, &config, &diag), 0);
	ck_assert_int_eq(tracer_perf_ops.start(&flight.base, &diag), -ENOMEM);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "cannot make the buffers of CPU "));
	trace_channel_destroy(flight.channel);
	trace_perf_close(flight.perf);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("tracer");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_snapshot_holds_all_that_was_taken);
	tcase_add_test(tests, what_a_full_disk_leaves_of_a_snapshot_is_told);
	tcase_add_test(tests, a_full_disk_that_takes_no_packet_leaves_nothing);
	tcase_add_test(tests, what_the_disk_may_have_lost_at_the_end_is_not_told_as_there);
	tcase_add_test(tests, of_a_snapshot_without_a_folder_there_is_nothing);
	tcase_add_test(tests, a_flight_recorder_whose_rings_find_no_memory_does_not_start);
	return test_run(tests);
}
