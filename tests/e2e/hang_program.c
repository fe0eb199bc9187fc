// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hang_program lock|file UID: a process of the user UID that makes readers of its /proc folder
 * wait. It runs on a FUSE file system whose server, a child process, stops answering. The file
 * system is mounted in a mount namespace of its own. The process uses the CPU until it is killed.
 *
 * Readers in the caller's mount namespace must not wait: they may belong to other tests. For them,
 * an empty file system covers the /proc folder of the process. A reader that shall wait needs a
 * mount namespace with a /proc of its own. The server and the process end when the caller ends.
 *
 *   lock: one thread reads a page of a file, which stays locked. Another thread maps the same file
 *         without the page cache, in place of an older mapping: with the lock of the mappings held,
 *         it waits for the page. Readers of maps and map_files then wait for this lock.
 *   file: the process runs code from a file. The server no longer answers requests about this file.
 *
 * Prints "PID SERVER" when both threads or the file are ready. The waiting readers return when
 * SERVER has ended. Exit status 77: FUSE is not available, or the folder cannot be covered.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE_BYTES  4096u
#define FILE_INODE  2u
#define FILE_BYTES  (4 * PAGE_BYTES)
#define MOUNT_POINT "/tmp"
#define FILE_PATH   MOUNT_POINT "/page"

#if defined(__x86_64__)
/* mov $1000000, %ecx; 1: dec %ecx; jnz 1b; ret */
static const unsigned char code[] = {0xb9, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
#elif defined(__aarch64__)
/* mov w0, #65535; 1: subs w0, w0, #1; b.ne 1b; ret */
static const unsigned int code[] = {0x529fffe0, 0x71000400, 0x54ffffe1, 0xd65f03c0};
#else
static const unsigned char code[1];
#endif

/* Shared by the process and its server. */
struct shared {
	volatile unsigned int nr_unanswered; /* requests that the server has not answered */
};

static struct shared *shared;
static int is_lock;

/* ---- the server ---- */

struct server {
	int fd;
	unsigned int nr_opens;
};

static void answer(const struct server *server, uint64_t unique, int error, const void *bytes,
		   size_t nr_bytes)
{
	struct fuse_out_header head = {.error = error, .unique = unique};
	struct iovec parts[] = {{&head, sizeof(head)}, {(void *)(uintptr_t)bytes, nr_bytes}};

	head.len = (uint32_t)(sizeof(head) + nr_bytes);
	if (writev(server->fd, parts, nr_bytes ? 2 : 1) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr attributes(uint64_t inode)
{
	struct fuse_attr attr = {.ino = inode,
				 .mode = inode == FILE_INODE ? S_IFREG | 0755 : S_IFDIR | 0755,
				 .nlink = 1,
				 .size = inode == FILE_INODE ? FILE_BYTES : 0,
				 .blksize = PAGE_BYTES};

	return attr;
}

static void serve_read(const struct server *server, uint64_t unique, const struct fuse_read_in *in)
{
	static char bytes[FILE_BYTES];

	if (is_lock) {
		shared->nr_unanswered++;
		return;
	}
	memcpy(bytes, code, sizeof(code));
	if (in->offset < FILE_BYTES)
		answer(server, unique, 0, bytes + in->offset,
		       in->size < FILE_BYTES - in->offset ? in->size : FILE_BYTES - in->offset);
	else
		answer(server, unique, 0, NULL, 0);
}

/* With lock, the second file is opened without the page cache. */
static void serve_open(struct server *server, uint64_t unique)
{
	const struct fuse_open_out opened = {
		.fh = 1, .open_flags = is_lock && server->nr_opens ? FOPEN_DIRECT_IO : 0};

	server->nr_opens++;
	answer(server, unique, 0, &opened, sizeof(opened));
}

static void serve(struct server *server, const struct fuse_in_header *head, const void *body)
{
	const struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
					   .minor = FUSE_KERNEL_MINOR_VERSION,
					   .max_readahead = 0,
					   .max_write = PAGE_BYTES};
	const struct fuse_entry_out entry = {.nodeid = FILE_INODE, .attr = attributes(FILE_INODE)};
	const struct fuse_attr_out attr = {.attr = attributes(head->nodeid)};

	/* The process itself needs no other answers after its last open. */
	if (server->nr_opens == (is_lock ? 2 : 1) && head->opcode != FUSE_READ) {
		shared->nr_unanswered += head->opcode == FUSE_GETATTR;
		return;
	}
	switch (head->opcode) {
	case FUSE_INIT:
		answer(server, head->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		answer(server, head->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(server, head->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		serve_open(server, head->unique);
		break;
	case FUSE_READ:
		serve_read(server, head->unique, body);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_ACCESS:
		answer(server, head->unique, 0, NULL, 0);
		break;
	default:
		answer(server, head->unique, -ENOSYS, NULL, 0);
		break;
	}
}

/* Serves until the process has ended, or the caller, to which caller_fd refers. */
static void __attribute__((noreturn)) serve_all(int fd, int caller_fd)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = caller_fd, .events = POLLIN}};
	static union {
		struct fuse_in_header head;
		char bytes[1 << 17];
	} request;
	struct server server = {.fd = fd};

	for (;;) {
		ssize_t nr;

		(void)poll(fds, 2, -1);
		if (fds[1].revents)
			_exit(0);
		nr = read(fd, &request, sizeof(request));
		if (nr < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT))
			continue;
		if (nr < (ssize_t)sizeof(request.head))
			_exit(0);
		serve(&server, &request.head, request.bytes + sizeof(request.head));
	}
}

/*
 * Covers the /proc folder of this process, for everybody in this mount namespace. The kernel
 * unmounts the cover when the process ends. Returns 0 or -1.
 */
static int cover_folder(void)
{
	char folder[32];

	(void)snprintf(folder, sizeof(folder), "/proc/%d", (int)getpid());
	return mount("none", folder, "tmpfs", MS_RDONLY, "size=4k");
}

/* Mounts the file system. Returns the pid of its server, or -1. */
static pid_t mount_served(unsigned int uid)
{
	char options[128];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	int caller_fd = (int)syscall(SYS_pidfd_open, getppid(), 0);
	pid_t server;

	if (fd < 0 || caller_fd < 0 || cover_folder() || unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	(void)snprintf(options, sizeof(options),
		       "fd=%d,rootmode=40000,user_id=%u,group_id=0,allow_other", fd, uid);
	if (mount("nothing", MOUNT_POINT, "fuse", 0, options))
		return -1;
	server = fork();
	if (!server) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_all(fd, caller_fd);
	}
	(void)close(fd);
	(void)close(caller_fd);
	return server;
}

/* ---- the process ---- */

/* What the threads of `lock` use; opened and mapped before they start. */
static int cached_fd, direct_fd;
static void *place;

static void *read_page(void *unused)
{
	static char bytes[PAGE_BYTES];

	(void)unused;
	(void)!read(cached_fd, bytes, sizeof(bytes));
	return NULL;
}

static void *map_page(void *unused)
{
	(void)unused;
	while (!shared->nr_unanswered)
		(void)usleep(1000);
	(void)mmap(place, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED, direct_fd, 0);
	return NULL;
}

/* Starts the two threads. Returns -1 if this is not possible. */
static int hold_lock(void)
{
	pthread_t threads[2];

	cached_fd = open(FILE_PATH, O_RDONLY | O_CLOEXEC);
	direct_fd = open(FILE_PATH, O_RDONLY | O_CLOEXEC);
	place = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cached_fd < 0 || direct_fd < 0 || place == MAP_FAILED ||
	    pthread_create(&threads[0], NULL, map_page, NULL) ||
	    pthread_create(&threads[1], NULL, read_page, NULL))
		return -1;
	while (!shared->nr_unanswered)
		(void)usleep(1000);
	return 0;
}

static void (*map_code(void))(void)
{
	void (*run)(void);
	int fd = open(FILE_PATH, O_RDONLY | O_CLOEXEC);
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (fd < 0 || page == MAP_FAILED || sizeof(code) == 1)
		return NULL;
	memcpy(&run, &page, sizeof(run));
	run();
	return run;
}

static void __attribute__((noinline)) use_cpu(void)
{
	for (volatile unsigned int i = 0; i < 1000000; i++)
		;
}

int main(int argc, char **argv)
{
	const unsigned int uid = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	void (*run)(void) = use_cpu;
	pid_t server;

	is_lock = argc > 1 && !strcmp(argv[1], "lock");
	shared = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	server = mount_served(uid);
	if (server < 0 || setuid(uid) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return 77;
	/* The page of stdio's buffer must exist before the lock is held. */
	(void)printf("%d %d\n", (int)getpid(), (int)server);
	if (is_lock ? hold_lock() : !(run = map_code()))
		return 77;
	(void)usleep(200000); /* let the second thread reach the lock */
	(void)fflush(stdout);
	for (;;)
		run();
}
