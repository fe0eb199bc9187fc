// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/confine.h"

#include "lib/file.h"
#include "lib/own_user.h"
#include "lib/seccomp_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's fallback user (overflowuid). */
#define NOBODY 65534

/* ---- limits ---- */

/* Sets the soft and the hard limit, but does not raise an existing hard limit. */
static int set_limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return -errno;
	if (hard > limit.rlim_max)
		hard = limit.rlim_max;
	if (soft > hard)
		soft = hard;
	limit = (struct rlimit){.rlim_cur = soft, .rlim_max = hard};
	return setrlimit(resource, &limit) ? -errno : 0;
}

unsigned int confine_cpu_seconds(const struct confine_limits *limits)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit) || limit.rlim_max >= limits->max_seconds)
		return limits->max_seconds;
	return (unsigned int)limit.rlim_max;
}

/*
 * Returns the process's address space in bytes, including all mappings inherited from the parent.
 */
static rlim_t address_space_bytes(void)
{
	unsigned long nr_pages;
	char *text;

	if (file_read_text("/proc/self/statm", 4096, &text, NULL))
		return 0;
	nr_pages = strtoul(text, NULL, 10);
	free(text);
	return (rlim_t)nr_pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static int set_limits(const struct confine_limits *limits)
{
	int error = set_limit(RLIMIT_CORE, 0, 0);

	/*
	 * The kernel sends SIGXCPU at the soft limit. If SIGXCPU is ignored, SIGKILL follows a
	 * second later.
	 */
	if (!error)
		error = set_limit(RLIMIT_CPU, limits->max_seconds, limits->max_seconds + 1);
	if (!error)
		error = set_limit(RLIMIT_FSIZE, limits->max_file_bytes, limits->max_file_bytes);
	if (!error && !SECCOMP_SANITIZED) {
		rlim_t nr_bytes = address_space_bytes() + limits->max_bytes;

		error = set_limit(RLIMIT_AS, nr_bytes, nr_bytes);
	}
	return error;
}

/* ---- descriptors ---- */

static void close_between(unsigned int first, unsigned int last)
{
	if (first <= last)
		syscall(SYS_close_range, first, last, 0);
}

/* Closes all descriptors from 3 on, except the nr descriptors in `keep`. */
static void close_others(const int *keep, unsigned int nr)
{
	unsigned int first = 3;

	for (;;) {
		unsigned int next = ~0u;

		for (unsigned int i = 0; i < nr; i++)
			if ((unsigned int)keep[i] >= first && (unsigned int)keep[i] < next)
				next = (unsigned int)keep[i];
		if (next == ~0u)
			break;
		close_between(first, next - 1);
		first = next + 1;
	}
	close_between(first, ~0u);
}

static void close_descriptors(const int *keep, unsigned int nr)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		if (!SECCOMP_SANITIZED) /* keep the sanitizer's reports visible */
			dup2(null, 2);
	}
	/*
	 * On a kernel without close_range (before 5.9) the other descriptors stay open. Callers
	 * close those that can be written to.
	 */
	close_others(keep, nr);
}

/* ---- system calls ---- */

#ifdef SECCOMP_ARCH
/* Kills the process if argument n has one of these bits; otherwise applies `otherwise`. */
#define KILL_FOR_BITS(number, n, bits, otherwise)                                                  \
	IF_EQUAL((number), 4), LOAD_ARGUMENT(n), IF_BITS((bits), 1), KILL, otherwise

/* Flags with which openat() does more than open a file for reading. */
#define WRITING		  (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define MORE_THAN_READING (WRITING | O_PATH)

/* Calls with which C libraries resolve a path. Newer architectures lack some of them. */
#ifdef SYS_readlink
#define READLINK SYS_readlink
#else
#define READLINK SYS_readlinkat
#endif
#ifdef SYS_lstat
#define LSTAT SYS_lstat
#else
#define LSTAT SYS_newfstatat
#endif

/*
 * Installs the filter of a confined process. Returns whether the kernel enforces it; with
 * sanitizers, always returns true. A system call of another architecture, or of x32, kills the
 * process, too.
 */
static bool filter_calls(enum confine_calls calls)
{
	const unsigned int self = (unsigned int)getpid();
	const bool opens = calls == CONFINE_OPEN;
	const unsigned int for_opener = opens ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM;
	struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SECCOMP_ARCH, 1, 0),
		KILL,
		LOAD(nr),
		ALLOW_CALL(SYS_read),
		ALLOW_CALL(SYS_pread64),
		ALLOW_CALL(SYS_write),
		ALLOW_CALL(SYS_writev), /* messages of a C library that aborts */
		ALLOW_CALL(SYS_lseek),
		ALLOW_CALL(SYS_close),
		ALLOW_CALL(SYS_fstat),
		ALLOW_CALL(SYS_munmap),
		ALLOW_CALL(SYS_mremap),
		ALLOW_CALL(SYS_madvise),
		ALLOW_CALL(SYS_brk),
		ALLOW_CALL(SYS_futex),
		ALLOW_CALL(SYS_getrandom),
		ALLOW_CALL(SYS_rt_sigaction),
		ALLOW_CALL(SYS_rt_sigprocmask),
		ALLOW_CALL(SYS_rt_sigreturn),
		ALLOW_CALL(SYS_restart_syscall),
		ALLOW_CALL(SYS_getpid),
		ALLOW_CALL(SYS_gettid),
		ALLOW_CALL(SYS_exit),
		ALLOW_CALL(SYS_exit_group),
		ALLOW_CALL(SYS_dup),
		ALLOW_CALL(SYS_sysinfo), /* qsort() reads the size of the memory */
		/* Libraries may make these calls, which reveal nothing secret. */
		ALLOW_CALL(SYS_clock_gettime),
		ALLOW_CALL(SYS_getuid),
		ALLOW_CALL(SYS_geteuid),
		ALLOW_CALL(SYS_uname),
		ALLOW_CALL(SYS_sched_yield),
		ALLOW_CALL(calls == CONFINE_DESCRIPTORS ? SYS_read : SYS_recvmsg),
		ALLOW_CALL(opens ? SYS_sendmsg : SYS_read),
		ALLOW_CALL(opens ? SYS_readlinkat : SYS_read),
		ALLOW_CALL(opens ? READLINK : SYS_read),
		ALLOW_CALL(opens ? LSTAT : SYS_read),
		ALLOW_CALL(opens ? SYS_getcwd : SYS_read),
		KILL_FOR_BITS(SYS_mmap, 2, PROT_EXEC, ALLOW),
		KILL_FOR_BITS(SYS_mprotect, 2, PROT_EXEC, ALLOW),
		/* abort() and raise() */
		IF_EQUAL(SYS_tgkill, 4),
		LOAD_ARGUMENT(0),
		IF_EQUAL(self, 1),
		ALLOW,
		KILL,
		/* libelf and fdopen() */
		IF_EQUAL(SYS_fcntl, 6),
		LOAD_ARGUMENT(1),
		IF_EQUAL(F_GETFD, 1),
		ALLOW,
		IF_EQUAL(F_GETFL, 1),
		ALLOW,
		KILL,
		/* fstat() of newer C libraries */
		IF_EQUAL(SYS_newfstatat, 4),
		LOAD_ARGUMENT(3),
		IF_BITS(AT_EMPTY_PATH, 1),
		ALLOW,
		RETURN(for_opener),
		/*
		 * C libraries try these calls, to open system files or to query terminals, CPUs and
		 * limits, but do not need the results.
		 */
		KILL_FOR_BITS(SYS_openat, 2, opens ? WRITING : MORE_THAN_READING,
			      RETURN(for_opener)),
		REFUSE_CALL(SYS_ioctl),
		REFUSE_CALL(SYS_sched_getaffinity),
		IF_EQUAL(SYS_prlimit64, 4),
		LOAD_ARGUMENT(0),
		IF_EQUAL(0, 1),
		REFUSE,
		KILL,
		KILL,
	};

	return SECCOMP_SANITIZED || !seccomp_install(filter, sizeof(filter) / sizeof(filter[0]), 0);
}

void confine_terminal(void)
{
	struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SECCOMP_ARCH, 1, 0),
		REFUSE,
		LOAD(nr),
#ifdef __X32_SYSCALL_BIT
		IF_BITS(__X32_SYSCALL_BIT, 1),
		REFUSE,
#endif
		REFUSE_TYPING,
		ALLOW,
	};

	(void)seccomp_install(filter, sizeof(filter) / sizeof(filter[0]), 0);
}
#else
void confine_terminal(void)
{
}

static bool filter_calls(enum confine_calls calls)
{
	(void)calls;
	return false;
}
#endif

/* ---- user ---- */

/* The user and group that confined processes of root become. */
static uid_t confined_user = NOBODY;
static gid_t confined_group = NOBODY;

static bool has_capability(unsigned int capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{.permitted = 0}};

	return !syscall(SYS_capget, &header, data) &&
	       data[capability / 32].permitted >> capability % 32 & 1;
}

void confine_prepare(void)
{
	static bool prepared;
	struct own_user own;

	if (prepared || !has_capability(CAP_SETUID))
		return;
	prepared = true;
	if (own_user_find(OWN_USER_LIST, CONFINE_USER, &own)) {
		confined_user = own.uid;
		confined_group = own.gid;
	}
}

void confine_user(uid_t *user, gid_t *group)
{
	*user = confined_user;
	*group = confined_group;
}

int confine_own_children(void)
{
	const uid_t same = (uid_t)-1;

	confine_prepare();
	if (!has_capability(CAP_SETUID) || (confined_user == NOBODY && has_capability(CAP_KILL)))
		return -EPERM;
	return setresuid(confined_user, same, same) ? -errno : 0;
}

/*
 * A process that may not change its user (EPERM), or whose user namespace does not have that user
 * (EINVAL), still drops its capabilities.
 */
static int give_up_user(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{.effective = 0}};

	if ((!geteuid() || has_capability(CAP_SETUID)) &&
	    (setgroups(0, NULL) || setresgid(confined_group, confined_group, confined_group) ||
	     setresuid(confined_user, confined_user, confined_user)) &&
	    errno != EPERM && errno != EINVAL)
		return -errno;
	return syscall(SYS_capset, &header, none) ? -errno : 0;
}

int confine_process(const struct confine_limits *limits, enum confine_calls calls, int keep_a,
		    int keep_b)
{
	const int keep[] = {keep_a, keep_b};

	return confine_process_keeping(limits, calls, keep, 2);
}

int confine_process_keeping(const struct confine_limits *limits, enum confine_calls calls,
			    const int *keep, unsigned int nr)
{
	int error = set_limits(limits);

	if (error)
		return error;
	close_descriptors(keep, nr);
	error = give_up_user();
	if (error)
		return error;
	/* A change of user resets PR_SET_PDEATHSIG, so this call comes after give_up_user(). */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/*
	 * Without the seccomp filter, the limits and the changed user still protect the system.
	 * But a process that is still root could open root's files even without capabilities, so
	 * this function then fails.
	 */
	if (!filter_calls(calls) && !geteuid())
		return -EPERM;
	return 0;
}

/* ---- the process that opens files ---- */

#define BIT(capability) (1u << (capability))

/*
 * CAP_SYS_PTRACE permits paths below /proc/PID/root, which may be the root of a report (--root).
 * The filter still refuses ptrace(). Root of a container often has CAP_DAC_OVERRIDE instead of
 * CAP_DAC_READ_SEARCH; with a filter, the process still cannot open files for writing.
 */
static int keep_capabilities_to_read(bool filtered)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	uint32_t kept = BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYS_PTRACE);

	if (syscall(SYS_capget, &header, data))
		return -errno;
	if (filtered && !(data[0].permitted & BIT(CAP_DAC_READ_SEARCH)))
		kept |= BIT(CAP_DAC_OVERRIDE);
	data[0].permitted &= kept;
	data[0].effective &= kept;
	data[0].inheritable = 0;
	data[1] = (struct __user_cap_data_struct){.effective = 0};
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int confine_opener(const int *keep, unsigned int nr)
{
	int error = set_limit(RLIMIT_CORE, 0, 0);

	if (!error)
		error = keep_capabilities_to_read(true);
	if (error)
		return error;
	close_descriptors(keep, nr);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* Reports work without seccomp, too: this process checks files, but does not parse them. */
	if (SECCOMP_SANITIZED || !filter_calls(CONFINE_OPEN))
		error = keep_capabilities_to_read(false);
	return error;
}
