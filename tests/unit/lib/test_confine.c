// SPDX-License-Identifier: GPL-2.0-or-later
/* The rights of a confined process, inspected from outside and tried inside. */
#include "lib/confine.h"

#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534ul

static const struct confine_limits limits = {
	.max_seconds = 10, .max_bytes = 64 << 20, .max_file_bytes = 1 << 20};

struct confined {
	pid_t pid;
	int go; /* closing it ends the child */
	int told;
};

/* Actions of the child before it is confined. */
static void nothing(void)
{
}

static void lose_capabilities(uint32_t lost)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		_exit(99);
	data[0].effective &= ~lost;
	data[0].permitted = data[0].effective;
	data[0].inheritable = 0;
	if (syscall(SYS_capset, &header, data))
		_exit(99);
}

/* Drops root's capabilities to become another user, and no others. */
static void lose_other_users(void)
{
	lose_capabilities(1u << CAP_SETUID | 1u << CAP_SETGID);
}

/* Refuses further filters, as a kernel without seccomp does. */
static void lose_seccomp(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(99);
}

static void lose_both(void)
{
	lose_other_users();
	lose_seccomp();
}

/* ---- what the machine permits: some containers have no seccomp, or only one user ---- */

/* Returns whether an action succeeds, which a child of this process tries. */
static bool is_permitted(bool (*action)(void))
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(action() ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return !status;
}

static bool install_nothing(void)
{
	struct sock_filter filter[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {1, filter};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static bool become_nobody(void)
{
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	       !setresuid(NOBODY, NOBODY, NOBODY);
}

static bool lacks_seccomp(void)
{
	return !is_permitted(install_nothing);
}

/* Root may be the only user of its user namespace. */
static bool is_root_of_all_users(void)
{
	return !geteuid() && is_permitted(become_nobody);
}

/* A user and a group that no machine has. */
#define LISTED_USER  64123ul
#define LISTED_GROUP 64124ul

/* Gives this process another /etc/passwd, which has CONFINE_USER. */
static bool list_user(void)
{
	static const char text[] = "root:x:0:0::/root:/bin/sh\n" CONFINE_USER
				   ":x:64123:64124::/nonexistent:/bin/false\n";
	char path[] = "/tmp/oprof-passwd.XXXXXX";
	int fd = mkstemp(path);
	bool done = fd >= 0 && !file_write_all(fd, text, sizeof(text) - 1) && !fchmod(fd, 0644) &&
		    !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		    !mount(path, "/etc/passwd", NULL, MS_BIND, NULL);

	(void)unlink(path);
	return done;
}

static void prepare_with_listed_user(void)
{
	if (!list_user())
		_exit(99);
	confine_prepare();
}

static void __attribute__((noreturn)) confined_main(int go, int told, void (*before)(void))
{
	int result[2];
	char end;

	before();
	result[0] = confine_process(&limits, CONFINE_DESCRIPTORS, go < told ? go : told,
				    go < told ? told : go);
	result[1] = open("/etc/shadow", O_RDONLY | O_CLOEXEC) < 0 ? -errno : 0;
	if (write(told, result, sizeof(result)) != (ssize_t)sizeof(result))
		_exit(98);
	(void)!read(go, &end, 1);
	_exit(0);
}

/*
 * Starts a confined child; returns the result of confining, and of opening a file of root's for
 * writing.
 */
static struct confined begin(void (*before)(void), int *error, int *open_error)
{
	int go[2], told[2], result[2];
	pid_t pid;

	ck_assert_int_eq(pipe(go), 0);
	ck_assert_int_eq(pipe(told), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		(void)close(go[1]);
		confined_main(go[0], told[1], before);
	}
	(void)close(go[0]);
	(void)close(told[1]);
	ck_assert_int_eq(read(told[0], result, sizeof(result)), (ssize_t)sizeof(result));
	*error = result[0];
	*open_error = result[1];
	return (struct confined){pid, go[1], told[0]};
}

static void end(const struct confined *confined)
{
	int status;

	(void)close(confined->go);
	(void)close(confined->told);
	ck_assert_int_eq(waitpid(confined->pid, &status, 0), confined->pid);
	ck_assert_int_eq(status, 0);
}

/* Returns the first number of a line in the child's status file. */
static unsigned long status_of(const struct confined *confined, const char *key, int base)
{
	unsigned long value;
	char path[64];
	char *text, *line;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)confined->pid);
	ck_assert_int_eq(file_read_text(path, 65536, &text, NULL), 0);
	line = strstr(text, key);
	ck_assert_ptr_nonnull(line);
	value = strtoul(line + strlen(key), NULL, base);
	free(text);
	return value;
}

START_TEST(a_confined_process_may_open_nothing_and_has_no_capabilities)
{
	int error, open_error;
	struct confined confined = begin(nothing, &error, &open_error);

	ck_assert_int_eq(error, 0);
	ck_assert_int_lt(open_error, 0);
	ck_assert_uint_eq(status_of(&confined, "\nCapEff:", 16), 0);
	ck_assert_uint_eq(status_of(&confined, "\nCapPrm:", 16), 0);
	if (is_root_of_all_users())
		ck_assert_uint_eq(status_of(&confined, "\nUid:", 10), NOBODY);
	end(&confined);
}
END_TEST

START_TEST(one_of_root_has_the_user_and_the_group_in_etc_passwd)
{
	int error, open_error;
	struct confined confined;

	if (!is_root_of_all_users() || !is_permitted(list_user))
		return;
	confined = begin(prepare_with_listed_user, &error, &open_error);
	ck_assert_int_eq(error, 0);
	ck_assert_uint_eq(status_of(&confined, "\nUid:", 10), LISTED_USER);
	ck_assert_uint_eq(status_of(&confined, "\nGid:", 10), LISTED_GROUP);
	end(&confined);
}
END_TEST

START_TEST(one_that_may_not_become_nobody_may_open_nothing_either)
{
	int error, open_error;
	struct confined confined;

	if (geteuid() || lacks_seccomp())
		return;
	confined = begin(lose_other_users, &error, &open_error);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(open_error, -EPERM);
	end(&confined);
}
END_TEST

START_TEST(without_seccomp_nobody_may_not_open_what_is_roots)
{
	int error, open_error;
	struct confined confined;

	if (!is_root_of_all_users() || lacks_seccomp())
		return;
	confined = begin(lose_seccomp, &error, &open_error);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(open_error, -EACCES);
	ck_assert_uint_eq(status_of(&confined, "\nUid:", 10), NOBODY);
	end(&confined);
}
END_TEST

START_TEST(root_that_nothing_holds_back_is_not_called_confined)
{
	int error, open_error;
	struct confined confined;

	if (!is_root_of_all_users() || lacks_seccomp())
		return;
	confined = begin(lose_both, &error, &open_error);
	ck_assert_int_eq(error, -EPERM);
	end(&confined);
}
END_TEST

/* ---- what a confined process tries ---- */

static const struct confine_limits wide = {
	.max_seconds = 10, .max_bytes = 64 << 20, .max_file_bytes = 1 << 20};

static pid_t parent;

/* Each attempt returns a number >= 0 if it succeeded, and -1 with errno otherwise. */
static long try_nothing(void)
{
	return 0;
}

static long try_memory(void)
{
	char *bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED || mprotect(bytes, 4096, PROT_READ))
		return -1;
	free(malloc(1 << 20));
	return munmap(bytes, 4096);
}

static long try_open_for_writing(void)
{
	return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

static long try_create(void)
{
	return open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static long try_open_shadow(void)
{
	return open("/etc/shadow", O_RDONLY | O_CLOEXEC);
}

static long try_open_path(void)
{
	return open("/etc", O_PATH | O_CLOEXEC);
}

static long try_parent_memory(void)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)parent);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static char known[16];

static long try_process_vm_readv(void)
{
	char bytes[sizeof(known)];
	struct iovec here = {bytes, sizeof(bytes)}, there = {known, sizeof(known)};

	return syscall(SYS_process_vm_readv, parent, &here, 1, &there, 1, 0);
}

static long try_kill(void)
{
	return kill(parent, 0);
}

static long try_kill_itself(void)
{
	return kill(getpid(), 0);
}

static long try_tgkill(void)
{
	return syscall(SYS_tgkill, parent, parent, 0);
}

static long try_tgkill_itself(void)
{
	return syscall(SYS_tgkill, getpid(), gettid(), 0);
}

static long try_ptrace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static long try_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static long try_connect(void)
{
	const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/"};

	return connect(-1, (const struct sockaddr *)&address, sizeof(address));
}

static long try_sendmsg(void)
{
	const struct msghdr message = {.msg_iovlen = 0};

	return sendmsg(-1, &message, 0);
}

static long try_execve(void)
{
	char name[] = "/bin/true";
	char *const arguments[] = {name, NULL}, *const environment[] = {NULL};

	return execve(name, arguments, environment);
}

static long try_mount(void)
{
	return mount("none", "/nonexistent", "tmpfs", 0, NULL);
}

static int pipe_ends[2];

static long try_setown(void)
{
	return fcntl(pipe_ends[0], F_SETOWN, parent);
}

static long try_prlimit(void)
{
	struct rlimit limit;

	return prlimit(parent, RLIMIT_NOFILE, NULL, &limit);
}

static long try_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? -1 : 0;
}

static long try_mprotect_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static long try_clone(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid < 0 ? pid : waitpid(pid, NULL, 0);
}

static long try_unshare(void)
{
	return syscall(SYS_unshare, 0);
}

static long try_bpf(void)
{
	return syscall(SYS_bpf, ~0u, NULL, 0);
}

static long try_userfaultfd(void)
{
	return syscall(SYS_userfaultfd, 0);
}

static long try_io_uring(void)
{
	char parameters[256] = {0};

	return syscall(SYS_io_uring_setup, 1, parameters);
}

static long try_keyctl(void)
{
	return syscall(SYS_keyctl, 0, -1, 0, 0, 0); /* asks for the id of the thread's keyring */
}

static long try_perf(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
}

#ifdef __x86_64__
static long try_x32(void)
{
	return syscall(0x40000000 | SYS_getpid);
}

static long try_32_bits(void)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory"); /* getpid() */
	return result;
}
#endif

enum outcome {
	SUCCEEDS,
	REFUSED, /* EPERM */
	KILLED,	 /* SIGSYS */
};

/* Without confinement, an attempt succeeds, or fails for one of the kernel's own reasons. */
static const struct attempt {
	const char *name;
	long (*attempt)(void);
	enum outcome outcome;
	int reasons[3];
} attempts[] = {
	{"nothing", try_nothing, SUCCEEDS, {0}},
	{"memory", try_memory, SUCCEEDS, {0}},
	{"tgkill itself", try_tgkill_itself, SUCCEEDS, {0}},
	{"open for writing", try_open_for_writing, KILLED, {0}},
	{"create a file", try_create, KILLED, {EOPNOTSUPP}},
	{"open /etc/shadow", try_open_shadow, REFUSED, {EACCES}},
	{"open a path", try_open_path, KILLED, {0}},
	{"open the parent's memory", try_parent_memory, REFUSED, {EACCES}},
	{"process_vm_readv", try_process_vm_readv, KILLED, {EPERM, ENOSYS}},
	{"kill", try_kill, KILLED, {0}},
	{"kill itself", try_kill_itself, KILLED, {0}},
	{"tgkill", try_tgkill, KILLED, {0}},
	{"ptrace", try_ptrace, KILLED, {EPERM}},
	{"socket", try_socket, KILLED, {0}},
	{"connect", try_connect, KILLED, {EBADF}},
	{"sendmsg", try_sendmsg, KILLED, {EBADF}},
	{"execve", try_execve, KILLED, {0}},
	{"mount", try_mount, KILLED, {ENOENT, EPERM}},
	{"F_SETOWN", try_setown, KILLED, {0}},
	{"prlimit", try_prlimit, KILLED, {EPERM}},
	{"map code", try_code, KILLED, {0}},
	{"mprotect code", try_mprotect_code, KILLED, {0}},
	{"clone", try_clone, KILLED, {0}},
	{"unshare", try_unshare, KILLED, {EPERM, ENOSYS}},
	{"bpf", try_bpf, KILLED, {EINVAL, EPERM, ENOSYS}},
	{"userfaultfd", try_userfaultfd, KILLED, {EPERM, ENOSYS}},
	{"io_uring_setup", try_io_uring, KILLED, {EPERM, ENOSYS}},
	{"keyctl", try_keyctl, KILLED, {ENOKEY, EPERM, ENOSYS}},
	{"perf_event_open", try_perf, KILLED, {EFAULT, EACCES, ENOSYS}},
#ifdef __x86_64__
	{"x32", try_x32, KILLED, {ENOSYS}},
	{"32 bits", try_32_bits, KILLED, {0}},
#endif
};

#define NR_ATTEMPTS ((int)(sizeof(attempts) / sizeof(attempts[0])))

/* Returns whether the kernel lacks 32-bit programs: it answers their calls with a signal. */
static bool is_beyond(const struct attempt *attempt, int status)
{
	return !strcmp(attempt->name, "32 bits") && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGSEGV;
}

static int confine_reader(void)
{
	return confine_process(&wide, CONFINE_RECEIVE, pipe_ends[0], pipe_ends[1]);
}

static int confine_this_opener(void)
{
	return confine_opener(pipe_ends, 2);
}

/* Makes an attempt in a child. Returns the wait status; the exit status is 0 or errno. */
static int attempt_status(const struct attempt *attempt, int (*confine)(void))
{
	int status;
	pid_t pid;

	parent = getpid();
	ck_assert_int_eq(pipe(pipe_ends), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (confine && confine())
			_exit(255);
		_exit(attempt->attempt() < 0 ? errno : 0);
	}
	(void)close(pipe_ends[0]);
	(void)close(pipe_ends[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(what_is_attempted_is_possible_elsewhere)
{
	const struct attempt *attempt = &attempts[_i];
	int status = attempt_status(attempt, NULL), error = WEXITSTATUS(status);

	if (is_beyond(attempt, status))
		return;
	ck_assert_msg(WIFEXITED(status), "%s: status %x", attempt->name, (unsigned int)status);
	for (int i = 0; error && i < 3; i++)
		if (attempt->reasons[i] == error)
			error = 0;
	ck_assert_msg(!error, "%s: %s", attempt->name, strerror(error));
}
END_TEST

static void check_outcome(const struct attempt *attempt, int status)
{
	if (status < 0 || is_beyond(attempt, status))
		return;
	if (attempt->outcome == KILLED)
		ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "%s: status %x",
			      attempt->name, (unsigned int)status);
	else
		ck_assert_msg(WIFEXITED(status) &&
				      WEXITSTATUS(status) ==
					      (attempt->outcome == REFUSED ? EPERM : 0),
			      "%s: status %x", attempt->name, (unsigned int)status);
}
END_TEST

START_TEST(what_no_reader_does_ends_the_process)
{
	const struct attempt *attempt = &attempts[_i];

	check_outcome(attempt, lacks_seccomp() ? -1 : attempt_status(attempt, confine_reader));
}
END_TEST

static bool is_for_opener(const struct attempt *attempt)
{
	return attempt->attempt == try_sendmsg || attempt->attempt == try_open_path ||
	       attempt->attempt == try_open_shadow || attempt->attempt == try_parent_memory;
}

START_TEST(what_no_opener_does_ends_the_process)
{
	const struct attempt *attempt = &attempts[_i];
	int status = lacks_seccomp() ? -1 : attempt_status(attempt, confine_this_opener);

	if (!is_for_opener(attempt) || status < 0)
		check_outcome(attempt, status);
	else
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) != EPERM, "%s: status %x",
			      attempt->name, (unsigned int)status);
}
END_TEST

/* Exits with 0 if the opener can read a file in a private folder of another user, else with errno.
 */
static void __attribute__((noreturn)) opener_main(const char *path)
{
	lose_capabilities(1u << CAP_DAC_READ_SEARCH);
	if (confine_opener(NULL, 0))
		_exit(255);
	_exit(open(path, O_RDONLY | O_CLOEXEC) < 0 ? errno : 0);
}

START_TEST(the_opener_of_a_container_enters_private_folders)
{
	char folder[] = "/tmp/oprof-private.XXXXXX", path[sizeof(folder) + 8];
	int status, fd;
	pid_t pid;

	if (!is_root_of_all_users() || lacks_seccomp())
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fchown(fd, LISTED_USER, LISTED_GROUP), 0);
	ck_assert_int_eq(chown(folder, LISTED_USER, LISTED_GROUP), 0);
	(void)close(fd);
	pid = fork();
	if (!pid)
		opener_main(path);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	(void)unlink(path);
	(void)rmdir(folder);
	ck_assert_int_eq(status, 0);
}
END_TEST

static long try_abort(void)
{
	abort();
}

START_TEST(a_confined_process_can_abort)
{
	const struct attempt attempt = {"abort", try_abort, SUCCEEDS, {0}};
	int status = attempt_status(&attempt, confine_reader);

	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGABRT);
}
END_TEST

/* ---- the terminal ---- */

/* Types into the process's terminal. Returns 0 or errno. */
static int type_into(int terminal)
{
	char subcode = 2; /* set a selection, which TIOCLINUX can then paste */

	if (!ioctl(terminal, TIOCLINUX, &subcode) || errno != EPERM)
		return 255;
	return ioctl(terminal, TIOCSTI, "x") ? errno : 0;
}

static void __attribute__((noreturn)) terminal_main(const char *path)
{
	struct winsize size;
	int terminal;

	(void)setsid();
	terminal = open(path, O_RDWR | O_CLOEXEC); /* becomes the controlling terminal */
	confine_terminal();
	if (terminal < 0 || ioctl(terminal, TIOCGWINSZ, &size))
		_exit(254);
	_exit(type_into(terminal));
}

START_TEST(a_process_cannot_type_into_a_terminal_that_it_kept)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	pid_t pid;

	if (lacks_seccomp()) {
		(void)close(master);
		return;
	}
	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		terminal_main(ptsname(master));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EPERM);
	(void)close(master);
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("confine");
	TCase *tcase = tcase_create("confine");

	tcase_add_test(tcase, a_confined_process_may_open_nothing_and_has_no_capabilities);
	tcase_add_test(tcase, one_of_root_has_the_user_and_the_group_in_etc_passwd);
	/* Sanitizers make their own system calls, so these builds have no filter. */
	tcase_add_test(tcase, a_process_cannot_type_into_a_terminal_that_it_kept);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(tcase, one_that_may_not_become_nobody_may_open_nothing_either);
	tcase_add_test(tcase, without_seccomp_nobody_may_not_open_what_is_roots);
	tcase_add_test(tcase, root_that_nothing_holds_back_is_not_called_confined);
	tcase_add_loop_test(tcase, what_is_attempted_is_possible_elsewhere, 0, NR_ATTEMPTS);
	tcase_add_loop_test(tcase, what_no_reader_does_ends_the_process, 0, NR_ATTEMPTS);
	tcase_add_loop_test(tcase, what_no_opener_does_ends_the_process, 0, NR_ATTEMPTS);
	tcase_add_test(tcase, the_opener_of_a_container_enters_private_folders);
	tcase_add_test(tcase, a_confined_process_can_abort);
#endif
	suite_add_tcase(all, tcase);
	return all;
}

int main(void)
{
	return run_suite(suite());
}
