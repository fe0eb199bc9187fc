// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ktrace_test [TEST]...: tests what the module's trace sessions record. Requires the module's
 * filesystem to be mounted. Compares the counts of this program's calls, of the module and of the
 * trace folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oprof/kmod.h"
#include "tests/guest/kmod_test.h"
#include "tests/guest/ktrace_load.h"

#define SUB_BUFFER 16384u

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
	CHECK_IS(ktrace_samples(&trace, OPROF_KMOD_TYPE_TIMER, 0, 1ull << 63, 0), -EINVAL);
	CHECK_IS(ktrace_call(trace.fd, _IO('o', 99), NULL), -ENOTTY);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_EVENT, NULL), -EFAULT);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_RING, &ring), -EBUSY);
	ring.cpu = 1u << 20;
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_RING, &ring), -EINVAL);
	CHECK(mmap(NULL, trace.rings[0].map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		   trace.rings[0].fd, 0) == MAP_FAILED);
	CHECK(mprotect((void *)(uintptr_t)trace.rings[0].map, 4096, PROT_READ | PROT_WRITE) &&
	      errno == EACCES);
	CHECK(mmap(NULL, trace.rings[0].map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		   trace.rings[0].fd, 0) == MAP_FAILED);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_PUT, NULL), -EINVAL);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), -EAGAIN);
	packet.position = 5;
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_GET, &packet), -EINVAL);
	CHECK(!pipe(pipes));
	CHECK(splice(trace.rings[0].fd, NULL, pipes[1], NULL, 4096, 0) < 0 && errno == EINVAL);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_FINALISE), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), -ESHUTDOWN);
	/* A ring that was never written to delivers one empty packet. */
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), 0);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), -EBUSY);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_PUT, NULL), 0);
	CHECK_IS(ktrace_call(trace.rings[0].fd, OPROF_KTRACE_NEXT, &packet), -ENODATA);
	ktrace_close(&trace);
}

/* The capability is required whatever the file's owner. */
static void a_session_wants_the_capability(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2];
	const pid_t child = fork();
	int status;

	if (!child) {
		memset(none, 0, sizeof(none));
		if (syscall(SYS_capset, &header, none))
			_exit(1);
		_exit(open(KTRACE_CONTROL OPROF_KTRACE_FILE, O_RDWR) < 0 ? errno : 0);
	}
	CHECK_IS(waitpid(child, &status, 0), child);
	CHECK_IS(WEXITSTATUS(status), EPERM);
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
	ktrace_add_all(&trace);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	for (unsigned int i = 0; i < 5; i++)
		ktrace_bit_of_all();
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
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
	CHECK_IS(ktrace_only_tid(&trace, ktrace_tid()), 0);
	ktrace_getppid(100); /* the session is not started */
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_getppid(20000);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	ktrace_getppid(100);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_getppid(1);
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_ENTRY], 20001);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_EXIT], 20001);
	CHECK_IS(found.nr_records, 40002);
	CHECK_IS(found.lost, 0);
	ktrace_close(&trace);
}

/* The rings are not read: records in them and losses must add up. */
static void losses_are_counted_to_the_record(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 4096, 2, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, ktrace_tid()), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_getppid(20000);
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.nr_records + found.lost, 40000);
	CHECK_IS(found.lost_by[OPROF_LOST_FULL], found.lost);
	CHECK(found.lost > 30000 && found.nr_records > 100);
	ktrace_close(&trace);
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
	while (!ktrace_stop_load) {
		memset(changing, 'a', 200);
		changing[100] = '\0';
		changing[3] = '\0';
	}
	return NULL;
}

/* Maps one page followed by unmapped memory. */
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
	CHECK_IS(ktrace_only_tid(&trace, ktrace_tid()), 0);
	ktrace_begin(&thread, change);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	(void)!openat(AT_FDCWD, "/whole/name", O_RDONLY);
	(void)syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY, 0);
	(void)syscall(SYS_openat, AT_FDCWD, -4096L, O_RDONLY, 0);
	(void)syscall(SYS_openat, AT_FDCWD, 1ul << 63, O_RDONLY, 0);
	memcpy(pages + 4092, "/cut", 4);
	(void)syscall(SYS_openat, AT_FDCWD, pages + 4092, O_RDONLY, 0);
	for (unsigned int i = 0; i < 2000; i++)
		(void)syscall(SYS_openat, AT_FDCWD, changing, O_RDONLY, 0);
	/* Longer than any allowed name. */
	(void)syscall(SYS_openat, AT_FDCWD, pages, O_RDONLY, 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	ktrace_end(thread);
	found = ktrace_finish(&trace, &folder, look_at_name, &names);
	ktrace_check(&trace, &found, NULL);
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
	ktrace_begin(&thread, ktrace_load_calls);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	for (unsigned int i = 0; i < 200 && ktrace_counts(&trace).nr_records < 500; i++)
		ktrace_nap(20);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	ktrace_end(thread);
	found = ktrace_finish(&trace, &folder, look_at_sample, &nr_here);
	ktrace_check(&trace, &found, NULL);
	CHECK(found.nr_of[KTRACE_ID_SAMPLE] > 0 && nr_here > 0);
	ktrace_close(&trace);
}

/* The PMU has few counters of each type; a counter that cannot count must be refused. */
static void counters_that_have_no_place_are_refused(void)
{
	struct ktrace traces[4];
	unsigned int nr_made = 0, nr_busy = 0;
	int error = 0;

	for (unsigned int i = 0; i < 4; i++) {
		ktrace_open(&traces[i], OPROF_KTRACE_OVERWRITE, 4096, 2, 0);
		for (unsigned int k = 0; k < OPROF_KTRACE_SAMPLES_MAX; k++) {
			error = ktrace_samples(&traces[i], PERF_TYPE_HARDWARE,
					       PERF_COUNT_HW_CPU_CYCLES, 100000000, 0);
			nr_made += !error;
		}
		error = ktrace_control(&traces[i], OPROF_KTRACE_START);
		CHECK(!error || error == -EBUSY);
		nr_busy += error == -EBUSY;
	}
	if (!nr_made)
		kmod_test_skip("no PMU here");
	else
		CHECK(nr_busy > 0);
	for (unsigned int i = 0; i < 4; i++)
		ktrace_close(&traces[i]);
}

/* cpu -1: all CPUs. Returns 0 or -errno. */
static int run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (cpu < 0 || i == cpu)
			CPU_SET((size_t)i, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) ? -errno : 0;
}

/*
 * CPUs may be hotplugged concurrently, and a new CPU has no counters for a tick; CPU 0 always
 * stays.
 */
static void any_tracepoint_is_recorded_by_its_number(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	int error;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 8, 0);
	error = ktrace_named(&trace, "raw_syscalls/sys_enter");
	if (error == -ENOENT) {
		kmod_test_skip("no tracefs here");
		ktrace_close(&trace);
		return;
	}
	CHECK_IS(error, 0);
	CHECK_IS(run_on(0), 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, true, NULL, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, ktrace_tid()), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_getppid(1000);
	(void)!openat(AT_FDCWD, "/whole/name", O_RDONLY);
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	/* Both count the same calls, except the one that ended the session. */
	CHECK_IS(found.nr_of[KTRACE_ID_NAMED], found.nr_of[KTRACE_ID_GETPPID_ENTRY] +
						       found.nr_of[KTRACE_ID_OPENAT_ENTRY] +
						       found.nr_of[KTRACE_ID_UNKNOWN_ENTRY]);
	CHECK(found.nr_of[KTRACE_ID_GETPPID_ENTRY] == 1000);
	ktrace_close(&trace);
	(void)run_on(-1);
}

static bool put_cpu_1(const char *online)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);
	bool is_put = fd >= 0 && write(fd, online, 1) == 1;

	if (fd >= 0)
		(void)close(fd);
	return is_put;
}

static void count_on_cpu_1(const struct ctf_record *record, void *nr)
{
	*(uint64_t *)nr += record->event->id == KTRACE_ID_NAMED && record->packet->cpu_id == 1;
}

/* Tests perf's events on that CPU: those created before it went offline are gone. */
static void a_cpu_that_comes_back_has_its_counters_again(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	uint64_t nr_before, nr_here = 0;
	int error;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 8, 0);
	error = ktrace_named(&trace, "raw_syscalls/sys_enter");
	if (error == -ENOENT || !put_cpu_1("1")) {
		kmod_test_skip("no tracefs, or CPU 1 stays");
		ktrace_close(&trace);
		return;
	}
	CHECK_IS(error, 0);
	CHECK_IS(run_on(1), 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_only_tid(&trace, ktrace_tid()), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	CHECK_IS(run_on(0), 0);
	CHECK(put_cpu_1("0"));
	CHECK(put_cpu_1("1"));
	CHECK_IS(run_on(1), 0);
	nr_before = ktrace_counts(&trace).nr_records;
	for (unsigned int i = 0; i < 500 && ktrace_counts(&trace).nr_records == nr_before; i++)
		ktrace_nap(20);
	ktrace_getppid(1000);
	CHECK_IS(run_on(0), 0);
	found = ktrace_finish(&trace, &folder, count_on_cpu_1, &nr_here);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	CHECK(nr_here >= 1000);
	ktrace_close(&trace);
	(void)run_on(-1);
}

/* Adds it until the child has ended, to sessions one after the other. Returns how often. */
static unsigned int add_until_end_of(pid_t child, unsigned int *nr_refused)
{
	struct ktrace trace;
	unsigned int nr = 0;
	int status = 0;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 4096, 2, 0);
	while (!waitpid(child, &status, WNOHANG)) {
		*nr_refused += ktrace_named(&trace, "raw_syscalls/sys_enter") != 0;
		if (++nr % OPROF_KTRACE_NAMED_MAX == 0) {
			ktrace_close(&trace);
			ktrace_open(&trace, OPROF_KTRACE_DISCARD, 4096, 2, 0);
		}
	}
	ktrace_close(&trace);
	CHECK_IS(status, 0);
	return nr;
}

/* perf leaves a CPU before, and joins it after, the mask of those that are online changes. */
static void a_tracepoint_is_added_while_a_cpu_goes_and_comes(void)
{
	unsigned int nr, nr_refused = 0;
	struct ktrace trace;
	pid_t child;
	int error;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 4096, 2, 0);
	error = ktrace_named(&trace, "raw_syscalls/sys_enter");
	ktrace_close(&trace);
	if (error == -ENOENT || !put_cpu_1("1")) {
		kmod_test_skip("no tracefs, or CPU 1 stays");
		return;
	}
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		bool is_put = true;

		for (unsigned int i = 0; i < 20 && is_put; i++)
			is_put = put_cpu_1("0") && put_cpu_1("1");
		_exit(!is_put);
	}
	nr = add_until_end_of(child, &nr_refused);
	printf("# %u times, refused %u times\n", nr, nr_refused);
	CHECK_IS(nr_refused, 0);
}

/* The last switch that the module's own probe recorded on a CPU. */
struct last_switch {
	bool is_there;
	uint64_t nr_compared;
	uint64_t prev_state, prev, next;
	uint8_t prev_comm[16], next_comm[16];
};

struct switches {
	struct last_switch last[64];
	uint64_t nr_equal;
};

static uint64_t number_of(const struct ctf_record *record, const char *name)
{
	return ktrace_value(record, name)->number;
}

/* Copies an array's elements as bytes. */
static void bytes_of(const struct ctf_record *record, unsigned int from, uint8_t *to,
		     unsigned int nr_bytes)
{
	memcpy(to, ktrace_value(record, "args")->bytes + from, nr_bytes);
}

static void keep_switch(const struct ctf_record *record, struct last_switch *last)
{
	last->is_there = true;
	last->prev_state = number_of(record, "prev_state");
	last->prev = (uint32_t)number_of(record, "prev_tid") | number_of(record, "prev_prio") << 32;
	last->next = (uint32_t)number_of(record, "next_tid") | number_of(record, "next_prio") << 32;
	memcpy(last->prev_comm, ktrace_value(record, "prev_comm")->bytes, 16);
	memcpy(last->next_comm, ktrace_value(record, "next_comm")->bytes, 16);
}

static void compare_switch(const struct ctf_record *record, void *context)
{
	struct switches *switches = context;
	struct last_switch *last = &switches->last[record->packet->cpu_id % 64];
	uint64_t words[3];
	uint8_t comm[16];

	if (record->event->id != KTRACE_ID_NAMED) {
		keep_switch(record, last);
		return;
	}
	/* The session may have started between the two events. */
	if (!last->is_there) {
		CHECK(!last->nr_compared);
		return;
	}
	last->nr_compared++;
	bytes_of(record, 8, (uint8_t *)words,
		 16); /* after prev_comm, whose first 8 bytes are in id */
	bytes_of(record, 40, (uint8_t *)&words[2], 8);
	CHECK_IS(words[0], last->prev);
	/* A parent may reap an ended thread between the two: EXIT_ZOMBIE becomes EXIT_DEAD. */
	if (last->prev_state != 32 || words[1] != 16)
		CHECK_IS(words[1], last->prev_state);
	CHECK_IS(words[2], last->next);
	bytes_of(record, 24, comm, 16);
	CHECK(!memcmp(comm, last->next_comm, 16));
	switches->nr_equal++;
	last->is_there = false;
}

/* Compares the module's own probe with the kernel's event, switch by switch. */
static void switches_are_what_the_kernel_says(void)
{
	static struct switches switches;
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	int error;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 8, 0);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, NULL), 0);
	error = ktrace_named_switch(&trace);
	if (error) {
		CHECK_IS(error, -ENOENT);
		kmod_test_skip("no tracefs here");
		ktrace_close(&trace);
		return;
	}
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	for (unsigned int i = 0; i < 20; i++)
		ktrace_bit_of_all();
	found = ktrace_finish(&trace, &folder, compare_switch, &switches);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	CHECK(switches.nr_equal > 40);
	printf("# %llu switches alike\n", (unsigned long long)switches.nr_equal);
	ktrace_close(&trace);
}

static const struct kmod_test tests[] = {
	KMOD_TEST(what_makes_no_sense_is_refused),
	KMOD_TEST(a_session_wants_the_capability),
	KMOD_TEST(all_kinds_are_recorded_whole),
	KMOD_TEST(calls_are_recorded_one_by_one),
	KMOD_TEST(losses_are_counted_to_the_record),
	KMOD_TEST(strings_that_fail_or_change_leave_whole_records),
	KMOD_TEST(samples_go_beside_the_events),
	KMOD_TEST(counters_that_have_no_place_are_refused),
	KMOD_TEST(any_tracepoint_is_recorded_by_its_number),
	KMOD_TEST(a_cpu_that_comes_back_has_its_counters_again),
	KMOD_TEST(a_tracepoint_is_added_while_a_cpu_goes_and_comes),
	KMOD_TEST(switches_are_what_the_kernel_says),
};

int main(int argc, char **argv)
{
	(void)argc;
	return kmod_test_main(tests, sizeof(tests) / sizeof(tests[0]), argv + 1);
}
