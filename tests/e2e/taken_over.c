// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To be preloaded into oprofiled, oprof-tracer, opimport and report tools. The library makes system
 * calls in these programs and their children, as an attacker would who controls the process. It
 * writes the answers to the file TAKEN_OVER_FILE. It maps the file at the start, because a confined
 * process cannot open it.
 *
 * A call can end or change the process that makes it, so each call has a process of its own. If a
 * process is permitted to start others, it starts them itself, and they have its rights. Processes
 * that parse are not permitted to: then the library starts several of them instead of one. Each
 * confines itself as usual, and then makes one call. One more does the work.
 *
 * Environment: TAKEN_OVER: the processes that make calls; TAKEN_OVER_FOLDER: what is attacked;
 * TAKEN_OVER_SESSION: the session folder; TAKEN_OVER_UNCONFINED: if set, no process gives up
 * rights; TAKEN_OVER_LAST: if set, the first of the processes that parse makes this call, too.
 */
#define _GNU_SOURCE
#include "taken_over_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 10000 /* for the end of a process that makes a call */
#define LOCK_MS 200000
#define NO_CALL (-1)

static const char *const process_texts[] = TAKEN_PROCESS_TEXTS;
static const char *const call_texts[] = TAKEN_CALL_TEXTS;

static struct {
	struct taken_file *file; /* NULL: the library does nothing */
	bool wanted[NR_TAKEN_PROCESSES];
	bool is_unconfined;
	int last; /* call of TAKEN_OVER_LAST, or NO_CALL */
} setup;

/* What this process is, and which call it is to make. */
static enum taken_process this_process = NR_TAKEN_PROCESSES;
static int this_call = NO_CALL;
static bool is_runner;	     /* it only makes calls in the place of another process */
static char thread_name[16]; /* as set by PR_SET_NAME */

/* What the next fork() will start. */
static bool has_memfd, has_socketpair, has_pipe_size;

static pid_t (*next_fork)(void);
static int (*next_setgroups)(size_t, const gid_t *);
static int (*next_setresgid)(gid_t, gid_t, gid_t);
static int (*next_setresuid)(uid_t, uid_t, uid_t);

/* ---- the process that makes a call ---- */

static int load(const int *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static void store(int *value, int to)
{
	__atomic_store_n(value, to, __ATOMIC_RELEASE);
}

static void __attribute__((noreturn)) end_here(void)
{
	for (;;)
		(void)CALL(SYS_exit_group, 0);
}

/* Waits until the parent has read the status, for some seconds. */
static void wait_for_parent(struct taken_result *result)
{
	store(&result->status_wanted, 1);
	for (int i = 0; i < 10000000 && load(&result->status_wanted) != 2; i++)
		(void)CALL(SYS_sched_yield);
	store(&result->answers[TAKEN_STATUS], TAKEN_YES);
}

/* If this process is to make a call, makes it and ends. */
static void act(void)
{
	struct taken_result *result;
	int *answer;

	if (this_call == NO_CALL)
		return;
	result = &setup.file->results[this_process];
	answer = &result->answers[this_call];
	if (this_call == TAKEN_STATUS) {
		wait_for_parent(result);
		end_here();
	}
	store(answer, TAKEN_BEGUN);
	store(answer, taken_call_make((enum taken_call)this_call, process_texts[this_process])
			      ? errno
			      : TAKEN_YES);
	end_here();
}

/* ---- the process that starts them ---- */

static void pause_ms(void)
{
	const struct timespec ms = {.tv_nsec = 1000000};

	(void)CALL(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ms, NULL);
}

static void read_status(struct taken_result *result, pid_t pid)
{
	char path[64];
	int fd, nr;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	nr = CALL(SYS_read, fd, result->status, sizeof(result->status) - 1);
	result->status[nr < 0 ? 0 : nr] = '\0';
	(void)CALL(SYS_close, fd);
}

static void note_end(int *answer, int call, int status)
{
	const int got = load(answer);

	if (WIFSIGNALED(status))
		store(answer, TAKEN_KILLED + WTERMSIG(status));
	else if (got == TAKEN_BEGUN && call == TAKEN_EXEC && !WEXITSTATUS(status))
		store(answer, TAKEN_YES);
	else if (got == TAKEN_NOT_TRIED)
		store(answer, TAKEN_NOT_ACT);
}

/* Waits for the process that makes the call. Returns whether it got that far. */
static bool observe(enum taken_process process, int call, pid_t pid)
{
	struct taken_result *result = &setup.file->results[process];
	int status = 0;

	if (pid <= 0) { /* fork() has failed: kill() would signal all processes */
		store(&result->answers[call], TAKEN_NO_END);
		return false;
	}
	for (int ms = 0; ms < WAIT_MS; ms++) {
		if (call == TAKEN_STATUS && load(&result->status_wanted) == 1) {
			read_status(result, pid);
			store(&result->status_wanted, 2);
		}
		if (CALL(SYS_wait4, pid, &status, WNOHANG, NULL)) {
			note_end(&result->answers[call], call, status);
			return load(&result->answers[call]) != TAKEN_NOT_ACT;
		}
		pause_ms();
	}
	(void)CALL(SYS_kill, pid, SIGKILL);
	(void)CALL(SYS_wait4, pid, &status, WNOHANG, NULL);
	store(&result->answers[call], TAKEN_NO_END);
	return false;
}

/* Only one process at a time makes its calls: ptrace() would disturb another one's. */
static void begin(enum taken_process process)
{
	struct taken_result *result = &setup.file->results[process];

	for (int ms = 0; __atomic_exchange_n(&setup.file->lock, 1, __ATOMIC_ACQUIRE); ms++) {
		if (ms == LOCK_MS)
			break;
		pause_ms();
	}
	memset(result->answers, 0, sizeof(result->answers));
	result->status_wanted = 0;
}

static void end(enum taken_process process)
{
	store(&setup.file->results[process].is_done, 1);
	store(&setup.file->lock, 0);
}

static bool is_due(enum taken_process process)
{
	return setup.file && setup.wanted[process] && this_call == NO_CALL &&
	       !load(&setup.file->results[process].is_done);
}

static void make_calls(enum taken_process process)
{
	bool goes_on = true;

	begin(process);
	for (int call = 0; call < NR_TAKEN_CALLS && goes_on; call++) {
		const pid_t pid = next_fork();

		if (!pid) {
			this_process = process;
			this_call = call;
			act();
		}
		goes_on = observe(process, call, pid);
	}
	end(process);
}

/*
 * Starts a process that makes the calls in the place of this one, which goes on: the daemon and its
 * children wait only some time for each other. Returns whether this is the new process.
 */
static bool start_runner(enum taken_process process)
{
	if (process != TAKEN_OPROFILED && process != TAKEN_READER && process != TAKEN_KEEPER &&
	    process != TAKEN_COPIER)
		return false;
	if (__atomic_exchange_n(&setup.file->results[process].has_runner, 1, __ATOMIC_ACQ_REL) ||
	    next_fork())
		return false;
	is_runner = true;
	(void)CALL(SYS_close, 3); /* a child's socket: its end must be noticed */
	return true;
}

/* To be called in a process that has given up its rights, and may start processes. */
static void act_in_children(enum taken_process process)
{
	const int error = errno;

	if (!is_due(process))
		return;
	if (start_runner(process)) {
		make_calls(process);
		end_here();
	}
	if (!setup.file->results[process].has_runner)
		make_calls(process);
	errno = error;
}

/* ---- what the programs call ---- */

static bool is_program(const char *name)
{
	return setup.file && !strcmp(program_invocation_short_name, name);
}

/* Returns what the next fork() starts, or NR_TAKEN_PROCESSES. */
static enum taken_process process_of_fork(void)
{
	if (!setup.file || this_process != NR_TAKEN_PROCESSES)
		return NR_TAKEN_PROCESSES;
	if (!strcmp(thread_name, "oprof-keeper"))
		return TAKEN_COPIER;
	if (!is_program("opreport"))
		return NR_TAKEN_PROCESSES;
	if (has_memfd && has_socketpair)
		return TAKEN_HELPER;
	if (has_socketpair)
		return TAKEN_OPENER;
	return has_pipe_size ? TAKEN_UNPACKER : NR_TAKEN_PROCESSES;
}

static bool makes_last_call(enum taken_process process)
{
	return setup.last != NO_CALL && setup.wanted[process] &&
	       !__atomic_exchange_n(&setup.file->is_last_made, 1, __ATOMIC_ACQ_REL);
}

/* Starts the process that does the work. */
static pid_t fork_once(enum taken_process process)
{
	const bool is_last = process != NR_TAKEN_PROCESSES && makes_last_call(process);
	const pid_t pid = next_fork();

	if (!pid && is_last)
		this_call = setup.last;
	if (!pid)
		this_process = process;
	return pid;
}

/* Starts processes that each make one call. Returns whether this is one of them. */
static bool fork_callers(enum taken_process process)
{
	bool goes_on = true;

	begin(process);
	for (int call = 0; call < NR_TAKEN_CALLS && goes_on; call++) {
		const pid_t pid = next_fork();

		if (!pid) {
			this_process = process;
			this_call = call;
			return true;
		}
		goes_on = observe(process, call, pid);
	}
	end(process);
	return false;
}

pid_t fork(void)
{
	const enum taken_process process = process_of_fork();

	has_memfd = has_socketpair = has_pipe_size = false;
	if (process == TAKEN_HELPER)
		act_in_children(TAKEN_REPORT);
	if (process == NR_TAKEN_PROCESSES || !is_due(process) || setup.last != NO_CALL)
		return fork_once(process);
	(void)start_runner(process);
	if ((is_runner || !setup.file->results[process].has_runner) && fork_callers(process))
		return 0;
	if (is_runner)
		end_here();
	return fork_once(process);
}

/* The filter is the last step of the confinement of processes that parse. */
static void filter_installed(void)
{
	if (this_process == TAKEN_COPIER || this_process == TAKEN_HELPER ||
	    this_process == TAKEN_UNPACKER)
		act();
}

int prctl(int option, ...)
{
	unsigned long a[4];
	va_list list;
	int error;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_NAME)
		(void)snprintf(thread_name, sizeof(thread_name), "%.15s", (const char *)a[0]);
	if (setup.is_unconfined && (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS ||
				    option == PR_CAPBSET_DROP || option == PR_CAP_AMBIENT))
		error = 0;
	else
		error = CALL(SYS_prctl, (long)option, a[0], a[1], a[2], a[3]);
	if (option == PR_SET_SECCOMP && !error)
		filter_installed();
	return error;
}

long syscall(long number, ...)
{
	long a[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (setup.is_unconfined && (number == SYS_seccomp || number == SYS_capset))
		result = 0;
	else
		result = next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_seccomp && !result)
		filter_installed();
	return result;
}

int setgroups(size_t nr, const gid_t *groups)
{
	return setup.is_unconfined ? 0 : next_setgroups(nr, groups);
}

int setresgid(gid_t real, gid_t effective, gid_t saved)
{
	return setup.is_unconfined ? 0 : next_setresgid(real, effective, saved);
}

int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return setup.is_unconfined ? 0 : next_setresuid(real, effective, saved);
}

/* The daemon's children unmap memory that is shared, but the answers must arrive. */
int munmap(void *address, size_t nr_bytes)
{
	return address == setup.file && address ? 0 : CALL(SYS_munmap, address, nr_bytes);
}

int memfd_create(const char *name, unsigned int flags)
{
	has_memfd = true;
	return CALL(SYS_memfd_create, name, flags);
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
	has_socketpair = true;
	return CALL(SYS_socketpair, domain, type, protocol, ends);
}

int fcntl(int fd, int command, ...)
{
	va_list list;
	long argument;

	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	has_pipe_size |= command == F_SETPIPE_SZ;
	return CALL(SYS_fcntl, fd, command, argument);
}

/*
 * The names that programs with 64-bit offsets import from glibc. With 32-bit offsets by default,
 * the types would differ; in musl, the names are macros.
 */
#if defined(__GLIBC__) && defined(__LP64__)
int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));
ssize_t pread64(int fd, void *bytes, size_t nr_bytes, off64_t offset)
	__attribute__((alias("pread")));
#endif

ssize_t recv(int fd, void *bytes, size_t nr_bytes, int flags)
{
	if (!strcmp(thread_name, "oprof-reader"))
		act_in_children(TAKEN_READER);
	return CALL(SYS_recvfrom, fd, bytes, nr_bytes, flags, NULL, NULL);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	if (!strcmp(thread_name, "oprof-keeper"))
		act_in_children(TAKEN_KEEPER);
	if (this_process == TAKEN_OPENER)
		act();
	return CALL(SYS_recvmsg, fd, message, flags);
}

/* The daemon takes a client. */
int accept4(int fd, struct sockaddr *address, socklen_t *nr_bytes, int flags)
{
	if (is_program("oprofiled"))
		act_in_children(TAKEN_OPROFILED);
	return CALL(SYS_accept4, fd, address, nr_bytes, flags);
}

/* The tracer waits for events. */
int poll(struct pollfd *fds, nfds_t nr, int ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	if (is_program("oprof-tracer"))
		act_in_children(TAKEN_TRACER);
	return CALL(SYS_ppoll, fds, nr, ms < 0 ? NULL : &time, NULL, 8);
}

/* opimport reads the head of its file. */
ssize_t pread(int fd, void *bytes, size_t nr_bytes, off_t offset)
{
	if (is_program("opimport"))
		act_in_children(TAKEN_IMPORT_BEGIN);
	return next_syscall(SYS_pread64, fd, bytes, nr_bytes, offset);
}

/* opimport locks the session to which it writes. */
int flock(int fd, int operation)
{
	if (is_program("opimport"))
		act_in_children(TAKEN_IMPORT);
	return CALL(SYS_flock, fd, operation);
}

/* ---- the start ---- */

static void read_environment(const char *folder)
{
	const char *wanted = getenv("TAKEN_OVER"), *last = getenv("TAKEN_OVER_LAST");
	const char *session = getenv("TAKEN_OVER_SESSION");
	char words[512], process[32];

	taken_calls_prepare(folder, session ? session : "");
	(void)snprintf(words, sizeof(words), " %s ", wanted ? wanted : "");
	for (int i = 0; i < NR_TAKEN_PROCESSES; i++) {
		(void)snprintf(process, sizeof(process), " %s ", process_texts[i]);
		setup.wanted[i] = strstr(words, process) != NULL;
	}
	setup.is_unconfined = getenv("TAKEN_OVER_UNCONFINED") != NULL;
	setup.last = NO_CALL;
	for (int i = 0; last && i < NR_TAKEN_CALLS; i++)
		if (!strcmp(last, call_texts[i]))
			setup.last = i;
}

static void *find(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	if (!symbol)
		abort();
	return symbol;
}

static void __attribute__((constructor)) start(void)
{
	const char *path = getenv("TAKEN_OVER_FILE"), *folder = getenv("TAKEN_OVER_FOLDER");
	const int fd = path && folder ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *file;

	next_fork = (pid_t(*)(void))(uintptr_t)find("fork");
	next_setgroups = (int (*)(size_t, const gid_t *))(uintptr_t)find("setgroups");
	next_setresgid = (int (*)(gid_t, gid_t, gid_t))(uintptr_t)find("setresgid");
	next_setresuid = (int (*)(uid_t, uid_t, uid_t))(uintptr_t)find("setresuid");
	next_syscall = (long (*)(long, ...))(uintptr_t)find("syscall");
	if (fd < 0)
		return;
	file = mmap(NULL, sizeof(struct taken_file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (file == MAP_FAILED)
		abort();
	read_environment(folder);
	setup.file = file;
}
