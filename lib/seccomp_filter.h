/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of seccomp filters: see seccomp(2) and linux/filter.h. */
#ifndef LIB_SECCOMP_FILTER_H
#define LIB_SECCOMP_FILTER_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Sanitizers map terabytes and use more system calls. In a build with sanitizers, filters are
 * therefore not installed.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SECCOMP_SANITIZED 1
#else
#define SECCOMP_SANITIZED 0
#endif

/* The architecture of this build; not defined: filters are not supported. */
#if defined(__x86_64__)
#define SECCOMP_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SECCOMP_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define SECCOMP_ARCH AUDIT_ARCH_RISCV64
#endif
#ifdef SECCOMP_ARCH
#define SECCOMP_SUPPORTED 1
#else
#define SECCOMP_SUPPORTED 0
#endif

/*
 * Kernel headers before Linux 4.14 lack this action. Kernels before 4.14 treat the action as
 * SECCOMP_RET_KILL.
 */
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

/* Kernel headers before Linux 4.17 lack this flag. */
#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW (1UL << 2)
#endif

#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define ALLOW	       RETURN(SECCOMP_RET_ALLOW)
#define REFUSE	       RETURN(SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN	       RETURN(SECCOMP_RET_ERRNO | ENOSYS)
#define KILL	       RETURN(SECCOMP_RET_KILL_PROCESS)
#define LOAD(field)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/*
 * Loads the low half of an argument, which comes first, since all architectures above are
 * little-endian.
 */
#define LOAD_ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
/*
 * Each of these macros tests the loaded value: whether it equals `value`, has one of `bits`, or is
 * above `value`. If not, the filter skips nr_else instructions.
 */
#define IF_EQUAL(value, nr_else) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (nr_else))
#define IF_BITS(bits, nr_else)	 BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (nr_else))
#define IF_ABOVE(value, nr_else) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (value), 0, (nr_else))

#define ALLOW_CALL(number)   IF_EQUAL((number), 1), ALLOW
#define REFUSE_CALL(number)  IF_EQUAL((number), 1), REFUSE
#define UNKNOWN_CALL(number) IF_EQUAL((number), 1), UNKNOWN
/* Refuses the call if argument n has one of these bits; otherwise permits the call. */
#define REFUSE_FOR_BITS(number, n, bits)                                                           \
	IF_EQUAL((number), 4), LOAD_ARGUMENT(n), IF_BITS((bits), 1), REFUSE, ALLOW

/*
 * Refuses to insert input into a terminal, and permits all other requests of ioctl(). Compares the
 * low half of the request, since the kernel ignores the high half.
 */
#define REFUSE_TYPING                                                                              \
	IF_EQUAL(SYS_ioctl, 6), LOAD_ARGUMENT(1), IF_EQUAL(TIOCSTI, 1), REFUSE,                    \
		IF_EQUAL(TIOCLINUX, 1), REFUSE, ALLOW

/*
 * Installs the filter for this process and its later children. flags: see seccomp(2). Returns 0 or
 * -errno.
 */
static inline int seccomp_install(struct sock_filter *filter, size_t nr_filter, unsigned long flags)
{
	const struct sock_fprog program = {.len = (unsigned short)nr_filter, .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL))
		return -errno;
	if (flags && !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program))
		return 0;
	/* without flags, which this kernel may not support */
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

#endif
