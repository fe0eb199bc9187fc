// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/deny_calls.h"

#include "lib/seccomp_filter.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SECCOMP_ARCH

#define NEW_NAMESPACES                                                                             \
	(CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
	 CLONE_NEWCGROUP)

/* Since Linux 5.1 all architectures give new system calls the same number. */
#define NR_PIDFD_SEND_SIGNAL 424
#define NR_IO_URING_SETUP    425
#define NR_IO_URING_ENTER    426
#define NR_IO_URING_REGISTER 427
#define NR_OPEN_TREE	     428
#define NR_MOVE_MOUNT	     429
#define NR_FSOPEN	     430
#define NR_FSCONFIG	     431
#define NR_FSMOUNT	     432
#define NR_FSPICK	     433
#define NR_CLONE3	     435
#define NR_OPENAT2	     437
#define NR_PIDFD_GETFD	     438
#define NR_PROCESS_MADVISE   440
#define NR_MOUNT_SETATTR     442
#define NR_QUOTACTL_FD	     443
#define NR_FCHMODAT2	     452
#define NR_SETXATTRAT	     463
#define NR_REMOVEXATTRAT     466
#define NR_OPEN_TREE_ATTR    467
#define NR_FILE_SETATTR	     469
#define NR_NEWEST	     NR_FILE_SETATTR /* Linux 6.17 */

/* Refuses the calls of other architectures, and loads the number of the call. */
#define BEGIN LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SECCOMP_ARCH, 1, 0), REFUSE, LOAD(nr)
#ifdef __X32_SYSCALL_BIT
#define BEGIN_FILTER BEGIN, IF_BITS(__X32_SYSCALL_BIT, 1), REFUSE
#else
#define BEGIN_FILTER BEGIN
#endif

/*
 * Before Linux 5.16, a filter without this flag protects the process against speculative execution
 * attacks of untrusted code inside the process, and makes the process slower. This process does not
 * run untrusted code.
 */
#define FILTER_FLAGS SECCOMP_FILTER_FLAG_SPEC_ALLOW

/* Flags with which a file is opened to be written to or created. */
#define OPEN_TO_WRITE (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

int deny_calls(void)
{
	struct sock_filter filter[] = {
		BEGIN_FILTER,
		/* Calls that are newer than this list fail with ENOSYS, as on an older kernel. */
		IF_ABOVE(NR_NEWEST, 1),
		UNKNOWN,
		/* programs and processes */
		REFUSE_CALL(SYS_execve),
		REFUSE_CALL(SYS_execveat),
		REFUSE_CALL(SYS_ptrace),
		REFUSE_CALL(SYS_process_vm_readv),
		REFUSE_CALL(SYS_process_vm_writev),
		REFUSE_CALL(NR_PROCESS_MADVISE),
		REFUSE_CALL(NR_PIDFD_GETFD),
		REFUSE_CALL(SYS_kcmp),
		/* namespaces and mounts */
		REFUSE_CALL(SYS_unshare),
		REFUSE_CALL(SYS_setns),
		REFUSE_CALL(SYS_chroot),
		REFUSE_CALL(SYS_pivot_root),
		REFUSE_CALL(SYS_mount),
		REFUSE_CALL(SYS_umount2),
		REFUSE_CALL(NR_OPEN_TREE),
		REFUSE_CALL(NR_MOVE_MOUNT),
		REFUSE_CALL(NR_FSOPEN),
		REFUSE_CALL(NR_FSCONFIG),
		REFUSE_CALL(NR_FSMOUNT),
		REFUSE_CALL(NR_FSPICK),
		REFUSE_CALL(NR_MOUNT_SETATTR),
		REFUSE_CALL(NR_OPEN_TREE_ATTR),
		/* calls that change the kernel or the machine */
		REFUSE_CALL(SYS_init_module),
		REFUSE_CALL(SYS_finit_module),
		REFUSE_CALL(SYS_delete_module),
		REFUSE_CALL(SYS_kexec_load),
#ifdef SYS_kexec_file_load
		REFUSE_CALL(SYS_kexec_file_load),
#endif
		REFUSE_CALL(SYS_bpf),
		REFUSE_CALL(SYS_reboot),
		REFUSE_CALL(SYS_swapon),
		REFUSE_CALL(SYS_swapoff),
		REFUSE_CALL(SYS_acct),
		REFUSE_CALL(SYS_quotactl),
		REFUSE_CALL(NR_QUOTACTL_FD),
		REFUSE_CALL(SYS_settimeofday),
		REFUSE_CALL(SYS_clock_settime),
		REFUSE_CALL(SYS_adjtimex),
		REFUSE_CALL(SYS_clock_adjtime),
		REFUSE_CALL(SYS_sethostname),
		REFUSE_CALL(SYS_setdomainname),
#ifdef SYS_iopl
		REFUSE_CALL(SYS_iopl),
		REFUSE_CALL(SYS_ioperm),
		REFUSE_CALL(SYS_modify_ldt),
#endif
		/* calls that give access to more files, or in which kernels often had bugs */
		REFUSE_CALL(SYS_open_by_handle_at),
		REFUSE_CALL(SYS_fanotify_init),
#ifdef SYS_mknod
		REFUSE_CALL(SYS_mknod),
#endif
		REFUSE_CALL(SYS_mknodat),
		REFUSE_CALL(SYS_userfaultfd),
		REFUSE_CALL(NR_IO_URING_SETUP),
		REFUSE_CALL(NR_IO_URING_ENTER),
		REFUSE_CALL(NR_IO_URING_REGISTER),
		REFUSE_CALL(SYS_add_key),
		REFUSE_CALL(SYS_request_key),
		REFUSE_CALL(SYS_keyctl),
		REFUSE_CALL(SYS_personality),
		/*
		 * A filter cannot read the flags of clone3(). If clone3() is unknown, libraries use
		 * clone(), whose flags a filter can read.
		 */
		UNKNOWN_CALL(NR_CLONE3),
		REFUSE_FOR_BITS(SYS_clone, 0, NEW_NAMESPACES),
		/*
		 * A process that has become another user may have root's terminal open, and must
		 * not insert input into this terminal.
		 */
		REFUSE_TYPING,
		/* Only Unix sockets may be created. */
		IF_EQUAL(SYS_socket, 4),
		LOAD_ARGUMENT(0),
		IF_EQUAL(AF_UNIX, 1),
		ALLOW,
		REFUSE,
		ALLOW,
	};

	if (SECCOMP_SANITIZED)
		return 0;
	return seccomp_install(filter, sizeof(filter) / sizeof(filter[0]), FILTER_FLAGS);
}

/* Refuses the call if the loaded value is not `value`. */
#define REFUSE_OTHER(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), REFUSE

int deny_others(uid_t child_user, gid_t child_group)
{
	const unsigned int self = (unsigned int)getpid();
	struct sock_filter filter[] = {
		BEGIN_FILTER,
		/* kill() may only send SIGKILL, and only to a single process other than init. */
		IF_EQUAL(SYS_kill, 8),
		LOAD_ARGUMENT(1),
		IF_EQUAL(SIGKILL, 5),
		LOAD_ARGUMENT(0),
		IF_ABOVE(INT_MAX, 1),
		REFUSE,
		IF_ABOVE(1, 1),
		ALLOW,
		REFUSE,
		/* A process may change its user and group only to child_user and child_group. */
		REFUSE_CALL(SYS_setuid),
		REFUSE_CALL(SYS_setreuid),
		REFUSE_CALL(SYS_setfsuid),
		IF_EQUAL(SYS_setresuid, 10),
		LOAD_ARGUMENT(0),
		REFUSE_OTHER(child_user),
		LOAD_ARGUMENT(1),
		REFUSE_OTHER(child_user),
		LOAD_ARGUMENT(2),
		REFUSE_OTHER(child_user),
		ALLOW,
		REFUSE_CALL(SYS_setgid),
		REFUSE_CALL(SYS_setregid),
		REFUSE_CALL(SYS_setfsgid),
		IF_EQUAL(SYS_setresgid, 10),
		LOAD_ARGUMENT(0),
		REFUSE_OTHER(child_group),
		LOAD_ARGUMENT(1),
		REFUSE_OTHER(child_group),
		LOAD_ARGUMENT(2),
		REFUSE_OTHER(child_group),
		ALLOW,
		IF_EQUAL(SYS_setgroups, 4),
		LOAD_ARGUMENT(0),
		IF_EQUAL(0, 1),
		ALLOW,
		REFUSE,
		/* setpriority() may only change the priority of the caller. */
		IF_EQUAL(SYS_setpriority, 6),
		LOAD_ARGUMENT(0),
		IF_EQUAL(PRIO_PROCESS, 3),
		LOAD_ARGUMENT(1),
		IF_EQUAL(0, 1),
		ALLOW,
		REFUSE,
		REFUSE_CALL(SYS_ioctl),
		/* abort() signals this process itself */
		IF_EQUAL(SYS_tgkill, 4),
		LOAD_ARGUMENT(0),
		IF_EQUAL(self, 1),
		ALLOW,
		REFUSE,
		REFUSE_CALL(SYS_tkill),
		REFUSE_CALL(SYS_rt_sigqueueinfo),
		REFUSE_CALL(SYS_rt_tgsigqueueinfo),
		REFUSE_CALL(NR_PIDFD_SEND_SIGNAL),
		REFUSE_CALL(SYS_perf_event_open),
		REFUSE_CALL(SYS_sched_setaffinity),
		REFUSE_CALL(SYS_sched_setscheduler),
		REFUSE_CALL(SYS_sched_setattr),
		REFUSE_CALL(SYS_sched_setparam),
		REFUSE_CALL(SYS_ioprio_set),
		REFUSE_CALL(SYS_migrate_pages),
		REFUSE_CALL(SYS_move_pages),
		IF_EQUAL(SYS_prlimit64, 4),
		LOAD_ARGUMENT(0),
		IF_EQUAL(0, 1),
		ALLOW,
		REFUSE,
		/* Other commands, such as F_SETOWN, can make the kernel send signals. */
		IF_EQUAL(SYS_fcntl, 12),
		LOAD_ARGUMENT(1),
		ALLOW_CALL(F_GETFD),
		ALLOW_CALL(F_SETFD),
		ALLOW_CALL(F_GETFL),
		ALLOW_CALL(F_DUPFD_CLOEXEC),
		ALLOW_CALL(F_ADD_SEALS),
		REFUSE,
		/* New sockets are refused; open sockets can still be used. */
		REFUSE_CALL(SYS_socket),
		REFUSE_CALL(SYS_socketpair), /* its sockets could send to any address */
		REFUSE_CALL(SYS_connect),
		REFUSE_CALL(SYS_bind),
		REFUSE_FOR_BITS(SYS_mmap, 2, PROT_EXEC),
		REFUSE_FOR_BITS(SYS_mprotect, 2, PROT_EXEC),
		REFUSE_FOR_BITS(SYS_pkey_mprotect, 2, PROT_EXEC),
		REFUSE_CALL(SYS_shmat),
		ALLOW,
	};

	if (SECCOMP_SANITIZED)
		return 0;
	return seccomp_install(filter, sizeof(filter) / sizeof(filter[0]), FILTER_FLAGS);
}

int deny_changes(void)
{
	struct sock_filter filter[] = {
		BEGIN_FILTER,
		/* files */
		REFUSE_FOR_BITS(SYS_openat, 2, OPEN_TO_WRITE),
		/* A filter cannot read the flags of openat2(), because they are in a struct. */
		UNKNOWN_CALL(NR_OPENAT2),
#ifdef SYS_open
		REFUSE_FOR_BITS(SYS_open, 1, OPEN_TO_WRITE),
		REFUSE_CALL(SYS_creat),
		REFUSE_CALL(SYS_unlink),
		REFUSE_CALL(SYS_rmdir),
		REFUSE_CALL(SYS_rename),
		REFUSE_CALL(SYS_link),
		REFUSE_CALL(SYS_symlink),
		REFUSE_CALL(SYS_mkdir),
		REFUSE_CALL(SYS_chmod),
		REFUSE_CALL(SYS_chown),
		REFUSE_CALL(SYS_lchown),
		REFUSE_CALL(SYS_utime),
		REFUSE_CALL(SYS_utimes),
		REFUSE_CALL(SYS_futimesat),
#endif
#ifdef SYS_renameat
		REFUSE_CALL(SYS_renameat),
#endif
		REFUSE_CALL(SYS_renameat2),
		REFUSE_CALL(SYS_unlinkat),
		REFUSE_CALL(SYS_linkat),
		REFUSE_CALL(SYS_symlinkat),
		REFUSE_CALL(SYS_mkdirat),
		REFUSE_CALL(SYS_truncate),
		REFUSE_CALL(SYS_fchmod),
		REFUSE_CALL(SYS_fchmodat),
		REFUSE_CALL(NR_FCHMODAT2),
		REFUSE_CALL(SYS_fchown),
		REFUSE_CALL(SYS_fchownat),
		REFUSE_CALL(SYS_utimensat),
		REFUSE_CALL(SYS_setxattr),
		REFUSE_CALL(SYS_lsetxattr),
		REFUSE_CALL(SYS_fsetxattr),
		REFUSE_CALL(SYS_removexattr),
		REFUSE_CALL(SYS_lremovexattr),
		REFUSE_CALL(SYS_fremovexattr),
		REFUSE_CALL(NR_SETXATTRAT),
		REFUSE_CALL(NR_REMOVEXATTRAT),
		REFUSE_CALL(NR_FILE_SETATTR),
		REFUSE_CALL(SYS_kill),
		REFUSE_CALL(SYS_setpriority),
		ALLOW,
	};
	const int error = deny_others((uid_t)-1, (gid_t)-1);

	if (error)
		return error;
	if (SECCOMP_SANITIZED)
		return 0;
	return seccomp_install(filter, sizeof(filter) / sizeof(filter[0]), FILTER_FLAGS);
}

#else
int deny_calls(void)
{
	return -ENOSYS;
}

int deny_others(uid_t child_user, gid_t child_group)
{
	(void)child_user;
	(void)child_group;
	return -ENOSYS;
}

int deny_changes(void)
{
	return -ENOSYS;
}
#endif
