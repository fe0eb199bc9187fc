// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/reader.h"
#include "ctf/writer.h"
#include "lib/file.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/thorough.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 4096

static struct make_packet packet;
static struct ctf_writer *writer;
static struct diag diag;
static unsigned int file;

/*
 * The linker redirects the writer's calls here: each writes at most pwrite_max bytes; 0: no limit.
 */
static size_t pwrite_max;

ssize_t __real_pwrite(int fd, const void *bytes, size_t nr, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t nr, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t nr, off_t offset)
{
	return __real_pwrite(fd, bytes, pwrite_max && nr > pwrite_max ? pwrite_max : nr, offset);
}

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &made_trace, &diag), 0);
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &file, &diag), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	writer = NULL;
	test_folder_teardown();
}

/*
 * Makes packet number i with three records. Also runs in children, which must not use Check's
 * assertions: their messages would mix with ours, or be cut by a kill.
 */
static void make(uint64_t i)
{
	make_packet_begin(&packet, made_trace.uuid, 0, i, 1000 * i, BYTES);
	for (uint64_t j = 0; j < 3; j++)
		if (!make_packet_add(&packet, 0, 1000 * i + j, 1, "", 0))
			abort();
	make_packet_end(&packet, 1000 * i + 10);
}

static int append(void)
{
	return ctf_writer_append(writer, file, packet.bytes, packet.nr_bytes, &diag);
}

/*
 * Reads the folder back: all packets must be sound, except for up to cut_max cut ones at the end.
 */
static struct ctf_stream_counts read_back(unsigned int cut_max)
{
	struct ctf_stream_counts counts;
	struct ctf_reader *reader;
	struct ctf_record record;
	int result;

	result = ctf_reader_open(&reader, "trace", &diag);
	ck_assert_msg(!result, "%s", diag_show(&diag));
	while ((result = ctf_reader_next(reader, &record, &diag)))
		ck_assert_msg(result > 0 || strstr(diag.text, "file ends within"), "%s",
			      diag_show(&diag));
	counts = ctf_stream_counts(ctf_reader_stream(reader, 0));
	ck_assert_uint_eq(counts.lost_damaged + counts.nr_disordered, 0);
	ck_assert_uint_le(counts.lost_cut, cut_max);
	ck_assert_uint_eq(counts.nr_records, 3 * counts.nr_packets);
	ctf_reader_close(reader);
	return counts;
}

/* ---- folder ---- */

START_TEST(a_folder_is_readable_before_it_is_closed)
{
	struct stat st;

	make(0);
	ck_assert_int_eq(append(), 0);
	ck_assert_uint_eq(read_back(0).nr_packets, 1);
	ck_assert_int_eq(stat("trace", &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(stat("trace/metadata", &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_int_ne(access("trace/.metadata.tmp", F_OK), 0);
}
END_TEST

START_TEST(only_an_empty_folder_is_taken)
{
	struct ctf_writer *other;

	ck_assert_int_eq(ctf_writer_open(&other, "no/where", &made_trace, &diag), -ENOENT);
	ck_assert_str_eq(diag.file, "no/where");
	ck_assert_int_eq(file_replace("a_file", "x", 1, 0600), 0);
	ck_assert_int_eq(ctf_writer_open(&other, "a_file", &made_trace, &diag), -ENOTDIR);
	ck_assert_int_eq(mkdir("empty", 0755), 0);
	ck_assert_int_eq(ctf_writer_open(&other, "empty", &made_trace, &diag), 0);
	ck_assert_int_eq(ctf_writer_close(other, &diag), 0);
	ck_assert_int_eq(ctf_writer_open(&other, "empty", &made_trace, &diag), -ENOTEMPTY);
	ck_assert_msg(strstr(diag.text, "is not empty"), "%s", diag.text);
	ck_assert_int_eq(access("empty/metadata", F_OK), 0);
}
END_TEST

START_TEST(a_wrong_description_leaves_no_folder)
{
	struct ctf_trace trace = made_trace;
	struct ctf_writer *other;

	trace.clock.freq_hz = 0;
	ck_assert_int_eq(ctf_writer_open(&other, "other", &trace, &diag), -EINVAL);
	ck_assert_int_ne(access("other", F_OK), 0);
}
END_TEST

#define NR_RIVALS 4

/*
 * Waits for the gate, then returns whether rival i could open a writer for a trace with its own
 * uuid.
 */
static bool is_taken_by(unsigned int i, int gate)
{
	struct ctf_trace trace = made_trace;
	struct ctf_writer *other;
	char c;

	trace.uuid[0] = (uint8_t)(0xa0 + i);
	return !read(gate, &c, 1) && !ctf_writer_open(&other, "contested", &trace, NULL);
}

/* Runs the rivals; returns a bit for each that took the folder. */
static unsigned int contest(void)
{
	unsigned int winners = 0;
	pid_t pids[NR_RIVALS];
	int gate[2];

	ck_assert_int_eq(pipe(gate), 0);
	for (unsigned int i = 0; i < NR_RIVALS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			close(gate[1]);
			_exit(is_taken_by(i, gate[0]));
		}
		ck_assert_int_gt(pids[i], 0);
	}
	close(gate[0]);
	close(gate[1]);
	for (unsigned int i = 0; i < NR_RIVALS; i++) {
		int status;

		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert(WIFEXITED(status));
		winners |= (unsigned int)WEXITSTATUS(status) << i;
	}
	return winners;
}

START_TEST(of_several_writers_one_takes_the_folder_and_its_metadata_stays)
{
	const int nr_rounds = 200 / (int)thorough_stride(1);

	for (int round = 0; round < nr_rounds; round++) {
		const unsigned int winners = contest();
		struct ctf_reader *reader;

		/* A round may have no winner, but never two. */
		ck_assert_msg(!(winners & (winners - 1)), "round %d: writers %#x", round, winners);
		if (winners) {
			ck_assert_msg(!ctf_reader_open(&reader, "contested", &diag), "%s",
				      diag_show(&diag));
			ck_assert_uint_eq(1U << (ctf_reader_trace(reader)->uuid[0] - 0xa0),
					  winners);
			ctf_reader_close(reader);
		}
		(void)file_remove_tree("contested");
	}
}
END_TEST

START_TEST(a_folder_that_is_written_is_busy_though_it_is_empty)
{
	struct ctf_writer *other;

	ck_assert_int_eq(unlink("trace/metadata"), 0);
	ck_assert_int_eq(unlink("trace/channel_0"), 0);
	ck_assert_int_eq(ctf_writer_open(&other, "trace", &made_trace, &diag), -EBUSY);
	ck_assert_msg(strstr(diag.text, "another"), "%s", diag.text);
}
END_TEST

START_TEST(names_of_files_stay_in_the_folder)
{
	static const char *const names[] = {"", ".hidden", "..", "a/b", "metadata"};
	unsigned int other;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_int_eq(ctf_writer_add_file(writer, names[i], 0, &other, &diag), -EINVAL);
	ck_assert_int_eq(ctf_writer_add_file(writer, "b", 5, &other, &diag), -EINVAL);
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &other, &diag), -EEXIST);
	ck_assert_int_eq(symlink("../out", "trace/link"), 0);
	ck_assert_int_eq(ctf_writer_add_file(writer, "link", 0, &other, &diag), -EEXIST);
	ck_assert_int_eq(ctf_writer_add_file(writer, "b", 7, &other, &diag), 0);
	ck_assert_uint_ne(other, file);
}
END_TEST

/* ---- packets ---- */

static void refused(const char *said)
{
	make_packet_set_header(&packet);
	ck_assert_int_eq(append(), -EBADMSG);
	ck_assert_msg(strstr(diag.text, said), "%s", diag.text);
	make(1);
}

START_TEST(packets_with_a_fault_are_refused_and_counted)
{
	struct ctf_writer_counts counts;

	make(0);
	packet.nr_bytes /= 2;
	refused("packet_size differs from the packet's size");
	make(0);
	ck_assert_int_eq(append(), 0);
	make(1);
	packet.header.magic = 0;
	refused("magic");
	packet.header.uuid[3] ^= 1;
	refused("uuid");
	packet.header.stream_id = 7;
	refused("a different stream than its file");
	packet.header.packet_bits *= 2;
	refused("packet_size");
	packet.header.content_bits = packet.header.packet_bits + 8;
	refused("content_size");
	packet.header.time_begin = 5;
	refused("begins before");
	packet.header.seq = 0;
	refused("packet_seq_num");
	packet.nr_bytes = 100;
	refused("shorter");
	counts = ctf_writer_counts(writer);
	ck_assert_uint_eq(counts.lost_refused_packets, 9);
	ck_assert_uint_eq(counts.nr_packets, 1);
	ck_assert_int_eq(append(), 0);
	ck_assert_uint_eq(read_back(0).nr_packets, 2);
}
END_TEST

START_TEST(a_packet_that_is_written_piece_by_piece_is_whole)
{
	static uint8_t found[2 * BYTES];
	int fd;

	for (pwrite_max = 50; pwrite_max <= 1000; pwrite_max += 950) {
		make(pwrite_max);
		ck_assert_int_eq(append(), 0);
	}
	pwrite_max = 0;
	fd = open("trace/channel_0", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_pread_all(fd, found, sizeof(found), 0), sizeof(found));
	close(fd);
	ck_assert_mem_eq(found + BYTES, packet.bytes, BYTES);
	ck_assert_uint_eq(read_back(0).nr_packets, 2);
}
END_TEST

/* Changes bits until the test ends. */
static void spoil(volatile uint64_t *bits)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	for (;;)
		*bits ^= UINT64_C(1) << 40;
}

/*
 * The maker of the packet still has its memory and keeps changing content_size between a sound and
 * a wrong value.
 */
START_TEST(a_packet_that_changes_while_it_is_written_is_written_as_it_was_checked)
{
	void *shared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const size_t start = offsetof(struct oprof_packet_header, content_bits);
	struct ctf_writer_counts counts;
	pid_t pid;

	ck_assert_ptr_ne(shared, MAP_FAILED);
	make(0);
	memcpy(shared, packet.bytes, BYTES);
	pid = fork();
	if (!pid)
		spoil((volatile uint64_t *)((char *)shared + start));
	ck_assert_int_gt(pid, 0);
	for (uint64_t i = 0; i < 20000; i++) {
		make(i);
		memcpy(shared, packet.bytes, start);
		memcpy((char *)shared + start + 8, packet.bytes + start + 8, BYTES - start - 8);
		(void)ctf_writer_append(writer, file, shared, BYTES, &diag);
	}
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(munmap(shared, BYTES), 0);
	counts = ctf_writer_counts(writer);
	ck_assert_uint_eq(counts.nr_packets + counts.lost_refused_packets, 20000);
	ck_assert_uint_eq(read_back(0).nr_packets, counts.nr_packets);
}
END_TEST

/* ---- a full disk ---- */

/* Appends packets until one is not written; returns its number. */
static uint64_t fill(int wanted)
{
	uint64_t i = 0;
	int error;

	do
		make(i++);
	while (!(error = append()) && i < 1000);
	ck_assert_int_eq(error, wanted);
	ck_assert_msg(strstr(diag.text, "channel_0: a packet is lost"), "%s", diag.text);
	ck_assert_uint_gt(i, 1);
	return i - 1;
}

/* Continues after nr packets were written and nr_lost were lost. */
static void after_room_is_made(uint64_t nr, uint64_t nr_lost)
{
	struct ctf_writer_counts counts = ctf_writer_counts(writer);
	struct ctf_stream_counts found;
	struct stat st;

	ck_assert_uint_eq(counts.nr_packets, nr);
	ck_assert_uint_eq(counts.nr_records, 3 * nr);
	ck_assert_uint_eq(counts.lost_unwritten_packets, nr_lost);
	ck_assert_uint_eq(counts.lost_unwritten_records, 3 * nr_lost);
	make(nr + nr_lost);
	ck_assert_int_eq(append(), 0);
	ck_assert_int_eq(stat("trace/channel_0", &st), 0);
	ck_assert_int_eq(st.st_size, (off_t)(nr + 1) * BYTES);
	found = read_back(0);
	ck_assert_uint_eq(found.nr_packets, nr + 1);
	ck_assert_uint_eq(found.lost_overwritten, nr_lost); /* the gap in the numbers */
}

/* Returns a descriptor with a packet of nr_bytes. */
static int spliceable(size_t nr_bytes)
{
	const int fd = memfd_create("packet", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, packet.bytes, nr_bytes), (ssize_t)nr_bytes);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int move(size_t nr_bytes)
{
	const int fd = spliceable(nr_bytes);
	const int error = ctf_writer_move(writer, file, &packet.header, fd, packet.nr_bytes, &diag);

	ck_assert_int_eq(close(fd), 0);
	return error;
}

START_TEST(packets_are_moved_as_they_are_appended)
{
	for (uint64_t i = 0; i < 20; i++) {
		make(i);
		ck_assert_int_eq(i % 3 ? move(BYTES) : append(), 0);
	}
	ck_assert_uint_eq(read_back(0).nr_packets, 20);
	ck_assert_uint_eq(ctf_writer_counts(writer).nr_bytes, 20 * BYTES);
	make(3);
	ck_assert_int_eq(move(BYTES), -EBADMSG); /* a packet with its number is already there */
	ck_assert_uint_eq(read_back(0).nr_packets, 20);
	ck_assert_uint_eq(ctf_writer_counts(writer).lost_refused_packets, 1);
}
END_TEST

START_TEST(a_packet_that_cannot_all_be_moved_leaves_nothing)
{
	make(0);
	ck_assert_int_eq(move(BYTES), 0);
	make(1);
	ck_assert_int_eq(move(BYTES / 2), -EIO);
	ck_assert_uint_eq(ctf_writer_counts(writer).lost_unwritten_packets, 1);
	ck_assert_uint_eq(ctf_writer_counts(writer).lost_unwritten_records, 3);
	make(2);
	ck_assert_int_eq(move(BYTES), 0);
	ck_assert_uint_eq(read_back(0).nr_packets, 2);
}
END_TEST

START_TEST(a_limit_on_the_file_leaves_whole_packets_only)
{
	const struct rlimit limit = {5 * BYTES + 1000, RLIM_INFINITY};
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	struct stat st;
	uint64_t nr;

	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	nr = fill(-EFBIG);
	ck_assert_uint_eq(nr, 5);
	ck_assert_int_eq(stat("trace/channel_0", &st), 0);
	ck_assert_int_eq(st.st_size, 5 * BYTES);
	make(nr + 1);
	ck_assert_int_eq(append(), -EFBIG);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	after_room_is_made(nr, 2);
}
END_TEST

/*
 * Mounts a file system of 64 KiB in a mount namespace of this process; returns false without
 * permission.
 */
static bool mount_small(void)
{
	ck_assert_int_eq(mkdir("small", 0700), 0);
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", "small", "tmpfs", 0, "size=96k") && !chdir("small");
}

START_TEST(a_full_disk_leaves_whole_packets_only)
{
	static const char ballast[8192];
	uint64_t nr;

	if (!mount_small())
		return;
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	ck_assert_int_eq(file_replace("ballast", ballast, sizeof(ballast), 0600), 0);
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &made_trace, &diag), 0);
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &file, &diag), 0);
	nr = fill(-ENOSPC);
	ck_assert_uint_eq(read_back(0).nr_packets, nr);
	ck_assert_int_eq(unlink("ballast"), 0);
	after_room_is_made(nr, 1);
	ck_assert_int_eq(chdir(".."), 0);
	ck_assert_int_eq(umount2("small", MNT_DETACH), 0);
}
END_TEST

/* ---- kills ---- */

/* Writes packets for ever and counts the acknowledged ones. */
static void write_for_ever(volatile uint64_t *acknowledged)
{
	if (ctf_writer_open(&writer, "trace", &made_trace, &diag) ||
	    ctf_writer_add_file(writer, "channel_0", 0, &file, &diag))
		_exit(1);
	for (uint64_t i = 0;; i++) {
		make(i);
		if (append())
			_exit(1);
		*acknowledged = i + 1;
	}
}

START_TEST(a_killed_writer_leaves_all_it_had_acknowledged)
{
	void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	volatile uint64_t *acknowledged;
	struct ctf_stream_counts counts;

	ck_assert_ptr_ne(shared, MAP_FAILED);
	acknowledged = shared;
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	writer = NULL;
	for (uint64_t i = 0; i < 40; i++) {
		pid_t pid;

		ck_assert_int_eq(file_remove_tree("trace"), 0);
		*acknowledged = 0;
		pid = fork();
		if (!pid)
			write_for_ever(acknowledged);
		ck_assert_int_gt(pid, 0);
		while (*acknowledged < 1 + i * 3)
			ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		counts = read_back(1);
		ck_assert_uint_ge(counts.nr_packets, *acknowledged);
		ck_assert_uint_le(counts.nr_packets, *acknowledged + 1);
	}
	ck_assert_int_eq(munmap(shared, 4096), 0);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("ctf_writer");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_folder_is_readable_before_it_is_closed);
	tcase_add_test(tc, only_an_empty_folder_is_taken);
	tcase_add_test(tc, a_wrong_description_leaves_no_folder);
	tcase_add_test(tc, of_several_writers_one_takes_the_folder_and_its_metadata_stays);
	tcase_add_test(tc, a_folder_that_is_written_is_busy_though_it_is_empty);
	tcase_add_test(tc, names_of_files_stay_in_the_folder);
	tcase_add_test(tc, packets_with_a_fault_are_refused_and_counted);
	tcase_add_test(tc, a_packet_that_is_written_piece_by_piece_is_whole);
	tcase_add_test(tc, a_packet_that_changes_while_it_is_written_is_written_as_it_was_checked);
	tcase_add_test(tc, packets_are_moved_as_they_are_appended);
	tcase_add_test(tc, a_packet_that_cannot_all_be_moved_leaves_nothing);
	tcase_add_test(tc, a_limit_on_the_file_leaves_whole_packets_only);
	tcase_add_test(tc, a_full_disk_leaves_whole_packets_only);
	tcase_add_test(tc, a_killed_writer_leaves_all_it_had_acknowledged);
	return test_run(tc);
}
