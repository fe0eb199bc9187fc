// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load_devices WHAT:NUMBER...: keeps devices busy, or sleeps or computes, each for a known amount.
 * WHAT is
 *
 *	reads    NUMBER reads of 4096 bytes of the disk, past the page cache, at different places
 *	moves    the same, and during each read its thread is moved to the other CPU
 *	sleep    sleeps for NUMBER milliseconds
 *	spin     computes for NUMBER milliseconds of CPU time
 *	packets  sends NUMBER packets of 1000 bytes to the loopback device
 *
 * Prints a line "# WHAT NUMBER WALL_NS CPU_NS" for each, and at the end "# all 0 0 CPU_NS" of the
 * process. DISK in the environment names the disk.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE	     4096
#define PACKET_BYTES 1000
#define NS_PER_MS    1000000L
#define NS_PER_S     1000000000L

static long now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * NS_PER_S + time.tv_nsec;
}

static void nap(long ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * NS_PER_MS};

	nanosleep(&time, NULL);
}

static void fail(const char *what)
{
	fprintf(stderr, "load_devices: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the disk ---- */

static int disk_open(void)
{
	const char *name = getenv("DISK");
	const int fd = open(name ? name : "", O_RDONLY | O_DIRECT);

	if (fd < 0)
		fail("disk");
	return fd;
}

static void disk_read(int fd, long nr)
{
	static _Alignas(PAGE) char page[PAGE];

	if (pread(fd, page, PAGE, nr * PAGE * 2) != PAGE)
		fail("read");
}

static void reads(long nr)
{
	const int fd = disk_open();

	for (long i = 0; i < nr; i++)
		disk_read(fd, i);
	close(fd);
}

static pid_t reader;
static atomic_long nr_begun; /* reads; -1: no more */

static void move(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		fail("affinity");
}

/* Some milliseconds into each read, restricts its reader to CPU 1. */
static void *mover(void *unused)
{
	long seen = 0;

	(void)unused;
	while (seen >= 0) {
		const long begun = nr_begun;

		nap(4);
		if (begun > seen)
			move(reader, 1);
		seen = begun;
	}
	return NULL;
}

static void moves(long nr)
{
	const int fd = disk_open();
	pthread_t thread;

	reader = (pid_t)syscall(SYS_gettid);
	if (pthread_create(&thread, NULL, mover, NULL))
		fail("thread");
	for (long i = 0; i < nr; i++) {
		move(reader, 0);
		nr_begun = i + 1;
		disk_read(fd, i);
	}
	nr_begun = -1;
	pthread_join(thread, NULL);
	close(fd);
}

/* ---- others ---- */

static void spin(long ms)
{
	const long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * NS_PER_MS;
	volatile long sum = 0;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (long i = 0; i < 100000; i++)
			sum += i;
}

static void packets(long nr)
{
	const int fd = socket(AF_PACKET, SOCK_DGRAM, 0);
	struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	struct sockaddr_ll to = {.sll_family = AF_PACKET,
				 .sll_protocol = htons(ETH_P_802_EX1),
				 .sll_halen = ETH_ALEN};
	static const char bytes[PACKET_BYTES];

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &loopback))
		fail("loopback");
	to.sll_ifindex = (int)if_nametoindex("lo");
	while (nr--)
		if (sendto(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&to, sizeof(to)) !=
		    (ssize_t)sizeof(bytes))
			fail("send");
	close(fd);
}

static const struct {
	const char *name;
	void (*run)(long nr);
} kinds[] = {
	{"reads", reads}, {"moves", moves}, {"sleep", nap}, {"spin", spin}, {"packets", packets},
};

static void run(const char *word)
{
	const char *colon = strchr(word, ':');
	const long nr = colon ? atol(colon + 1) : 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const long wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);

		if (!colon || strlen(kinds[i].name) != (size_t)(colon - word) ||
		    strncmp(kinds[i].name, word, (size_t)(colon - word)))
			continue;
		kinds[i].run(nr);
		printf("# %s %ld %ld %ld\n", kinds[i].name, nr, now(CLOCK_MONOTONIC) - wall,
		       now(CLOCK_THREAD_CPUTIME_ID) - cpu);
		(void)fflush(stdout);
		return;
	}
	errno = EINVAL;
	fail(word);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run(argv[i]);
	printf("# all 0 0 %ld\n", now(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
