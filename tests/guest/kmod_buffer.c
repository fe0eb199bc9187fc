// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the buffer: opening it, reading it, and its run when the reader is slow, has little room
 * or is killed. Runs in a guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/kmod_files.h"
#include "tests/guest/kmod_numbers.h"
#include "tests/guest/kmod_test.h"
#include "tests/guest/stream_check.h"

/* The timer's period: KMOD_PERIOD_NS in the environment, for guests where a sample takes long. */
static uint64_t period_ns = 500000;

static char room[1 << 20];
static void *volatile nowhere = (void *)16;

/* ---- a run ---- */

static int buffer_open(int flags)
{
	int fd = kmod_open("buffer", O_RDONLY | flags);

	if (fd < 0)
		kmod_must(fd, "buffer");
	return fd;
}

static void enable(int on)
{
	kmod_must(kmod_write_number("enable", on), "enable");
}

/* Spins until so many samples were seen. */
static void run_until_seen(uint64_t nr_samples)
{
	while (kmod_stats("seen") < nr_samples)
		for (volatile int i = 0; i < 1000000; i++)
			;
}

static void read_all(int fd, struct stream_check *check, size_t room_bytes)
{
	ssize_t nr;

	while ((nr = read(fd, room, room_bytes)) > 0)
		stream_check_feed(check, room, nr);
	CHECK_IS(nr, -1);
	CHECK_IS(errno, EAGAIN);
}

/* Ends the run: reads everything, checks the sums, and checks that the references were released. */
static void end_and_check(int fd, struct stream_check *check, size_t room_bytes)
{
	enable(0);
	/* The losses of a full buffer fit into it after it has been read. */
	read_all(fd, check, room_bytes);
	kmod_must(kmod_write_text("dump", "1"), "dump");
	read_all(fd, check, room_bytes);
	stream_check_sums(check);
	close(fd);
	CHECK_IS(check->nr_faults, 0);
	CHECK_IS(kmod_stats("references_taken"), (int64_t)kmod_stats("references_dropped"));
	stream_check_deinit(check);
}

static void sizes(uint64_t buffer, uint64_t watershed, uint64_t cpu_buffer)
{
	kmod_must(kmod_write_number("buffer_watershed", 1), "buffer_watershed");
	kmod_must(kmod_write_number("buffer_size", buffer), "buffer_size");
	kmod_must(kmod_write_number("buffer_watershed", watershed), "buffer_watershed");
	kmod_must(kmod_write_number("cpu_buffer_size", cpu_buffer), "cpu_buffer_size");
}

/* Sets the state in which every test starts. */
static void begin(void)
{
	kmod_numbers_reset();
	kmod_use_timer(period_ns);
}

/* ---- opening ---- */

static void one_opens_it_at_a_time(void)
{
	int fd, i;

	begin();
	for (i = 0; i < 20; i++) {
		fd = buffer_open(0);
		CHECK_IS(kmod_open("buffer", O_RDONLY), -EBUSY);
		close(fd);
	}
}

static void settings_are_refused_while_it_is_open(void)
{
	unsigned int i;
	int fd;

	begin();
	fd = buffer_open(0);
	for (i = 0; i < kmod_nr_numbers; i++) {
		const char *name = kmod_numbers[i].name;
		uint64_t before = kmod_number(name);

		CHECK_IS_OF(kmod_write_number(name, kmod_numbers[i].max), -EBUSY, name);
		CHECK_IS_OF(kmod_number(name), (int64_t)before, name);
	}
	close(fd);
	CHECK_IS(kmod_write_number("switches", 0), 0);
}

static void enable_refuses_what_can_not_be(void)
{
	int fd;

	begin();
	kmod_must(kmod_write_number("0/kernel", 0), "0/kernel");
	kmod_must(kmod_write_number("0/user", 0), "0/user");
	fd = buffer_open(0);
	CHECK_IS(kmod_write_text("enable", "1"), -EINVAL); /* no counter is enabled */
	CHECK_IS(kmod_number("enable"), 0);
	close(fd);
	begin();
	kmod_must(kmod_write_number("0/count", 9999), "0/count");
	fd = buffer_open(0);
	CHECK_IS(kmod_write_text("enable", "1"), -EINVAL); /* period too short */
	close(fd);
	begin();
	kmod_must(kmod_write_number("1/type", 0xfffffff0), "1/type");
	kmod_must(kmod_write_number("1/count", 1000), "1/count");
	kmod_must(kmod_write_number("1/enabled", 1), "1/enabled");
	fd = buffer_open(0);
	CHECK_IS(kmod_write_text("enable", "1"), -ENOENT); /* no such PMU */
	CHECK_IS(kmod_number("enable"), 0);
	CHECK_IS(kmod_write_text("dump", "1"), 0);
	CHECK_IS(kmod_stats("seen"), kmod_stats("stored") + kmod_stats_sum("lost_"));
	close(fd);
}

static void enabled_twice_is_enabled(void)
{
	struct stream_check check = {0};
	int fd, i;

	begin();
	fd = buffer_open(O_NONBLOCK);
	CHECK_IS(kmod_write_text("enable", "0"), 0);
	for (i = 0; i < 5; i++) {
		enable(1);
		enable(1);
		CHECK_IS(kmod_number("enable"), 1);
		run_until_seen(kmod_stats("seen") + 10);
		enable(0);
		enable(0);
		CHECK_IS(kmod_number("enable"), 0);
	}
	end_and_check(fd, &check, sizeof(room));
}

/* ---- reading ---- */

static void without_a_record_a_read_would_block(void)
{
	int fd;

	begin();
	fd = buffer_open(O_NONBLOCK);
	CHECK_IS(read(fd, room, sizeof(room)), -1);
	CHECK_IS(errno, EAGAIN);
	CHECK_IS(pread(fd, room, sizeof(room), 0), -1);
	CHECK_IS(errno, ESPIPE);
	CHECK_IS(lseek(fd, 0, SEEK_SET), -1);
	CHECK_IS(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, 1);
	close(fd);
}

/* A read that is too small for the first record fails without losing anything. */
static void a_read_gives_whole_records(void)
{
	static const size_t rooms[] = {4096, 512, 264, 200, 1 << 20};
	struct stream_check check = {0};
	unsigned int i;
	int fd;

	begin();
	kmod_must(kmod_write_number("backtrace_depth", 4), "backtrace_depth");
	fd = buffer_open(O_NONBLOCK);
	enable(1);
	run_until_seen(500);
	kmod_must(kmod_write_text("dump", "1"), "dump");
	for (i = 0; i < 8; i++) {
		CHECK_IS(read(fd, room, i), -1);
		CHECK_IS(errno, EINVAL);
	}
	CHECK_IS(read(fd, nowhere, 4096), -1);
	CHECK_IS(errno, EFAULT);
	for (i = 0; i < 1000; i++) {
		/* Records with names are longer than the smallest of these sizes. */
		size_t bytes = rooms[i % (sizeof(rooms) / sizeof(*rooms))] + i % 8;
		ssize_t nr = read(fd, room, bytes);

		if (nr > 0)
			stream_check_feed(&check, room, nr);
		else if (errno != EINVAL)
			break;
	}
	end_and_check(fd, &check, 8192 + 5);
}

static void on_signal(int number)
{
	(void)number;
}

/* Waits until a process sleeps; that may take any time. */
static int is_asleep(pid_t pid)
{
	char path[64], text[256] = "", *state;
	int fd, tries;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (tries = 0; tries < 10000; tries++) {
		fd = open(path, O_RDONLY);
		if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
			return 0;
		close(fd);
		state = strrchr(text, ')');
		if (state && state[2] == 'S')
			return 1;
		usleep(1000);
	}
	return 0;
}

/* Reads once in a process of its own: exit status 0 if data came, else 100 + errno. */
static pid_t reader_start(int fd)
{
	struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART */
	pid_t pid = fork();
	ssize_t nr;

	if (pid)
		return pid;
	sigaction(SIGUSR1, &action, NULL);
	nr = read(fd, room, sizeof(room));
	_exit(nr > 0 ? 0 : 100 + errno);
}

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_read_waits_until_the_watershed(void)
{
	pid_t pid;
	int fd;

	begin();
	sizes(1024, 16, 8192);
	fd = buffer_open(0);
	pid = reader_start(fd);
	CHECK(is_asleep(pid));
	CHECK_IS(waitpid(pid, NULL, WNOHANG), 0);
	enable(1);
	run_until_seen(100);
	CHECK_IS(status_of(pid), 0);
	close(fd);
}

static void a_signal_ends_a_read_that_waits(void)
{
	pid_t pid;
	int fd;

	begin();
	fd = buffer_open(0);
	pid = reader_start(fd);
	CHECK(is_asleep(pid));
	kill(pid, SIGUSR1);
	CHECK_IS(status_of(pid), 100 + EINTR);
	pid = reader_start(fd);
	CHECK(is_asleep(pid));
	kill(pid, SIGKILL);
	CHECK_IS(status_of(pid), -1);
	close(fd);
}

static int is_readable(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	CHECK(poll(&poll_fd, 1, 0) >= 0);
	return poll_fd.revents == POLLIN;
}

static void it_is_readable_after_a_dump_and_when_disabled(void)
{
	struct stream_check check = {0};
	int fd;

	begin(); /* sets a watershed that is not reached */
	fd = buffer_open(O_NONBLOCK);
	CHECK(!is_readable(fd));
	kmod_must(kmod_write_text("dump", "1"), "dump");
	CHECK(!is_readable(fd)); /* nothing to read */
	enable(1);
	run_until_seen(50);
	kmod_must(kmod_write_text("dump", ""), "dump");
	CHECK(is_readable(fd));
	read_all(fd, &check, sizeof(room)); /* at least the records that the dump delivered */
	CHECK(!is_readable(fd));
	run_until_seen(kmod_stats("seen") + 50);
	CHECK(!is_readable(fd));
	enable(0);
	CHECK(is_readable(fd));
	read_all(fd, &check, sizeof(room));
	CHECK(!is_readable(fd));
	end_and_check(fd, &check, sizeof(room));
}

static void poll_waits_until_the_watershed(void)
{
	struct stream_check check = {0};
	struct pollfd poll_fd = {.events = POLLIN};
	ssize_t nr;

	begin();
	sizes(2048, 256, 8192); /* 16384 bytes */
	poll_fd.fd = buffer_open(O_NONBLOCK);
	enable(1);
	CHECK_IS(poll(&poll_fd, 1, -1), 1);
	nr = read(poll_fd.fd, room, sizeof(room));
	CHECK(nr >= 256 * 64);
	if (nr > 0)
		stream_check_feed(&check, room, nr);
	end_and_check(poll_fd.fd, &check, sizeof(room));
}

/*
 * A watershed of the whole buffer is seldom reached to the byte: eight depths, and so eight sizes
 * of records, leave different numbers of bytes free.
 */
static void a_full_buffer_wakes_its_reader(void)
{
	int depth;

	for (depth = 0; depth < 8; depth++) {
		struct stream_check check = {0};
		uint64_t nr_passes;
		int fd;

		begin();
		kmod_must(kmod_write_number("0/count", period_ns / 10), "0/count");
		kmod_must(kmod_write_number("backtrace_depth", depth), "backtrace_depth");
		sizes(1024, 1024, 8192);
		fd = buffer_open(O_NONBLOCK);
		enable(1);
		while (kmod_stats("lost_buffer") < 100)
			run_until_seen(kmod_stats("seen") + 100);
		/* A pass is counted before its records are visible. */
		nr_passes = kmod_stats("passes");
		while (kmod_stats("passes") < nr_passes + 2)
			run_until_seen(kmod_stats("seen") + 1);
		CHECK(is_readable(fd));
		end_and_check(fd, &check, sizeof(room));
	}
}

static struct sharing {
	int fd;
	uint64_t nr_samples, nr_lost;
	int failed;
} sharing[2];

/* A reader of half a stream can only check that records are complete. */
static void *share(void *argument)
{
	struct sharing *mine = argument;
	char *own = malloc(4096);
	ssize_t nr, at;

	while ((nr = read(mine->fd, own, 4096)) != 0) {
		if (nr < 0 && errno == EAGAIN && !kmod_number("enable"))
			break;
		for (at = 0; at < nr; at += ((struct oprof_record *)(own + at))->size_bytes) {
			const struct oprof_record *record = (void *)(own + at);

			if (record->size_bytes < 8 || record->size_bytes > nr - at) {
				mine->failed = 1;
				free(own);
				return NULL;
			}
			mine->nr_samples += record->type == OPROF_RECORD_SAMPLE;
			if (record->type == OPROF_RECORD_LOST)
				mine->nr_lost +=
					((const struct oprof_lost_record *)record)->nr_samples;
		}
	}
	free(own);
	return NULL;
}

static void two_threads_that_read_share_the_records(void)
{
	pthread_t threads[2];
	int fd, i;

	begin();
	fd = buffer_open(O_NONBLOCK);
	enable(1);
	for (i = 0; i < 2; i++) {
		sharing[i] = (struct sharing){.fd = fd};
		pthread_create(&threads[i], NULL, share, &sharing[i]);
	}
	run_until_seen(2000);
	enable(0);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK_IS(sharing[0].failed | sharing[1].failed, 0);
	share(&sharing[0]); /* the records that came after the last reads */
	CHECK_IS(sharing[0].nr_samples + sharing[1].nr_samples + sharing[0].nr_lost +
			 sharing[1].nr_lost,
		 (int64_t)kmod_stats("seen"));
	close(fd);
}

/* ---- its end ---- */

static void a_reader_killed_while_sampling_leaves_nothing(void)
{
	pid_t pid;
	int fd, i;

	begin();
	for (i = 0; i < 10; i++) {
		int told[2];
		char byte;

		CHECK_IS(pipe(told), 0);
		pid = fork();
		if (!pid) {
			fd = buffer_open(0);
			enable(1);
			CHECK_IS(write(told[1], "x", 1), 1);
			while (i % 2 || read(fd, room, sizeof(room)) > 0)
				;
			_exit(1);
		}
		CHECK_IS(read(told[0], &byte, 1), 1);
		run_until_seen(50);
		kill(pid, SIGKILL);
		CHECK_IS(status_of(pid), -1);
		close(told[0]);
		close(told[1]);
		CHECK_IS(kmod_number("enable"), 0);
		CHECK_IS(kmod_stats("references_taken"), (int64_t)kmod_stats("references_dropped"));
		CHECK_IS(kmod_stats("seen"), kmod_stats("stored") + kmod_stats_sum("lost_"));
	}
	fd = buffer_open(0);
	close(fd);
}

static void a_reader_that_is_too_slow_loses_samples_that_are_counted(void)
{
	struct stream_check check = {0};
	int fd, i;

	begin();
	kmod_must(kmod_write_number("0/count", period_ns / 10), "0/count");
	sizes(1024, 512, 8192);
	fd = buffer_open(O_NONBLOCK);
	enable(1);
	for (i = 1; i <= 4; i++) {
		while (kmod_stats("lost_buffer") < 200u * i)
			run_until_seen(kmod_stats("seen") + 100);
		read_all(fd, &check, 16384);
	}
	end_and_check(fd, &check, 16384);
	CHECK(kmod_stats("lost_buffer") > 0);
	CHECK(check.nr_lost > 0);
}

static void sample_with_sizes(uint64_t buffer, uint64_t watershed, uint64_t cpu_buffer)
{
	struct stream_check check = {0};
	char of[64];
	int fd, i;

	snprintf(of, sizeof(of), "%" PRIu64 ", %" PRIu64 ", %" PRIu64, buffer, watershed,
		 cpu_buffer);
	begin();
	kmod_must(kmod_write_number("backtrace_depth", 127), "backtrace_depth");
	sizes(buffer, watershed, cpu_buffer);
	fd = kmod_open("buffer", O_RDONLY | O_NONBLOCK);
	if (fd == -ENOMEM) { /* a small guest: no memory may stay allocated */
		printf("# no memory for sizes %s\n", of);
		sizes(1024, 1, 128);
		fd = kmod_open("buffer", O_RDONLY | O_NONBLOCK);
	}
	if (!CHECK_OF(fd >= 0, of))
		return;
	enable(1);
	for (i = 1; i < 20; i++) {
		run_until_seen(100 * i);
		read_all(fd, &check, sizeof(room));
	}
	end_and_check(fd, &check, sizeof(room));
}

static void buffers_of_the_smallest_size_work(void)
{
	sample_with_sizes(1024, 1, 128);
	sample_with_sizes(1024, 1024, 128);
}

static void buffers_of_the_largest_size_work(void)
{
	sample_with_sizes(4194304, 1, 1048576);
	sample_with_sizes(4194304, 4194304, 128);
	sample_with_sizes(1024, 1, 1048576);
}

/* ---- descriptors of images ---- */

static void a_look_up_of_no_image_is_refused(void)
{
	struct oprof_kmod_image_open open = {.image = 12345678, .fd = -7};
	int fd;

	begin();
	fd = buffer_open(0);
	CHECK_IS(ioctl(fd, OPROF_KMOD_IMAGE_OPEN, &open), -1);
	CHECK_IS(errno, ENOENT);
	open.image = OPROF_IMAGE_NONE;
	CHECK_IS(ioctl(fd, OPROF_KMOD_IMAGE_OPEN, &open), -1);
	CHECK_IS(errno, ENOENT);
	open.image = 0xffffffff;
	CHECK_IS(ioctl(fd, OPROF_KMOD_IMAGE_OPEN, &open), -1);
	CHECK_IS(errno, ENOENT);
	CHECK_IS(ioctl(fd, OPROF_KMOD_IMAGE_OPEN, nowhere), -1);
	CHECK_IS(errno, EFAULT);
	CHECK_IS(ioctl(fd, OPROF_KMOD_IMAGE_OPEN + 1, &open), -1);
	CHECK_IS(errno, ENOTTY);
	close(fd);
}

/* ---- thinning ---- */

static uint64_t weight_interval, nr_weights, nr_odd_weights;

static void weigh(struct stream_check *check, const struct oprof_sample *sample)
{
	(void)check;
	nr_weights++;
	nr_odd_weights += sample->weight % weight_interval != 0;
}

/* Every weight is a whole number of intervals, also if some were missed. */
static void sample_thinned(int fd, struct stream_check *check, uint64_t thinning)
{
	CHECK_IS(kmod_write_number("thinning", thinning), 0);
	CHECK_IS(kmod_number("thinning"), (int64_t)thinning);
	CHECK_IS(kmod_number("enable"), 1);
	kmod_must(kmod_write_text("dump", "1"), "dump");
	read_all(fd, check, sizeof(room));
	weight_interval = thinning * 1000000;
	nr_weights = 0;
	nr_odd_weights = 0;
	run_until_seen(kmod_stats("seen") + 20);
	kmod_must(kmod_write_text("dump", "1"), "dump");
	read_all(fd, check, sizeof(room));
	CHECK(nr_weights >= 20);
	CHECK_IS(nr_odd_weights, 0);
}

static void a_thinned_timer_ticks_so_many_times_slower(void)
{
	struct stream_check check = {.sample = weigh};
	int fd;

	weight_interval = 1;
	begin();
	kmod_must(kmod_write_number("0/hz", 1000), "0/hz");
	CHECK_IS(kmod_write_number("thinning", 2), -EINVAL); /* the buffer is closed */
	fd = buffer_open(O_NONBLOCK);
	CHECK_IS(kmod_number("thinning"), 1);
	enable(1);
	CHECK_IS(kmod_write_number("thinning", 0), -EINVAL);
	CHECK_IS(kmod_write_number("thinning", 1001), -EINVAL);
	sample_thinned(fd, &check, 8);
	sample_thinned(fd, &check, 3);
	sample_thinned(fd, &check, 1);
	kmod_must(kmod_write_number("thinning", 5), "thinning");
	end_and_check(fd, &check, sizeof(room));
	fd = buffer_open(O_NONBLOCK);
	CHECK_IS(kmod_number("thinning"), 1);
	close(fd);
}

int main(int nr, char **words)
{
	static const struct kmod_test tests[] = {
		KMOD_TEST(one_opens_it_at_a_time),
		KMOD_TEST(settings_are_refused_while_it_is_open),
		KMOD_TEST(enable_refuses_what_can_not_be),
		KMOD_TEST(enabled_twice_is_enabled),
		KMOD_TEST(without_a_record_a_read_would_block),
		KMOD_TEST(a_read_gives_whole_records),
		KMOD_TEST(a_read_waits_until_the_watershed),
		KMOD_TEST(a_signal_ends_a_read_that_waits),
		KMOD_TEST(it_is_readable_after_a_dump_and_when_disabled),
		KMOD_TEST(poll_waits_until_the_watershed),
		KMOD_TEST(a_full_buffer_wakes_its_reader),
		KMOD_TEST(two_threads_that_read_share_the_records),
		KMOD_TEST(a_reader_killed_while_sampling_leaves_nothing),
		KMOD_TEST(a_reader_that_is_too_slow_loses_samples_that_are_counted),
		KMOD_TEST(buffers_of_the_smallest_size_work),
		KMOD_TEST(buffers_of_the_largest_size_work),
		KMOD_TEST(a_thinned_timer_ticks_so_many_times_slower),
		KMOD_TEST(a_look_up_of_no_image_is_refused),
	};

	(void)nr;
	if (getenv("KMOD_PERIOD_NS"))
		period_ns = strtoull(getenv("KMOD_PERIOD_NS"), NULL, 10);
	kmod_numbers_init();
	return kmod_test_main(tests, sizeof(tests) / sizeof(*tests), words + 1);
}
