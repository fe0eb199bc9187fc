// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/image_keeper.h"

#include "daemon/image/image_open.h"
#include "daemon/image/table_folder.h"
#include "daemon/system/daemon_child.h"
#include "daemon/system/privileges.h"
#include "daemon/system/run_user.h"
#include "lib/clock.h"
#include "lib/confine.h"
#include "lib/deny_calls.h"
#include "lib/elf_skeleton.h"
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "oprof/session.h"
#include "unwind/code_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COPY_SECONDS   10u /* limit of the CPU time of a copying child */
#define COPY_CLOCK_MS  60000
#define COPY_BYTES     ((size_t)64 << 20)  /* limit of memory for copying headers and names */
#define TABLE_BYTES    ((size_t)256 << 20) /* limit of memory for a table, plus the binary's size */
#define POLL_PAUSE_MS  20		   /* polling interval if the system has no pidfds */
#define TMP_NAME_BYTES 32
#define NAME_BYTES     17

/* An image that is opened and waits to be copied, or is being copied. */
struct job {
	uint32_t cookie, folder;
	enum keeper_work work;
	int fd;	    /* the binary */
	int dir_fd; /* meta/images, or the folder of tables; -1: the table is in memory */
	int table;  /* the table that is being written; -1: none */
	uint64_t identity;
	uint64_t bytes_max;
};

struct keeper {
	int socket;
	const char *proc_path;
	uint32_t *opening;
	struct keeper_request request; /* the current request */
	int given_fd;		       /* descriptor that came with the request; -1: none */
	struct job queue[KEEPER_QUEUE];
	unsigned int first, nr; /* first job and number of jobs in queue, which is circular */
	struct job job;		/* the job whose image is being copied */
	pid_t child;		/* the process that copies; 0: none */
	int child_fd;		/* pidfd of child; -1: none */
	int64_t child_end_ms;	/* time at which the child is killed */
	uint32_t folder;	/* number of the session to which kept_bytes refers */
	uint64_t kept_bytes;
};

/* Sends an answer, with the descriptor fd unless it is -1. */
static void answer_with(const struct keeper *keeper, const struct keeper_answer *text, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(fd))];
		struct cmsghdr align;
	} control = {.bytes = {0}};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)text, .iov_len = sizeof(*text)};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		struct cmsghdr *head;

		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	}
	/* If the daemon has ended, the next receive reports this. */
	(void)!sendmsg(keeper->socket, &message, MSG_NOSIGNAL);
}

static void answer(const struct keeper *keeper, const struct job *job, enum keeper_result result,
		   int error)
{
	const struct keeper_answer text = {.cookie = job->cookie,
					   .folder = job->folder,
					   .result = result,
					   .error = error,
					   .work = job->work};

	answer_with(keeper, &text, -1);
}

/* ---- the session's folder ---- */

static void identity_name(uint64_t identity, char *name)
{
	(void)snprintf(name, NAME_BYTES, "%016" PRIx64, identity);
}

static void identity_tmp_name(uint64_t identity, char *name)
{
	(void)snprintf(name, TMP_NAME_BYTES, ".%016" PRIx64 ".tmp", identity);
}

/* Opens meta/images, which is created if missing. Returns a descriptor or -errno. */
static int open_images_folder(const struct keeper_request *request)
{
	char path[PATH_MAX];
	int error, fd;

	if (snprintf(path, sizeof(path), "%s/" OPROF_IMAGES_NAME,
		     request->text + request->meta_path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	error = file_make_dirs(path, 0700);
	if (error)
		return error;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Returns the total size of the files in the folder. The folder already has files if an existing
 * session is continued, or if the session shares files with an earlier session.
 */
static uint64_t folder_bytes(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t sum = 0;
	struct stat st;

	if (!folder) {
		if (fd >= 0)
			(void)close(fd);
		return 0;
	}
	while ((entry = readdir(folder)))
		if (!fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_size;
	(void)closedir(folder);
	return sum;
}

static void note_folder(struct keeper *keeper, const struct job *job)
{
	if (job->folder == keeper->folder)
		return;
	keeper->folder = job->folder;
	keeper->kept_bytes = folder_bytes(job->dir_fd);
}

/* ---- copying ---- */

static void job_close(const struct job *job)
{
	(void)close(job->fd);
	if (job->dir_fd >= 0)
		(void)close(job->dir_fd);
}

static int copy_confine(const struct confine_limits *limits, int from, int to)
{
	return confine_process(limits, CONFINE_DESCRIPTORS, from < to ? from : to,
			       from < to ? to : from);
}

static void __attribute__((noreturn)) copy_child(int from, int to)
{
	const struct confine_limits limits = {
		.max_seconds = COPY_SECONDS,
		.max_bytes = COPY_BYTES,
		.max_file_bytes = KEEPER_FILE_BYTES_MAX,
	};
	int error;

	(void)setpriority(PRIO_PROCESS, 0, 10);
	error = copy_confine(&limits, from, to);
	if (!error)
		error = elf_skeleton_write(from, to, KEEPER_FILE_BYTES_MAX);
	_exit(-error & 0xff);
}

/* The priority is not lowered, because samples wait for the table. */
static void __attribute__((noreturn)) table_child(int from, int to)
{
	struct confine_limits limits = {
		.max_seconds = COPY_SECONDS,
		.max_bytes = TABLE_BYTES,
		.max_file_bytes = KEEPER_TABLE_BYTES_MAX,
	};
	struct diag diag;
	struct stat st;
	int error;

	if (!fstat(from, &st))
		limits.max_bytes += (size_t)st.st_size;
	diag_clear(&diag);
	error = copy_confine(&limits, from, to);
	if (!error)
		error = code_table_build(from, to, KEEPER_TABLE_BYTES_MAX, &diag);
	_exit(-error & 0xff);
}

/* Opens the file for the result. Returns a descriptor or -errno. */
static int copy_open(const struct keeper *keeper)
{
	const struct job *job = &keeper->job;
	char name[TMP_NAME_BYTES];
	int to;

	if (job->work == KEEPER_TABLE)
		return table_folder_begin(job->dir_fd, job->identity);
	identity_tmp_name(job->identity, name);
	to = openat(job->dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	return to < 0 ? -errno : to;
}

/* Starts the copy of keeper->job. Returns 0, or -errno if it was not started. */
static int copy_begin(struct keeper *keeper)
{
	struct job *job = &keeper->job;
	int to = copy_open(keeper);

	if (to < 0)
		return to;
	keeper->child = fork();
	if (!keeper->child && job->work == KEEPER_TABLE)
		table_child(job->fd, to);
	if (!keeper->child)
		copy_child(job->fd, to);
	if (job->work == KEEPER_TABLE)
		job->table = to;
	else
		(void)close(to);
	if (keeper->child < 0) {
		keeper->child = 0;
		return -errno;
	}
	keeper->child_fd = (int)syscall(SYS_pidfd_open, keeper->child, 0);
	keeper->child_end_ms = clock_monotonic_ms() + COPY_CLOCK_MS;
	return 0;
}

static enum keeper_result result_of_error(int error)
{
	switch (-error) {
	case 0:
		return KEEPER_KEPT;
	case EFBIG:
		return KEEPER_TOO_BIG;
	case ENODATA:
		return KEEPER_NONE;
	case ENOEXEC:
	case EILSEQ:
	case ENOMEM: /* the child reached its memory limit: the headers are unreasonable */
		return KEEPER_UNREADABLE;
	default:
		return KEEPER_FAILED;
	}
}

/* Call when the copy is complete: renames the copy to its final name. */
static enum keeper_result copy_put(struct keeper *keeper, int *error)
{
	const struct job *job = &keeper->job;
	char name[NAME_BYTES], tmp_name[TMP_NAME_BYTES];
	struct stat st;

	identity_name(job->identity, name);
	identity_tmp_name(job->identity, tmp_name);
	note_folder(keeper, job);
	if (fstatat(job->dir_fd, tmp_name, &st, 0)) {
		*error = -errno;
		return KEEPER_FAILED;
	}
	if (keeper->kept_bytes + (uint64_t)st.st_size > job->bytes_max)
		return KEEPER_FULL;
	if (renameat(job->dir_fd, tmp_name, job->dir_fd, name)) {
		*error = -errno;
		return KEEPER_FAILED;
	}
	keeper->kept_bytes += (uint64_t)st.st_size;
	return KEEPER_KEPT;
}

static void symbols_end(struct keeper *keeper, int error)
{
	enum keeper_result result = result_of_error(error);
	char tmp_name[TMP_NAME_BYTES];

	if (!error)
		result = copy_put(keeper, &error);
	if (result != KEEPER_KEPT) {
		identity_tmp_name(keeper->job.identity, tmp_name);
		(void)unlinkat(keeper->job.dir_fd, tmp_name, 0);
	}
	answer(keeper, &keeper->job, result, error);
}

static void table_answer(const struct keeper *keeper, const struct job *job, int fd)
{
	const struct keeper_answer text = {.cookie = job->cookie,
					   .folder = job->folder,
					   .result = KEEPER_KEPT,
					   .work = KEEPER_TABLE};

	answer_with(keeper, &text, fd);
	(void)close(fd);
}

static void table_end(struct keeper *keeper, int error)
{
	struct job *job = &keeper->job;
	int fd = -1;

	if (!error)
		fd = table_folder_put(job->dir_fd, job->identity, job->table,
				      KEEPER_TABLES_BYTES_MAX);
	else if (job->table >= 0)
		table_folder_cancel(job->dir_fd, job->identity, job->table);
	job->table = -1;
	if (!error && fd < 0)
		error = fd;
	if (error)
		answer(keeper, job, error == -ENOEXEC ? KEEPER_NONE : result_of_error(error),
		       error);
	else
		table_answer(keeper, job, fd);
}

/*
 * If the disk is full, queues the job again, to build the table in memory. Returns false if the
 * error has another reason.
 */
static bool table_again(struct keeper *keeper, int error)
{
	struct job *job = &keeper->job;

	if (job->work != KEEPER_TABLE || job->dir_fd < 0 || job->table < 0 ||
	    (error != -ENOSPC && error != -EDQUOT))
		return false;
	table_folder_cancel(job->dir_fd, job->identity, job->table);
	(void)close(job->dir_fd);
	job->dir_fd = -1;
	job->table = -1;
	/* The queue has room, since the job was just taken from it. */
	keeper->queue[(keeper->first + keeper->nr++) % KEEPER_QUEUE] = *job;
	return true;
}

static void child_forget(struct keeper *keeper)
{
	if (keeper->child_fd >= 0)
		(void)close(keeper->child_fd);
	keeper->child_fd = -1;
	keeper->child = 0;
}

static void copy_end(struct keeper *keeper, int error)
{
	if (table_again(keeper, error)) {
		child_forget(keeper);
		return;
	}
	if (keeper->job.work == KEEPER_TABLE)
		table_end(keeper, error);
	else
		symbols_end(keeper, error);
	job_close(&keeper->job);
	child_forget(keeper);
}

static void copy_reap(struct keeper *keeper)
{
	int status;

	if (!keeper->child)
		return;
	if (clock_monotonic_ms() >= keeper->child_end_ms)
		(void)kill(keeper->child, SIGKILL);
	if (waitpid(keeper->child, &status, WNOHANG) != keeper->child)
		return;
	/*
	 * If a signal ended the child, the child had exceeded its time limit, or had crashed while
	 * it read the file.
	 */
	copy_end(keeper, WIFEXITED(status) ? -WEXITSTATUS(status) : -EILSEQ);
}

static void copy_next(struct keeper *keeper)
{
	while (!keeper->child && keeper->nr) {
		int error;

		keeper->job = keeper->queue[keeper->first];
		keeper->first = (keeper->first + 1) % KEEPER_QUEUE;
		keeper->nr--;
		error = copy_begin(keeper);
		if (error)
			copy_end(keeper, error);
	}
}

/* ---- requests ---- */

static bool is_kept(int dir_fd, uint64_t identity)
{
	char name[NAME_BYTES];
	struct stat st;

	identity_name(identity, name);
	/* Do not use faccessat(), which checks the rights of the real user. */
	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW);
}

static void request_queue(struct keeper *keeper, const struct job *job)
{
	if (job->fd >= 0) {
		keeper->queue[(keeper->first + keeper->nr++) % KEEPER_QUEUE] = *job;
		return;
	}
	answer(keeper, job, KEEPER_GONE, 0);
	if (job->dir_fd >= 0)
		(void)close(job->dir_fd);
}

/*
 * Returns whether reports can read the image at this path. If the daemon runs as FOLDER_USER, the
 * reports of its session run as this user without capabilities. faccessat() then gives the right
 * answer: it checks the rights of the real user, which is not root, and ignores capabilities.
 */
static bool reports_may_read(const char *path)
{
	return !run_user_has_become() || !faccessat(AT_FDCWD, path, R_OK, 0);
}

/*
 * Sets job->dir_fd. Returns whether the image's symbols must be copied. If not, sends the answer.
 */
static bool symbols_are_due(struct keeper *keeper, struct job *job)
{
	job->dir_fd = open_images_folder(&keeper->request);
	if (job->dir_fd < 0) {
		answer(keeper, job, KEEPER_FAILED, job->dir_fd);
		return false;
	}
	if (!is_kept(job->dir_fd, job->identity))
		return true;
	answer(keeper, job, KEEPER_KEPT, 0);
	(void)close(job->dir_fd);
	return false;
}

static void symbols_do(struct keeper *keeper, struct job *job)
{
	const struct keeper_request *request = &keeper->request;
	const int fd = image_open_path(request);

	if (fd >= 0 && reports_may_read(request->text)) {
		answer(keeper, job, KEEPER_THERE, 0);
	} else if (symbols_are_due(keeper, job)) {
		job->fd = fd >= 0 ? fd : image_open(keeper->proc_path, request, keeper->given_fd);
		request_queue(keeper, job);
		return;
	}
	if (fd >= 0)
		(void)close(fd);
}

/* Opens the image by its path or, if this fails, through the processes that map it. */
static int open_table_image(const struct keeper *keeper)
{
	const struct keeper_request *request = &keeper->request;
	int fd = image_open_path(request);

	return fd < 0 ? image_open(keeper->proc_path, request, keeper->given_fd) : fd;
}

static void table_do(struct keeper *keeper, struct job *job)
{
	const struct keeper_request *request = &keeper->request;
	const char *path = request->text + request->meta_path;
	int fd;

	/* If the folder cannot be opened, the table is built in memory, for this run only. */
	job->dir_fd = *path ? table_folder_open(path) : -1;
	fd = table_folder_find(job->dir_fd, job->identity);
	if (fd >= 0) {
		table_answer(keeper, job, fd);
		(void)close(job->dir_fd);
		return;
	}
	job->fd = open_table_image(keeper);
	request_queue(keeper, job);
}

static void request_do(struct keeper *keeper)
{
	const struct keeper_request *request = &keeper->request;
	struct job job = {.cookie = request->cookie,
			  .folder = request->folder,
			  .work = request->work == KEEPER_TABLE ? KEEPER_TABLE : KEEPER_SYMBOLS,
			  .fd = -1,
			  .dir_fd = -1,
			  .table = -1,
			  .identity = sample_identity(&request->identity),
			  .bytes_max = request->bytes_max};

	if (job.work == KEEPER_TABLE)
		table_do(keeper, &job);
	else
		symbols_do(keeper, &job);
}

/*
 * Receives the next request. Returns the result of recvmsg(). Sets keeper->given_fd to the
 * descriptor that came with the request.
 */
static ssize_t request_receive(struct keeper *keeper)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {.iov_base = &keeper->request, .iov_len = sizeof(keeper->request)};
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		/* Do not use CMSG_SPACE: it might leave room for a second descriptor. */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	ssize_t nr = recvmsg(keeper->socket, &message, MSG_CMSG_CLOEXEC);
	struct cmsghdr *head = nr < 0 ? NULL : CMSG_FIRSTHDR(&message);

	keeper->given_fd = -1;
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(&keeper->given_fd, CMSG_DATA(head), sizeof(keeper->given_fd));
	return nr;
}

/* Handles one request. Returns false if the daemon has ended. */
static bool request_take(struct keeper *keeper)
{
	struct keeper_request *request = &keeper->request;
	ssize_t nr = request_receive(keeper);

	if (nr < 0)
		return errno == EINTR || errno == EAGAIN;
	/*
	 * Requests are not checked, since the daemon is trusted: a packet is complete and its texts
	 * are terminated.
	 */
	if ((size_t)nr > offsetof(struct keeper_request, text)) {
		__atomic_store_n(keeper->opening, request->cookie, __ATOMIC_RELAXED);
		request_do(keeper);
		__atomic_store_n(keeper->opening, 0, __ATOMIC_RELAXED);
	}
	if (keeper->given_fd >= 0)
		(void)close(keeper->given_fd);
	return nr > 0;
}

static int wait_ms(const struct keeper *keeper)
{
	int64_t left;

	if (!keeper->child)
		return -1;
	if (keeper->child_fd < 0)
		return POLL_PAUSE_MS;
	left = keeper->child_end_ms - clock_monotonic_ms();
	return left > 0 ? (int)left : POLL_PAUSE_MS;
}

static void keeper_loop(struct keeper *keeper)
{
	for (;;) {
		struct pollfd fds[] = {
			{.fd = keeper->nr < KEEPER_QUEUE ? keeper->socket : -1, .events = POLLIN},
			{.fd = keeper->child_fd, .events = POLLIN},
		};

		if (poll(fds, 2, wait_ms(keeper)) < 0 && errno != EINTR)
			return;
		/* Requests come first, since processes may end and take their files with them. */
		if (fds[0].revents && !request_take(keeper))
			return;
		copy_reap(keeper);
		copy_next(keeper);
	}
}

/*
 * Keeps only the capabilities for these purposes:
 *
 * - open files of other users (through /proc/PID/root, exe and map_files, and in their folders)
 * - write to a session folder of another owner
 * - change the user of the copying child
 * - kill this child, if its user is not the keeper's real user
 */
static void drop_capabilities(bool is_child_user)
{
	uint64_t kept = daemon_child_bit(CAP_SYS_PTRACE) | daemon_child_bit(CAP_DAC_READ_SEARCH) |
			daemon_child_bit(CAP_SETUID) | daemon_child_bit(CAP_SETGID) |
			daemon_child_map_files();
	struct stat st;

	if (!is_child_user)
		kept |= daemon_child_bit(CAP_KILL);
	if (stat(".", &st) || st.st_uid != geteuid())
		kept |= daemon_child_bit(CAP_DAC_OVERRIDE);
	daemon_child_keep(kept);
}

static void __attribute__((noreturn))
keeper_main(const char *proc_path, uint32_t *opening, int fd, pid_t parent)
{
	static struct keeper keeper;
	uid_t user;
	gid_t group;

	keeper = (struct keeper){.socket = daemon_child_begin("oprof-keeper", fd, opening, parent),
				 .proc_path = proc_path,
				 .opening = opening,
				 .given_fd = -1,
				 .child_fd = -1};
	drop_capabilities(!confine_own_children());
	/* If the filters cannot be installed, the keeper works without them. */
	(void)deny_calls(); /* the daemon may have kept its privileges */
	confine_user(&user, &group);
	/*
	 * A keeper that does not run as root must not be able to become root. If the calls by which
	 * it could do so cannot be refused, it gives up the privileges for changing the child's
	 * user. The child then runs as the keeper's user.
	 */
	if (deny_others(user, group) && run_user_has_become())
		privileges_give_up(privileges_to_start_children());
	keeper_loop(&keeper);
	if (keeper.child)
		(void)kill(keeper.child, SIGKILL);
	_exit(0);
}

int image_keeper_start(const char *proc_path, uint32_t *opening, int *fd, pid_t *pid)
{
	pid_t parent = getpid();
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	child = fork();
	if (!child)
		keeper_main(proc_path, opening, ends[1], parent);
	(void)close(ends[1]);
	if (child < 0) {
		(void)close(ends[0]);
		return -errno;
	}
	*fd = ends[0];
	*pid = child;
	return 0;
}
