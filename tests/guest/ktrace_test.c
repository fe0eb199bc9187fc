// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ktrace_test [TEST]...: trace sessions of the module, which is mounted. What
 * is counted is compared with what was counted: calls of this program, the
 * module's counts, the folder's.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oprof/kmod.h"
#include "tests/guest/kmod_test.h"
#include "tests/guest/ktrace_session.h"

#define SUB_BUFFER  16384u
#define STORM_TYPE  0x53540000u /* kmod/storm.h */
#define STORM_EVERY 100000u

static uint64_t my_tid(void)
{
	return (uint64_t)syscall(SYS_gettid);
}

static void call_getppid(unsigned int nr)
{
	while (nr--)
		(void)syscall(SYS_getppid);
}

/* Signals come meanwhile. */
static void nap(unsigned int ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static int control(struct ktrace *trace, unsigned long command)
{
	return ktrace_call(trace->fd, command, NULL);
}

/* Stop, and have all in the folder: what was lost is told there, too. */
static struct ktrace_found finish(struct ktrace *trace, struct ktrace_folder *folder,
				  void (*look)(const struct ctf_record *record, void *context),
				  void *context)
{
	int error;

	while ((error = control(trace, OPROF_KTRACE_FINALISE)) == -EAGAIN)
		(void)ktrace_drain(trace, folder);
	CHECK_IS(error, 0);
	(void)ktrace_drain(trace, folder);
	ktrace_folder_close(folder);
	return ktrace_read(folder, look, context);
}

/* The folder and the module's counts say the same. */
static void check_found(struct ktrace *trace, const struct ktrace_found *found, const char *of)
{
	const struct oprof_ktrace_counts counts = ktrace_counts(trace);

	CHECK_IS_OF(found->nr_faults, 0, of);
	CHECK_IS_OF(found->lost, ktrace_lost(&counts), of);
	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		CHECK_IS_OF(found->lost_by[i], counts.lost_by[i], of);
	if (trace->channel.mode == OPROF_KTRACE_DISCARD)
		CHECK_IS_OF(found->nr_records, counts.nr_records, of);
	else
		CHECK_OF(found->nr_records <= counts.nr_records, of);
}

/* ---- what is done meanwhile ---- */

static void ignore(int number)
{
	(void)number;
}

static void run_child(void)
{
	const pid_t child = fork();

	if (!child) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	(void)waitpid(child, NULL, 0);
}

/* Of each kind of event something, where the machine has it. */
static void do_a_bit_of_all(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 1000}};
	char *page;
	int fd;

	(void)signal(SIGALRM, ignore);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
	run_child();
	fd = open("/tmp/ktrace-file", O_RDWR | O_CREAT, 0600);
	(void)!write(fd, "x", 1);
	(void)close(fd);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[0] = 1;
	(void)munmap(page, 4096);
	nap(2);
	call_getppid(10);
}

static volatile bool stop_load;

static void *load(void *unused)
{
	(void)unused;
	while (!stop_load)
		do_a_bit_of_all();
	return NULL;
}

static void *load_calls(void *unused)
{
	(void)unused;
	while (!stop_load)
		call_getppid(1000);
	return NULL;
}

static void begin(pthread_t *thread, void *(*function)(void *))
{
	stop_load = false;
	CHECK(!pthread_create(thread, NULL, function, NULL));
}

static void end(pthread_t thread)
{
	stop_load = true;
	(void)pthread_join(thread, NULL);
}

static void add_all(struct ktrace *trace)
{
	for (unsigned int i = 0; i < OPROF_KTRACE_NR_KINDS; i++)
		CHECK_IS(ktrace_event(trace, i, NULL),
			 trace->info.kinds & (1ull << i) ? 0 : -ENOENT);
	CHECK_IS(ktrace_syscalls(trace, true, NULL, NULL), 0);
}

/* ---- calls ---- */

static void what_makes_no_sense_is_refused(void)
{
	struct oprof_ktrace_compare bad = {.op = OPROF_KTRACE_EQ, .bytes = 4, .offset = 53};
	struct oprof_ktrace_channel channel;
	struct oprof_ktrace_event event = {.channel = 1, .event_id = 1};
	struct oprof_ktrace_packet packet = {0};
	struct oprof_ktrace_ring ring = {.cpu = 0};
	struct ktrace trace;
	int pipes[2];

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, SUB_BUFFER, 2, 0);
	channel = trace.channel;
	channel.sub_buffer_bytes = 12288;
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_CHANNEL, &channel), -EINVAL);
	channel = trace.channel;
	channel.nr_sub_buffers = 1;
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_CHANNEL, &channel), -EINVAL);
	channel.nr_sub_buffers = 1u << 15;
	channel.sub_buffer_bytes = 1u << 30;
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_CHANNEL, &channel), -ENOMEM);
	channel = trace.channel;
	channel.mode = 2;
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_CHANNEL, &channel), -EINVAL);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_EVENT, &event), -EINVAL);
	event = (struct oprof_ktrace_event){.event_id = 31};
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_EVENT, &event), -EINVAL);
	event = (struct oprof_ktrace_event){.event_id = 1, .kind = OPROF_KTRACE_NR_KINDS};
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_EVENT, &event), -EINVAL);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, &bad), -EINVAL);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, NULL), 0);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, NULL), -EEXIST);
	CHECK_IS(ktrace_samples(&trace, OPROF_KMOD_TYPE_TIMER, 0, 0, 0), -EINVAL);
	CHECK_IS(ktrace_samples(&trace, OPROF_KMOD_TYPE_TIMER, 0, 1000000, 128), -EINVAL);
	CHECK_IS(ktrace_call(trace.fd, _IO('o', 99), NULL), -ENOTTY);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_EVENT, NULL), -EFAULT);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_RING, &ring), -EBUSY);
	ring.cpu = 1u << 20;
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_RING, &ring), -EINVAL);
	CHECK(mmap(NULL, trace.rings[0].map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		   trace.rings[0].fd, 0) == MAP_FAILED);
	CHECK(mprotect((void *)(uintptr_t)trace.rings[0].map, 4096, PROT_READ | PROT_WRITE) &&
	      errno == EACCES);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_PUT, NULL), -EINVAL);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), -EAGAIN);
	packet.position = 5;
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_GET, &packet), -EINVAL);
	CHECK(!pipe(pipes));
	CHECK(splice(trace.rings[0].fd, NULL, pipes[1], NULL, 4096, 0) < 0 && errno == EINVAL);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
	CHECK_IS(control(&trace, OPROF_KTRACE_FINALISE), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), -ESHUTDOWN);
	/* Of a ring that was never written to: an empty packet. */
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), 0);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), -EBUSY);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_PUT, NULL), 0);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), -ENODATA);
	ktrace_close(&trace);
}

/* ---- records ---- */

static void all_kinds_are_recorded_whole(void)
{
	static const unsigned int always[] = {
		OPROF_KTRACE_SCHED_SWITCH,	   OPROF_KTRACE_SCHED_WAKING,
		OPROF_KTRACE_SCHED_WAKEUP_NEW,	   OPROF_KTRACE_SCHED_PROCESS_FORK,
		OPROF_KTRACE_SCHED_PROCESS_EXEC,   OPROF_KTRACE_SCHED_PROCESS_EXIT,
		OPROF_KTRACE_SOFTIRQ_ENTRY,	   OPROF_KTRACE_SOFTIRQ_EXIT,
		OPROF_KTRACE_TIMER_EXPIRE_ENTRY,   OPROF_KTRACE_HRTIMER_START,
		OPROF_KTRACE_HRTIMER_EXPIRE_ENTRY, OPROF_KTRACE_SIGNAL_GENERATE,
		OPROF_KTRACE_SIGNAL_DELIVER};
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 8, 0);
	ktrace_folder_open(&folder, &trace);
	add_all(&trace);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	for (unsigned int i = 0; i < 5; i++)
		do_a_bit_of_all();
	CHECK_IS(control(&trace, OPROF_KTRACE_STOP), 0);
	found = finish(&trace, &folder, NULL, NULL);
	check_found(&trace, &found, NULL);
	for (unsigned int i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		CHECK(found.nr_of[ktrace_kind_id(always[i])] > 0);
	CHECK(found.nr_of[KTRACE_ID_GETPPID_ENTRY] >= 50);
	CHECK(found.nr_of[KTRACE_ID_UNKNOWN_ENTRY] > 0);
	printf("# %llu records, lost %llu\n", (unsigned long long)found.nr_records,
	       (unsigned long long)found.lost);
	for (unsigned int i = 0; i < OPROF_KTRACE_NR_KINDS; i++)
		if (!found.nr_of[ktrace_kind_id(i)])
			printf("# none of kind %u (%s)\n", i,
			       trace.info.kinds & (1ull << i) ? "known" : "not of this kernel");
	ktrace_close(&trace);
}

static void calls_are_recorded_one_by_one(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 8, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, my_tid()), 0);
	call_getppid(100); /* not started */
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	call_getppid(20000);
	CHECK_IS(control(&trace, OPROF_KTRACE_STOP), 0);
	call_getppid(100);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	call_getppid(1);
	found = finish(&trace, &folder, NULL, NULL);
	check_found(&trace, &found, NULL);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_ENTRY], 20001);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_EXIT], 20001);
	CHECK_IS(found.nr_records, 40002);
	CHECK_IS(found.lost, 0);
	ktrace_close(&trace);
}

/* Rings that nobody reads: what they hold and what was lost is all. */
static void losses_are_counted_to_the_record(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 4096, 2, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, my_tid()), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	call_getppid(20000);
	found = finish(&trace, &folder, NULL, NULL);
	check_found(&trace, &found, NULL);
	CHECK_IS(found.nr_records + found.lost, 40000);
	CHECK_IS(found.lost_by[OPROF_LOST_FULL], found.lost);
	CHECK(found.lost > 30000 && found.nr_records > 100);
	ktrace_close(&trace);
}

/* ---- filters ---- */

static void check_switch(const struct ctf_record *record, void *context)
{
	const int64_t tid = *(int64_t *)context;

	CHECK_IS(ktrace_value(record, "next_tid")->number, tid);
}

static void comparisons_keep_what_fits(void)
{
	struct oprof_ktrace_compare compare = {
		.op = OPROF_KTRACE_EQ,
		.bytes = 4,
		.is_signed = 1,
		.value = my_tid(),
		.offset = offsetof(struct oprof_ktrace_payload_sched_switch, f_next_tid)};
	const struct oprof_ktrace_compare failed = {
		.op = OPROF_KTRACE_LT, .bytes = 8, .is_signed = 1};
	const struct oprof_ktrace_compare dfd = {
		.op = OPROF_KTRACE_EQ, .bytes = 4, .is_signed = 1, .value = (uint64_t)-7};
	int64_t tid = (int64_t)my_tid();
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, &compare), 0);
	CHECK_IS(ktrace_syscalls(&trace, false, &failed, &dfd), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	for (unsigned int i = 0; i < 10; i++)
		nap(1);
	call_getppid(10);
	(void)!openat(-7, "of a bad folder", O_RDONLY);
	(void)!openat(AT_FDCWD, "of this one", O_RDONLY);
	CHECK_IS(control(&trace, OPROF_KTRACE_STOP), 0);
	found = finish(&trace, &folder, NULL, NULL);
	check_found(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	CHECK(found.nr_of[ktrace_kind_id(OPROF_KTRACE_SCHED_SWITCH)] >= 10);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_EXIT], 0);
	CHECK_IS(found.nr_of[KTRACE_ID_OPENAT_ENTRY], 1);
	ktrace_close(&trace);

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, &compare), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	nap(1);
	(void)finish(&trace, &folder, check_switch, &tid);
	ktrace_close(&trace);
}

struct filtered {
	uint32_t by;
	uint64_t mine, other;
};

static uint64_t count_filtered(uint32_t by, uint64_t id)
{
	struct oprof_ktrace_filter call = {.by = by, .nr_ids = 1, .ids = (uintptr_t)&id};
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_FILTER, &call), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	call_getppid(100);
	found = finish(&trace, &folder, NULL, NULL);
	check_found(&trace, &found, NULL);
	ktrace_close(&trace);
	return found.nr_of[KTRACE_ID_GETPPID_EXIT];
}

static void each_filter_keeps_its_own(void)
{
	const struct filtered filters[] = {
		{OPROF_KTRACE_BY_TID, my_tid(), 1},
		{OPROF_KTRACE_BY_PID, (uint64_t)getpid(), 1},
		{OPROF_KTRACE_BY_PGRP, (uint64_t)getpgrp(), 123456},
		{OPROF_KTRACE_BY_UID, getuid(), 4711},
		{OPROF_KTRACE_BY_CGROUP, 1, 4711}, /* the root */
	};

	for (unsigned int i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		CHECK(count_filtered(filters[i].by, filters[i].mine) >= 100);
		CHECK_IS(count_filtered(filters[i].by, filters[i].other), 0);
	}
}

/* ---- strings ---- */

struct names {
	unsigned int nr, nr_empty, nr_cut, nr_whole, nr_other;
};

static void look_at_name(const struct ctf_record *record, void *context)
{
	const struct ctf_value *value;
	struct names *names = context;
	char text[8];

	if (record->event->id != KTRACE_ID_OPENAT_ENTRY)
		return;
	value = ktrace_value(record, "filename");
	names->nr++;
	if (!value->nr) {
		names->nr_empty++;
		return;
	}
	memset(text, 0, sizeof(text));
	memcpy(text, value->bytes, value->nr < 7 ? value->nr : 7);
	if (!strcmp(text, "/whole/"))
		names->nr_whole++;
	else if (value->nr == 4 && !strcmp(text, "/cut"))
		names->nr_cut++;
	else
		names->nr_other++;
}

static char *changing;

static void *change(void *unused)
{
	(void)unused;
	while (!stop_load) {
		memset(changing, 'a', 200);
		changing[100] = '\0';
		changing[3] = '\0';
	}
	return NULL;
}

/* No page behind the first one. */
static char *two_pages(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(pages, 'x', 4096);
	(void)munmap(pages + 4096, 4096);
	return pages;
}

static void strings_that_fail_or_change_leave_whole_records(void)
{
	struct names names = {0};
	struct ktrace_folder folder;
	struct ktrace_found found;
	char *pages = two_pages();
	struct ktrace trace;
	pthread_t thread;

	changing = calloc(1, 256);
	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 20, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, my_tid()), 0);
	begin(&thread, change);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	(void)!openat(AT_FDCWD, "/whole/name", O_RDONLY);
	(void)syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY, 0);
	(void)syscall(SYS_openat, AT_FDCWD, -4096L, O_RDONLY, 0);
	(void)syscall(SYS_openat, AT_FDCWD, 1ul << 63, O_RDONLY, 0);
	memcpy(pages + 4092, "/cut", 4);
	(void)syscall(SYS_openat, AT_FDCWD, pages + 4092, O_RDONLY, 0);
	for (unsigned int i = 0; i < 2000; i++)
		(void)syscall(SYS_openat, AT_FDCWD, changing, O_RDONLY, 0);
	/* Longer than any. */
	(void)syscall(SYS_openat, AT_FDCWD, pages, O_RDONLY, 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_STOP), 0);
	end(thread);
	found = finish(&trace, &folder, look_at_name, &names);
	check_found(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	CHECK_IS(found.nr_of[KTRACE_ID_OPENAT_ENTRY], 2006);
	CHECK_IS(found.nr_of[KTRACE_ID_OPENAT_EXIT], 2006);
	CHECK(names.nr_whole == 1 && names.nr_cut == 1 && names.nr_empty >= 3);
	ktrace_close(&trace);
	free(changing);
}

/* ---- samples, any tracepoint ---- */

static void look_at_sample(const struct ctf_record *record, void *context)
{
	uint64_t *nr_here = context;

	if (record->event->id != KTRACE_ID_SAMPLE)
		return;
	if (ktrace_value(record, "pid")->number == (uint64_t)getpid() &&
	    (ktrace_value(record, "callchain_kernel")->nr ||
	     ktrace_value(record, "callchain_user")->nr))
		(*nr_here)++;
}

static void samples_go_beside_the_events(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	uint64_t nr_here = 0;
	pthread_t thread;

	ktrace_open(&trace, OPROF_KTRACE_OVERWRITE, 1u << 18, 8, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, NULL), 0);
	CHECK_IS(ktrace_samples(&trace, OPROF_KMOD_TYPE_TIMER, 0, 2000000, 32), 0);
	begin(&thread, load_calls);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	for (unsigned int i = 0; i < 200 && ktrace_counts(&trace).nr_records < 500; i++)
		nap(20);
	CHECK_IS(control(&trace, OPROF_KTRACE_STOP), 0);
	end(thread);
	found = finish(&trace, &folder, look_at_sample, &nr_here);
	check_found(&trace, &found, NULL);
	CHECK(found.nr_of[KTRACE_ID_SAMPLE] > 0 && nr_here > 0);
	ktrace_close(&trace);
}

static void any_tracepoint_is_recorded_by_its_number(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	int error;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 8, 0);
	error = ktrace_named(&trace);
	if (error == -ENOENT) {
		kmod_test_skip("no tracefs here");
		ktrace_close(&trace);
		return;
	}
	CHECK_IS(error, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, true, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, my_tid()), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	call_getppid(1000);
	(void)!openat(AT_FDCWD, "/whole/name", O_RDONLY);
	found = finish(&trace, &folder, NULL, NULL);
	check_found(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	/* Both see the same calls, but for that which ended it. */
	CHECK_IS(found.nr_of[KTRACE_ID_NAMED], found.nr_of[KTRACE_ID_GETPPID_ENTRY] +
						       found.nr_of[KTRACE_ID_OPENAT_ENTRY] +
						       found.nr_of[KTRACE_ID_UNKNOWN_ENTRY]);
	CHECK(found.nr_of[KTRACE_ID_GETPPID_ENTRY] == 1000);
	ktrace_close(&trace);
}

/* ---- rings ---- */

static void a_snapshot_is_whole_while_writers_go_on(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	pthread_t thread;
	uint64_t nr;

	ktrace_open(&trace, OPROF_KTRACE_OVERWRITE, SUB_BUFFER, 4, 0);
	add_all(&trace);
	if (ktrace_samples(&trace, STORM_TYPE, 0, STORM_EVERY, 16))
		printf("# without a storm\n");
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	begin(&thread, load_calls);
	for (unsigned int i = 0; i < 20; i++) {
		nap(20);
		ktrace_folder_open(&folder, &trace);
		CHECK_IS(control(&trace, OPROF_KTRACE_FLUSH), 0);
		nr = ktrace_snapshot(&trace, &folder);
		ktrace_folder_close(&folder);
		found = ktrace_read(&folder, NULL, NULL);
		CHECK(nr > 0 && found.nr_records > 0);
		CHECK_IS(found.nr_faults, 0);
	}
	end(thread);
	printf("# the last one: %llu records, %llu of them samples, behind %llu packets, lost %llu "
	       "(nested %llu)\n",
	       (unsigned long long)found.nr_records,
	       (unsigned long long)found.nr_of[KTRACE_ID_SAMPLE],
	       (unsigned long long)found.nr_before, (unsigned long long)found.lost,
	       (unsigned long long)found.lost_by[OPROF_LOST_NESTED]);
	CHECK(found.nr_before > 8); /* of laps there were some */
	ktrace_close(&trace);
}

/* One that is read all the time, one that is too small, one that overwrites: under one load. */
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
		add_all(&traces[i]);
		CHECK_IS(control(&traces[i], OPROF_KTRACE_START), 0);
	}
	/* In the first one; the storm is one. */
	if (ktrace_samples(&traces[0], STORM_TYPE, 0, STORM_EVERY, 16))
		printf("# without a storm\n");
	begin(&thread, load);
	for (unsigned int i = 0; i < 30; i++) {
		nap(20);
		(void)ktrace_drain(&traces[0], &folders[0]);
	}
	end(thread);
	for (unsigned int i = 0; i < 3; i++) {
		found = finish(&traces[i], &folders[i], NULL, NULL);
		check_found(&traces[i], &found, i == 0 ? "read" : i == 1 ? "full" : "overwriting");
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
	CHECK_IS(ktrace_only_tid(&trace, my_tid()), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	CHECK_IS(poll_now(fd, 0), 0);
	call_getppid(110); /* 40 bytes each: a packet and a bit */
	CHECK_IS(poll_now(fd, 0), POLLIN);
	CHECK_IS(poll_now(trace.fd, 0), POLLIN);
	call_getppid(5000);
	CHECK_IS(poll_now(fd, 0), POLLIN | POLLPRI);
	while (!ktrace_call(fd, OPROF_KTRACE_NEXT, &packet))
		CHECK_IS(ktrace_call(fd, OPROF_KTRACE_PUT, NULL), 0);
	CHECK_IS(poll_now(fd, 0), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_FINALISE), 0);
	CHECK(poll_now(fd, 0) & POLLIN);
	read_away(&trace);
	CHECK_IS(poll_now(fd, 0), POLLHUP);
	CHECK_IS(poll_now(trace.fd, 0), POLLHUP);
	ktrace_close(&trace);
	CPU_SET(1, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

/* Nobody flushes; a reader that waits is woken by the timer. */
static void a_flush_period_wakes_its_reader(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 4, 10000000);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, my_tid()), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	call_getppid(10);
	CHECK(poll_now(trace.fd, 60000) & POLLIN);
	CHECK(ktrace_drain(&trace, &folder) > 0);
	found = finish(&trace, &folder, NULL, NULL);
	check_found(&trace, &found, NULL);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_EXIT], 10);
	ktrace_close(&trace);
}

/* What is spliced is what is mapped; until it is read the packet stays. */
static void a_packet_in_a_pipe_is_not_given_back(void)
{
	struct oprof_ktrace_packet packet;
	uint8_t *bytes = malloc(SUB_BUFFER);
	struct ktrace trace;
	size_t nr = 0;
	int pipes[2], fd = -1;

	CHECK(!pipe(pipes));
	ktrace_open(&trace, OPROF_KTRACE_DISCARD, SUB_BUFFER, 4, 0);
	CHECK_IS(ktrace_syscalls(&trace, true, NULL, NULL), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	call_getppid(5000);
	CHECK_IS(control(&trace, OPROF_KTRACE_STOP), 0);
	CHECK_IS(control(&trace, OPROF_KTRACE_FLUSH), 0);
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
		out = read(pipes[0], bytes + nr, (size_t)in);
		if (!CHECK_IS(out, in))
			break;
		nr += (size_t)in;
	}
	CHECK_IS(splice(trace.rings[fd].fd, NULL, pipes[1], NULL, 5000, 0), 0);
	CHECK(!memcmp(bytes, trace.rings[fd].map + packet.map_offset, SUB_BUFFER));
	CHECK_IS(ktrace_call(trace.rings[fd].fd, OPROF_KTRACE_PUT, NULL), 0);
	/* All descriptors are closed, and the pipe still has pages. */
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
	add_all(&trace);
	begin(&thread, load);
	CHECK_IS(control(&trace, OPROF_KTRACE_START), 0);
	do {
		nap(1);
		counts = ktrace_counts(&trace);
	} while (counts.nr_records + ktrace_lost(&counts) < 1000);
	(void)close(trace.fd);
	trace.fd = -1;
	/* A child that was made meanwhile has the session as well, until it runs its program. */
	for (unsigned int i = 0; i < 1000 && !is_at_end(&trace); i++) {
		(void)ktrace_drain(&trace, &folder);
		nap(10);
	}
	CHECK(is_at_end(&trace));
	end(thread);
	ktrace_folder_close(&folder);
	found = ktrace_read(&folder, NULL, NULL);
	CHECK_IS(found.nr_faults, 0);
	CHECK(found.nr_records > 0);
	ktrace_close(&trace);
}

/* Under load, with all that there is; whoever comes then finds everything free. */
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
			add_all(&trace);
			(void)ktrace_named(&trace);
			(void)ktrace_samples(&trace, OPROF_KMOD_TYPE_TIMER, 0, 1000000, 16);
			(void)ktrace_samples(&trace, STORM_TYPE, 0, STORM_EVERY, 16);
			(void)control(&trace, OPROF_KTRACE_START);
			begin(&thread, load);
			(void)!write(ready[1], "x", 1);
			for (;;)
				do_a_bit_of_all();
		}
		(void)close(ready[1]);
		CHECK_IS(read(ready[0], &byte, 1), 1);
		(void)close(ready[0]);
		nap(i + 1);
		(void)kill(child, SIGKILL);
		CHECK_IS(waitpid(child, NULL, 0), child);
	}
}

static const struct kmod_test tests[] = {
	KMOD_TEST(what_makes_no_sense_is_refused),
	KMOD_TEST(all_kinds_are_recorded_whole),
	KMOD_TEST(calls_are_recorded_one_by_one),
	KMOD_TEST(losses_are_counted_to_the_record),
	KMOD_TEST(comparisons_keep_what_fits),
	KMOD_TEST(each_filter_keeps_its_own),
	KMOD_TEST(strings_that_fail_or_change_leave_whole_records),
	KMOD_TEST(samples_go_beside_the_events),
	KMOD_TEST(any_tracepoint_is_recorded_by_its_number),
	KMOD_TEST(a_snapshot_is_whole_while_writers_go_on),
	KMOD_TEST(sessions_do_not_disturb_each_other),
	KMOD_TEST(poll_tells_of_packets_of_a_full_ring_and_of_the_end),
	KMOD_TEST(a_flush_period_wakes_its_reader),
	KMOD_TEST(a_packet_in_a_pipe_is_not_given_back),
	KMOD_TEST(rings_are_read_to_the_end_when_the_session_is_closed),
	KMOD_TEST(an_owner_that_is_killed_leaves_nothing),
};

int main(int argc, char **argv)
{
	(void)argc;
	return kmod_test_main(tests, sizeof(tests) / sizeof(tests[0]), argv + 1);
}
