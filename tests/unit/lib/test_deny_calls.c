// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/deny_calls.h"

#include "lib/seccomp_filter.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is refused ---- */

#define NOWHERE "/nonexistent/place"
#define BAD	(-1L)

/* Calls that change nothing, whether or not they are permitted. */
static const struct call {
	const char *name;
	long number;
	long arguments[5];
} calls[] = {
	{"execve", SYS_execve, {(long)NOWHERE, 0, 0}},
	{"execveat", SYS_execveat, {AT_FDCWD, (long)NOWHERE, 0, 0, 0}},
	{"ptrace", SYS_ptrace, {PTRACE_PEEKUSER, 0, 0, 0}},
	{"process_vm_readv", SYS_process_vm_readv, {0, 0, 0, 0, 0}},
	{"process_vm_writev", SYS_process_vm_writev, {0, 0, 0, 0, 0}},
	{"pidfd_getfd", 438, {BAD, BAD, 0}},
	{"process_madvise", 440, {BAD, 0, 0, 0, 0}},
	{"kcmp", SYS_kcmp, {0, 0, BAD, 0, 0}},
	{"unshare", SYS_unshare, {0}},
	{"setns", SYS_setns, {BAD, 0}},
	{"chroot", SYS_chroot, {(long)NOWHERE}},
	{"pivot_root", SYS_pivot_root, {(long)NOWHERE, (long)NOWHERE}},
	{"mount", SYS_mount, {0, (long)NOWHERE, 0, 0, 0}},
	{"umount2", SYS_umount2, {(long)NOWHERE, 0}},
	{"open_tree", 428, {BAD, (long)NOWHERE, 0}},
	{"move_mount", 429, {BAD, (long)"", BAD, (long)"", 0}},
	{"fsopen", 430, {(long)"nonexistent", 0}},
	{"fsconfig", 431, {BAD, 0, 0, 0, 0}},
	{"fsmount", 432, {BAD, 0, 0}},
	{"fspick", 433, {BAD, (long)NOWHERE, 0}},
	{"mount_setattr", 442, {BAD, (long)NOWHERE, 0, 0, 0}},
	{"open_tree_attr", 467, {BAD, (long)NOWHERE, 0, 0, 0}},
	{"init_module", SYS_init_module, {0, 0, 0}},
	{"finit_module", SYS_finit_module, {BAD, (long)"", 0}},
	{"delete_module", SYS_delete_module, {(long)"no_such_module_here", O_NONBLOCK}},
	{"kexec_load", SYS_kexec_load, {0, BAD, 0, 0}},
	{"bpf", SYS_bpf, {BAD, 0, 0}},
	{"reboot", SYS_reboot, {0, 0, 0, 0}},
	{"swapon", SYS_swapon, {(long)NOWHERE, 0}},
	{"swapoff", SYS_swapoff, {(long)NOWHERE}},
	{"acct", SYS_acct, {(long)NOWHERE}},
	{"quotactl", SYS_quotactl, {BAD, (long)NOWHERE, 0, 0}},
	{"quotactl_fd", 443, {BAD, 0, 0, 0}},
	{"settimeofday", SYS_settimeofday, {0, 1}},
	{"clock_settime", SYS_clock_settime, {BAD, 0}},
	{"adjtimex", SYS_adjtimex, {0}},
	{"clock_adjtime", SYS_clock_adjtime, {BAD, 0}},
	{"sethostname", SYS_sethostname, {0, BAD}},
	{"setdomainname", SYS_setdomainname, {0, BAD}},
	{"open_by_handle_at", SYS_open_by_handle_at, {BAD, 0, 0}},
	{"fanotify_init", SYS_fanotify_init, {BAD, 0}},
	{"mknodat", SYS_mknodat, {BAD, (long)"fifo", S_IFIFO | 0600, 0}},
	{"userfaultfd", SYS_userfaultfd, {BAD}},
	{"io_uring_setup", 425, {0, 0}},
	{"io_uring_enter", 426, {BAD, 0, 0, 0, 0}},
	{"io_uring_register", 427, {BAD, 0, 0, 0}},
	{"add_key", SYS_add_key, {0, 0, 0, 0, 0}},
	{"request_key", SYS_request_key, {0, 0, 0, 0}},
	{"keyctl", SYS_keyctl, {BAD, 0, 0, 0, 0}},
	{"personality", SYS_personality, {0xffffffffL}},
	{"socket of the Internet", SYS_socket, {AF_INET, SOCK_DGRAM, 0}},
	{"socket of the kernel", SYS_socket, {AF_NETLINK, SOCK_RAW, 0}},
	{"text into a terminal", SYS_ioctl, {BAD, TIOCSTI, (long)"x"}},
	{"text into a terminal, the request in 64 bits",
	 SYS_ioctl,
	 {BAD, (1L << 32) | TIOCSTI, (long)"x"}},
	{"a selection into a terminal", SYS_ioctl, {BAD, TIOCLINUX, (long)"\2"}},
	{"a namespace", SYS_clone, {CLONE_NEWUSER | CLONE_NEWPID | CLONE_THREAD, 0, 0, 0, 0}},
};

#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

#define CHILD_USER  12345
#define CHILD_GROUP 12346

static int deny_others_with_child(void)
{
	return deny_others(CHILD_USER, CHILD_GROUP);
}

/* Calls that deny_others() refuses. They change nothing in other processes, either. */
static const struct call others[] = {
	{"ioctl", SYS_ioctl, {BAD, 0, 0}},
	{"tkill", SYS_tkill, {1, 0}},
	{"tgkill", SYS_tgkill, {1, 1, 0}},
	{"rt_sigqueueinfo", SYS_rt_sigqueueinfo, {1, 0, 0}},
	{"pidfd_send_signal", 424, {BAD, 0, 0, 0}},
	{"perf_event_open", SYS_perf_event_open, {0, 0, BAD, BAD, 0}},
	{"sched_setaffinity", SYS_sched_setaffinity, {1, 0, 0}},
	{"prlimit64 of another", SYS_prlimit64, {1, RLIMIT_CORE, 0, 0}},
	{"move_pages", SYS_move_pages, {1, 0, 0, 0, 0}},
	{"F_SETOWN", SYS_fcntl, {BAD, F_SETOWN, 1}},
	{"socket", SYS_socket, {AF_UNIX, SOCK_DGRAM, 0}},
	{"socketpair", SYS_socketpair, {AF_UNIX, SOCK_DGRAM, 0, 0}},
	{"connect", SYS_connect, {BAD, 0, 0}},
	{"memory for code", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, BAD}},
	{"code from memory", SYS_mprotect, {0, 0, PROT_EXEC}},
	{"code from memory with a key", SYS_pkey_mprotect, {0, 0, PROT_EXEC, BAD}},
	{"shared memory for code", SYS_shmat, {BAD, 0, SHM_EXEC}},
	/* There are no such processes, so that nothing is killed without the filter. */
	{"kill of a group", SYS_kill, {-(long)INT_MAX, SIGKILL}},
	{"kill by another signal", SYS_kill, {INT_MAX, SIGSTOP}},
	{"setuid", SYS_setuid, {CHILD_USER}},
	{"setresuid, real user root", SYS_setresuid, {0, CHILD_USER, CHILD_USER}},
	{"setresuid, user root", SYS_setresuid, {CHILD_USER, 0, CHILD_USER}},
	{"setresuid, saved user another", SYS_setresuid, {CHILD_USER, CHILD_USER, 1000}},
	{"setresgid, group root", SYS_setresgid, {CHILD_GROUP, 0, CHILD_GROUP}},
	{"setgroups", SYS_setgroups, {1, BAD}},
	{"setpriority of another", SYS_setpriority, {PRIO_PROCESS, BAD, 0}},
	{"setpriority of a user", SYS_setpriority, {PRIO_USER, BAD, 0}},
};

#define NR_OTHERS (sizeof(others) / sizeof(others[0]))

/* Calls that deny_changes() refuses in addition. */
static const struct call changes[] = {
	{"openat to write", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_WRONLY}},
	{"openat to read and write", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_RDWR}},
	{"openat to create", SYS_openat, {AT_FDCWD, (long)NOWHERE, O_RDONLY | O_CREAT, 0600}},
	{"openat of an unnamed file", SYS_openat, {AT_FDCWD, (long)NOWHERE, O_TMPFILE, 0600}},
	{"renameat2", SYS_renameat2, {AT_FDCWD, (long)NOWHERE, AT_FDCWD, (long)NOWHERE, 0}},
	{"unlinkat", SYS_unlinkat, {AT_FDCWD, (long)NOWHERE, 0}},
	{"linkat", SYS_linkat, {AT_FDCWD, (long)NOWHERE, AT_FDCWD, (long)NOWHERE, 0}},
	{"symlinkat", SYS_symlinkat, {(long)NOWHERE, AT_FDCWD, (long)NOWHERE}},
	{"mkdirat", SYS_mkdirat, {AT_FDCWD, (long)NOWHERE, 0700}},
	{"truncate", SYS_truncate, {(long)NOWHERE, 0}},
	{"fchmod", SYS_fchmod, {BAD, 0600}},
	{"fchmodat", SYS_fchmodat, {AT_FDCWD, (long)NOWHERE, 0600}},
	{"fchmodat2", 452, {AT_FDCWD, (long)NOWHERE, 0600, 0}},
	{"fchown", SYS_fchown, {BAD, 0, 0}},
	{"fchownat", SYS_fchownat, {AT_FDCWD, (long)NOWHERE, 0, 0, 0}},
	{"utimensat", SYS_utimensat, {AT_FDCWD, (long)NOWHERE, 0, 0}},
	{"setxattr", SYS_setxattr, {(long)NOWHERE, (long)"user.x", 0, 0, 0}},
	{"removexattr", SYS_removexattr, {(long)NOWHERE, (long)"user.x"}},
	{"setxattrat", 463, {AT_FDCWD, (long)NOWHERE, 0, 0, 0}},
	{"removexattrat", 466, {AT_FDCWD, (long)NOWHERE, 0, 0}},
	{"file_setattr", 469, {AT_FDCWD, (long)NOWHERE, 0, 0, 0}},
#ifdef SYS_open
	{"utime", SYS_utime, {(long)NOWHERE, 0}},
	{"utimes", SYS_utimes, {(long)NOWHERE, 0}},
	{"futimesat", SYS_futimesat, {AT_FDCWD, (long)NOWHERE, 0}},
#endif
	{"kill", SYS_kill, {BAD, 0}},
	{"kill of init", SYS_kill, {1, 0}},
	{"setpriority", SYS_setpriority, {BAD, 1, 0}},
};

#define NR_CHANGES (sizeof(changes) / sizeof(changes[0]))

/* Returns whether the functions do anything here. */
static bool has_filters(void)
{
	return !SECCOMP_SANITIZED && prctl(PR_GET_SECCOMP, 0UL, 0UL, 0UL, 0UL) >= 0;
}

/* Returns what the call fails with in a child process; 0: it did not fail. */
static int errno_of(const struct call *call, int (*deny)(void))
{
	const long *with = call->arguments;
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (deny && deny())
			_exit(255);
		_exit(syscall(call->number, with[0], with[1], with[2], with[3], with[4]) < 0 ? errno
											     : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "%s: ended by signal %d", call->name, WTERMSIG(status));
	return WEXITSTATUS(status);
}

START_TEST(each_call_is_refused)
{
	const int error = has_filters() ? errno_of(&calls[_i], deny_calls) : EPERM;

	ck_assert_msg(error == EPERM, "%s: %s", calls[_i].name, strerror(error));
}
END_TEST

START_TEST(each_call_for_others_is_refused)
{
	const struct call *call = &others[_i / 2];
	const int error = has_filters()
				  ? errno_of(call, _i % 2 ? deny_changes : deny_others_with_child)
				  : EPERM;

	ck_assert_msg(error == EPERM, "%s: %s", call->name, strerror(error));
}
END_TEST

START_TEST(each_change_is_refused)
{
	const int error = has_filters() ? errno_of(&changes[_i], deny_changes) : EPERM;

	ck_assert_msg(error == EPERM, "%s: %s", changes[_i].name, strerror(error));
}
END_TEST

/* Otherwise the test above would prove nothing. A container may refuse some of the calls. */
START_TEST(most_calls_are_not_refused_without_the_filter)
{
	size_t nr_refused = 0;

	if (!has_filters())
		return;
	for (size_t i = 0; i < NR_CALLS; i++)
		nr_refused += errno_of(&calls[i], NULL) == EPERM;
	ck_assert_uint_lt(nr_refused, NR_CALLS / 2);
	nr_refused = 0;
	for (size_t i = 0; i < NR_CHANGES; i++)
		nr_refused += errno_of(&changes[i], NULL) == EPERM;
	ck_assert_uint_lt(nr_refused, NR_CHANGES / 2);
	nr_refused = 0;
	for (size_t i = 0; i < NR_OTHERS; i++)
		nr_refused += errno_of(&others[i], NULL) == EPERM;
	ck_assert_uint_lt(nr_refused, NR_OTHERS / 2);
}
END_TEST

/* ---- what remains ---- */

static void work(void)
{
	int ends[2];
	pid_t pid;
	int status;

	ck_assert_int_eq(deny_calls(), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	ck_assert_int_ge(socket(AF_UNIX, SOCK_DGRAM, 0), 0);
	ck_assert_int_ge(open("/dev/null", O_RDWR), 0);
	/* perf events and terminals: of no file here */
	ck_assert_int_eq(ioctl(-1, TIOCGWINSZ, NULL), -1);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_ptr_ne(
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		MAP_FAILED);
	pid = fork();
	if (!pid)
		_exit(syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) < 0 && errno == EPERM ? 0 : 1);
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status),
		      "a child of the process has more rights");
}

/* A child that only reads. */
static void read_only(void)
{
	char byte;
	int fds[2], fd;

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(deny_changes(), 0);
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(read(fd, &byte, 1), 1);
	ck_assert_int_eq(write(fds[1], &byte, 1), 1);
	ck_assert_int_ge(fcntl(fd, F_DUPFD_CLOEXEC, 0), 0);
	ck_assert_ptr_ne(
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		MAP_FAILED);
	ck_assert_int_eq((int)syscall(SYS_tgkill, getpid(), gettid(), 0), 0);
}

/* A child that writes files and has children of its own. */
static void own_children(void)
{
	pid_t pid;
	int status, fd;

	ck_assert_int_eq(deny_others_with_child(), 0);
	ck_assert_int_ge(open("/dev/null", O_RDWR), 0);
	fd = memfd_create("table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	ck_assert_int_ge(fcntl(fd, F_DUPFD_CLOEXEC, 0), 0);
	pid = fork();
	if (!pid) {
		(void)pause();
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, 10), 0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (geteuid())
		return;
	ck_assert_int_eq(setgroups(0, NULL), 0);
	ck_assert_int_eq(setresgid(CHILD_GROUP, CHILD_GROUP, CHILD_GROUP), 0);
	ck_assert_int_eq(setresuid(CHILD_USER, CHILD_USER, CHILD_USER), 0);
}

START_TEST(files_sockets_memory_and_children_remain)
{
	static void (*const works[])(void) = {work, read_only, own_children};
	pid_t pid = fork();
	int status;

	if (!pid && !has_filters())
		_exit(0);
	if (!pid) {
		works[_i]();
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("deny_calls");
	Suite *suite = suite_create("deny_calls");

	tcase_add_loop_test(tcase, each_call_is_refused, 0, NR_CALLS);
	tcase_add_test(tcase, most_calls_are_not_refused_without_the_filter);
	tcase_add_loop_test(tcase, each_call_for_others_is_refused, 0, 2 * NR_OTHERS);
	tcase_add_loop_test(tcase, each_change_is_refused, 0, NR_CHANGES);
	tcase_add_loop_test(tcase, files_sockets_memory_and_children_remain, 0, 3);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
