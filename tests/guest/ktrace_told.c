// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ktrace_told [TEST]...: tests the values in the records of trace sessions against the calls made.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oprof/kmod.h"
#include "tests/guest/kmod_test.h"
#include "tests/guest/ktrace_load.h"

/* Counts of records with the expected values; a wrong record fails a check. */
enum {
	SEEN_FORK,
	SEEN_EXEC,
	SEEN_EXEC_BY_PERF,
	SEEN_EXIT,
	SEEN_CHILD_SIGNAL,
	SEEN_OWN_SIGNAL,
	SEEN_DELIVERY,
	SEEN_SLEEP,
	SEEN_ON_CPU,
	SEEN_WAKING,
	SEEN_FAULT,
	SEEN_OPENAT,
	SEEN_OPENAT_FAILS,
	SEEN_GETPPID,
	SEEN_TIMER,
	SEEN_EXPIRY,
	SEEN_QUEUE,
	SEEN_XMIT,
	SEEN_RECEIVE,
	NR_SEEN,
};

static const char *const seen_names[NR_SEEN] = {
	"fork",	   "exec",   "exec by perf", "exit",	 "SIGCHLD",    "SIGUSR1",      "delivery",
	"sleep",   "on CPU", "waking",	     "fault",	 "openat",     "openat fails", "getppid",
	"hrtimer", "expiry", "net queue",    "net xmit", "net receive"};

struct told {
	int64_t me, child;
	uint64_t page;
	unsigned int nr[NR_SEEN];
};

static int64_t number(const struct ctf_record *record, const char *name)
{
	return (int64_t)ktrace_value(record, name)->number;
}

static bool is_text(const struct ctf_record *record, const char *name, const char *text)
{
	const struct ctf_value *value = ktrace_value(record, name);

	return value->nr == strlen(text) && !memcmp(value->bytes, text, value->nr);
}

static void on_usr1(int unused)
{
	(void)unused;
}

static bool is_of_me(const struct ctf_record *record, const struct told *told, const char *tid,
		     const char *comm)
{
	return number(record, tid) == told->me && is_text(record, comm, "ktrace_told");
}

static bool is_fork(const struct ctf_record *record, const struct told *told)
{
	return is_of_me(record, told, "parent_tid", "parent_comm") &&
	       number(record, "parent_pid") == getpid() &&
	       number(record, "child_tid") == told->child &&
	       number(record, "child_pid") == told->child &&
	       is_text(record, "child_comm", "ktrace_told");
}

static bool is_exec_by_perf(const struct ctf_record *record, const struct told *told)
{
	const struct ctf_value *bytes = ktrace_value(record, "bytes");

	return number(record, "pid") == told->child && number(record, "old_pid") == told->child &&
	       is_text(record, "filename", "/bin/true") && bytes->nr == sizeof("/bin/true") &&
	       !memcmp(bytes->bytes, "/bin/true", bytes->nr);
}

static bool is_sleep(const struct ctf_record *record, const struct told *told)
{
	return is_of_me(record, told, "prev_tid", "prev_comm") &&
	       number(record, "prev_state") == 1 && number(record, "prev_prio") == 120;
}

static bool is_signal(const struct ctf_record *record, const struct told *told, int sig, int code)
{
	return number(record, "sig") == sig && number(record, "code") == code &&
	       number(record, "errno") == 0 && is_of_me(record, told, "pid", "comm") &&
	       number(record, "group") == 1 &&
	       /* SIGCHLD is ignored here: TRACE_SIGNAL_IGNORED. */
	       number(record, "result") == (sig == SIGCHLD);
}

static void look_at_task(const struct ctf_record *record, struct told *told)
{
	unsigned int *nr = told->nr;

	switch (record->event->id) {
	case OPROF_KTRACE_SCHED_PROCESS_FORK:
		nr[SEEN_FORK] += is_fork(record, told);
		break;
	case OPROF_KTRACE_SCHED_PROCESS_EXEC:
		nr[SEEN_EXEC] += number(record, "tid") == told->child &&
				 number(record, "old_tid") == told->child &&
				 is_text(record, "filename", "/bin/true");
		break;
	case KTRACE_ID_NAMED_EXEC:
		nr[SEEN_EXEC_BY_PERF] += is_exec_by_perf(record, told);
		break;
	case OPROF_KTRACE_SCHED_PROCESS_EXIT:
		nr[SEEN_EXIT] += number(record, "tid") == told->child &&
				 number(record, "prio") == 120 && is_text(record, "comm", "true");
		break;
	case OPROF_KTRACE_SCHED_SWITCH:
		nr[SEEN_SLEEP] += is_sleep(record, told);
		nr[SEEN_ON_CPU] += is_of_me(record, told, "next_tid", "next_comm") &&
				   number(record, "next_prio") == 120;
		break;
	case OPROF_KTRACE_SCHED_WAKING:
		nr[SEEN_WAKING] += is_of_me(record, told, "tid", "comm") &&
				   number(record, "target_cpu") < 4096 &&
				   number(record, "prio") == 120;
		break;
	default:
		break;
	}
}

static void look_at_call(const struct ctf_record *record, struct told *told)
{
	unsigned int *nr = told->nr;

	switch (record->event->id) {
	case KTRACE_ID_OPENAT_ENTRY:
		nr[SEEN_OPENAT] += number(record, "dfd") == AT_FDCWD &&
				   is_text(record, "filename", "/no/such/folder") &&
				   (number(record, "flags") & O_CREAT) &&
				   number(record, "mode") == 0640;
		break;
	case KTRACE_ID_OPENAT_EXIT:
		nr[SEEN_OPENAT_FAILS] += number(record, "ret") == -ENOENT;
		break;
	case KTRACE_ID_GETPPID_EXIT:
		nr[SEEN_GETPPID] += number(record, "ret") == getppid();
		break;
	default:
		break;
	}
}

static void look_at_device(const struct ctf_record *record, struct told *told)
{
	const uint32_t id = record->event->id;
	unsigned int *nr = told->nr;

	if (id == ktrace_kind_id(OPROF_KTRACE_PAGE_FAULT_USER))
		nr[SEEN_FAULT] += (uint64_t)number(record, "address") == told->page &&
				  number(record, "ip") && number(record, "error_code") == 6;
	else if (id == ktrace_kind_id(OPROF_KTRACE_HRTIMER_START))
		nr[SEEN_TIMER] += number(record, "function") &&
				  number(record, "softexpires") <= number(record, "expires");
	else if (id == ktrace_kind_id(OPROF_KTRACE_HRTIMER_EXPIRE_ENTRY))
		nr[SEEN_EXPIRY] += number(record, "function") && number(record, "now") > 0;
	else if (id == ktrace_kind_id(OPROF_KTRACE_NET_DEV_QUEUE))
		nr[SEEN_QUEUE] += is_text(record, "name", "lo") && number(record, "len") > 1000;
	else if (id == ktrace_kind_id(OPROF_KTRACE_NET_DEV_XMIT))
		nr[SEEN_XMIT] += is_text(record, "name", "lo") && number(record, "len") > 1000 &&
				 !number(record, "rc");
	else if (id == ktrace_kind_id(OPROF_KTRACE_NETIF_RECEIVE_SKB))
		nr[SEEN_RECEIVE] += is_text(record, "name", "lo") && number(record, "len") >= 1000;
	else if (id == ktrace_kind_id(OPROF_KTRACE_SIGNAL_DELIVER))
		nr[SEEN_DELIVERY] += number(record, "sig") == SIGUSR1 &&
				     (uint64_t)number(record, "sa_handler") == (uintptr_t)on_usr1;
	else if (id == ktrace_kind_id(OPROF_KTRACE_SIGNAL_GENERATE)) {
		nr[SEEN_OWN_SIGNAL] += is_signal(record, told, SIGUSR1, SI_USER);
		nr[SEEN_CHILD_SIGNAL] += is_signal(record, told, SIGCHLD, CLD_EXITED);
	}
}

static void look_at_told(const struct ctf_record *record, void *context)
{
	look_at_task(record, context);
	look_at_call(record, context);
	look_at_device(record, context);
}

/* Returns false if there is no network. */
static bool send_to_loopback(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(9),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	static const char bytes[1000];
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	bool sent = fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &loopback) &&
		    sendto(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&to, sizeof(to)) ==
			    (ssize_t)sizeof(bytes);

	if (fd >= 0)
		(void)close(fd);
	return sent;
}

static void do_what_is_told(struct told *told)
{
	char *page;

	told->me = (int64_t)ktrace_tid();
	told->child = fork();
	if (!told->child) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	CHECK_IS(waitpid((pid_t)told->child, NULL, 0), told->child);
	(void)signal(SIGUSR1, on_usr1);
	(void)kill(getpid(), SIGUSR1);
	ktrace_nap(5);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	told->page = (uintptr_t)page + 5;
	*(volatile char *)(page + 5) = 1;
	(void)munmap(page, 4096);
	(void)syscall(SYS_openat, AT_FDCWD, "/no/such/folder", O_WRONLY | O_CREAT, 0640);
	ktrace_getppid(1);
}

static bool is_seen_here(const struct ktrace *trace, unsigned int seen, bool has_net, bool has_perf)
{
	if (seen == SEEN_EXEC_BY_PERF)
		return has_perf;
	if (seen == SEEN_FAULT)
		return trace->info.kinds & (1ull << OPROF_KTRACE_PAGE_FAULT_USER);
	return seen < SEEN_QUEUE || has_net;
}

static void records_tell_what_was_done(void)
{
	struct told told = {.me = 0};
	struct ktrace_folder folder;
	struct ktrace_found found;
	bool has_net, has_perf;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 18, 8, 0);
	ktrace_folder_open(&folder, &trace);
	ktrace_add_all(&trace);
	has_perf = !ktrace_named_exec(&trace);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	do_what_is_told(&told);
	has_net = send_to_loopback();
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	found = ktrace_finish(&trace, &folder, look_at_told, &told);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	for (unsigned int i = 0; i < NR_SEEN; i++)
		if (is_seen_here(&trace, i, has_net, has_perf))
			CHECK_OF(told.nr[i] > 0, seen_names[i]);
	CHECK_IS(told.nr[SEEN_FORK], 1);
	CHECK_IS(told.nr[SEEN_EXIT], 1);
	CHECK_IS(told.nr[SEEN_OPENAT], 1);
	printf("# %s network, %s tracefs\n", has_net ? "with" : "without",
	       has_perf ? "with" : "without");
	ktrace_close(&trace);
}

static const struct kmod_test tests[] = {
	KMOD_TEST(records_tell_what_was_done),
};

int main(int argc, char **argv)
{
	(void)argc;
	return kmod_test_main(tests, sizeof(tests) / sizeof(tests[0]), argv + 1);
}
