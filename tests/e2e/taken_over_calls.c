// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "taken_over_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define OTHER_UID  61299u /* a user without processes and files */

long (*next_syscall)(long, ...);

static int victim, killed_root, killed_user; /* processes */
static char secret[PATH_BYTES], closed[PATH_BYTES], everybody[PATH_BYTES], session[PATH_BYTES];
static char mount_point[PATH_BYTES], terminal[PATH_BYTES], memory[64];
static struct sockaddr_un service;

/* Returns 0 or -1, as a call would; errno is that of the call. */
static int end_fd(int fd)
{
	if (fd >= 0)
		(void)CALL(SYS_close, fd);
	return fd < 0 ? -1 : 0;
}

static int open_file(const char *path, int flags)
{
	return CALL(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY, 0600);
}

/* The name is one that no other process uses. No process is refused getpid(). */
static int create_file(const char *folder, const char *process)
{
	char path[4200];

	(void)snprintf(path, sizeof(path), "%s/taken-over.%s.%d", folder, process,
		       CALL(SYS_getpid));
	return end_fd(open_file(path, O_WRONLY | O_CREAT | O_EXCL));
}

static int call_exec(void)
{
	static char name[] = "true";
	char *const words[] = {name, NULL}, *const none[] = {NULL};

	return CALL(SYS_execve, "/bin/true", words, none);
}

static int call_fork(void)
{
	const int pid = CALL(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		(void)CALL(SYS_exit_group, 0);
	if (pid > 0)
		(void)CALL(SYS_wait4, pid, NULL, 0, NULL);
	return pid < 0 ? -1 : 0;
}

static int call_vm_read(void)
{
	char bytes[TAKEN_SECRET_BYTES];
	struct iovec to = {bytes, sizeof(bytes)}, from = {(void *)TAKEN_ADDRESS, sizeof(bytes)};

	return CALL(SYS_process_vm_readv, victim, &to, 1, &from, 1, 0) < 0 ||
			       memcmp(bytes, TAKEN_SECRET, sizeof(bytes)) != 0
		       ? -1
		       : 0;
}

static int call_mem(int flags, long number)
{
	char bytes[TAKEN_SECRET_BYTES] = TAKEN_SECRET;
	const int fd = open_file(memory, flags);
	const int nr = fd < 0 ? -1 : CALL(number, fd, bytes, sizeof(bytes), TAKEN_ADDRESS);

	return nr == (int)sizeof(bytes) ? 0 : -1;
}

/* Root becomes another user, another user root. */
static int call_become(void)
{
	const uid_t user = CALL(SYS_geteuid) ? 0 : OTHER_UID;

	return CALL(SYS_setresuid, user, user, user);
}

static int call_service(void)
{
	const int fd = CALL(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -1 : CALL(SYS_connect, fd, &service, sizeof(service));
}

static int call_code(void)
{
	return next_syscall(SYS_mmap, NULL, 4096L, (long)(PROT_READ | PROT_EXEC),
			    (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L) == -1
		       ? -1
		       : 0;
}

static int call_perf(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = PERF_ATTR_SIZE_VER5,
				       .config = PERF_COUNT_SW_DUMMY,
				       .disabled = 1};

	return end_fd(CALL(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC));
}

static int call_mount(void)
{
	const int error = CALL(SYS_mount, "none", mount_point, "tmpfs", 0, NULL);

	if (!error)
		(void)CALL(SYS_umount2, mount_point, 0);
	return error;
}

/* A map of a kind for which every kernel wants a right. */
static int call_bpf(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_LPM_TRIE;
	attr.key_size = 8;
	attr.value_size = 4;
	attr.max_entries = 1;
	attr.map_flags = BPF_F_NO_PREALLOC;
	return end_fd(CALL(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

/*
 * Types a character into the terminal from which the process was started or, if it has none, into
 * root's. If neither can be opened, only the call itself is tried.
 */
static int call_terminal(void)
{
	int fd = open_file("/dev/tty", O_RDONLY), error = 0;

	if (fd < 0)
		fd = open_file(terminal, O_RDONLY);
	if (fd < 0)
		error = errno;
	if (!CALL(SYS_ioctl, fd, TIOCSTI, "x"))
		return 0;
	if (errno == EBADF && error)
		errno = error;
	return -1;
}

/* A path that is empty is the current folder; the kernel ignores the flag for other paths. */
static int call_paths(void)
{
	struct stat st;

	return CALL(SYS_newfstatat, AT_FDCWD, closed, &st, AT_EMPTY_PATH);
}

int taken_call_make(enum taken_call call, const char *process)
{
	switch (call) {
	case TAKEN_READ_FILE:
		return end_fd(open_file(secret, O_RDONLY));
	case TAKEN_WRITE_FOLDER:
		return create_file(closed, process);
	case TAKEN_WRITE_TMP:
		return create_file(everybody, process);
	case TAKEN_WRITE_SESSION:
		return create_file(session, process);
	case TAKEN_PATHS:
		return call_paths();
	case TAKEN_EXEC:
		return call_exec();
	case TAKEN_FORK:
		return call_fork();
	case TAKEN_PTRACE:
		return CALL(SYS_ptrace, PTRACE_SEIZE, victim, 0, 0);
	case TAKEN_VM_READ:
		return call_vm_read();
	case TAKEN_MEM_READ:
		return call_mem(O_RDONLY, SYS_pread64);
	case TAKEN_MEM_WRITE:
		return call_mem(O_RDWR, SYS_pwrite64);
	case TAKEN_BECOME:
		return call_become();
	case TAKEN_NETWORK:
		return end_fd(CALL(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	case TAKEN_SERVICE:
		return call_service();
	case TAKEN_CODE:
		return call_code();
	case TAKEN_PERF:
		return call_perf();
	case TAKEN_MOUNT:
		return call_mount();
	case TAKEN_NAMESPACE:
		return CALL(SYS_unshare, CLONE_NEWUSER);
	case TAKEN_BPF:
		return call_bpf();
	case TAKEN_TERMINAL:
		return call_terminal();
	case TAKEN_SIGNAL:
		return CALL(SYS_kill, killed_root, SIGTERM);
	case TAKEN_KILL_ROOT:
		return CALL(SYS_kill, killed_root, SIGKILL);
	case TAKEN_KILL_USER:
		return CALL(SYS_kill, killed_user, SIGKILL);
	case TAKEN_STATUS:
	case NR_TAKEN_CALLS:
		break;
	}
	errno = EINVAL;
	return -1;
}

/* ---- preparation ---- */

static void path_set(char path[PATH_BYTES], const char *folder, const char *name)
{
	(void)snprintf(path, PATH_BYTES, "%s/%s", folder, name);
}

static void read_victims(const char *folder)
{
	char path[PATH_BYTES];
	FILE *file;

	path_set(path, folder, VICTIM_PIDS);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%d %d %d", &victim, &killed_root, &killed_user) != 3 ||
	    victim < 2 || killed_root < 2 || killed_user < 2)
		abort();
	(void)fclose(file);
	(void)snprintf(memory, sizeof(memory), "/proc/%d/mem", victim);
}

void taken_calls_prepare(const char *folder, const char *session_folder)
{
	read_victims(folder);
	path_set(secret, folder, VICTIM_FILE);
	path_set(closed, folder, VICTIM_CLOSED);
	path_set(everybody, folder, VICTIM_OPEN);
	path_set(mount_point, folder, VICTIM_MOUNT);
	path_set(terminal, folder, VICTIM_TERMINAL);
	(void)snprintf(session, sizeof(session), "%s", session_folder);
	service.sun_family = AF_UNIX;
	(void)snprintf(service.sun_path, sizeof(service.sun_path), "%s/" VICTIM_SOCKET, folder);
}
