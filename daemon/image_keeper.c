// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image_keeper.h"

#include "daemon/privileges.h"
#include "daemon/image_alias.h"
#include "lib/buildid.h"
#include "lib/confine.h"
#include "lib/elf_skeleton.h"
#include "lib/file.h"
#include "libdb/sample_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAPS_BYTES_MAX (64u << 20)
#define COPY_SECONDS   10u /* of CPU */
#define COPY_CLOCK_MS  60000
#define COPY_BYTES     ((size_t)64 << 20) /* headers and names of sections */
#define POLL_PAUSE_MS  20		  /* where the kernel has no pidfd */
#define TMP_NAME_BYTES 32
#define NAME_BYTES     17

/* Headers before Linux 5.9 lack it. */
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

/* An image that was opened and is to be copied, or is being copied. */
struct job {
	uint32_t cookie, folder;
	int fd;	    /* the binary */
	int dir_fd; /* meta/images */
	uint64_t identity;
	uint64_t bytes_max;
};

struct keeper {
	int socket;
	const char *proc_path;
	uint32_t *opening;
	struct keeper_request request; /* the one in hand */
	struct job queue[KEEPER_QUEUE];
	unsigned int first, nr; /* of queue, a ring */
	struct job job;		/* being copied */
	pid_t child;		/* that does; 0: none */
	int child_fd;		/* its pidfd, or -1 */
	int64_t child_end_ms;	/* when it is killed */
	uint32_t folder;	/* whose kept_bytes this is */
	uint64_t kept_bytes;
};

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static void answer(const struct keeper *keeper, uint32_t cookie, uint32_t folder,
		   enum keeper_result result, int error)
{
	struct keeper_answer text = {
		.cookie = cookie, .folder = folder, .result = result, .error = error};

	/* A daemon that went has no use for it: the next receive tells. */
	(void)!send(keeper->socket, &text, sizeof(text), MSG_NOSIGNAL);
}

/* ---- opening ---- */

static int open_at(int dir_fd, const char *path, bool in_root)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	long fd = -1;

	errno = ENOSYS;
	if (in_root)
		fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
	if (fd >= 0 || errno != ENOSYS)
		return (int)fd;
	/* Before Linux 5.6; the path is as the kernel told it, free of links. */
	return openat(dir_fd, in_root ? path + 1 : path, O_PATH | O_CLOEXEC);
}

/* For reading, if it is a regular file: opening a device may do something. -1: no. */
static int open_regular(int dir_fd, const char *path, bool in_root)
{
	int path_fd = open_at(dir_fd, path, in_root);
	char self[64];
	struct stat st;
	int fd = -1;

	if (path_fd < 0)
		return -1;
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	if (!fstat(path_fd, &st) && S_ISREG(st.st_mode))
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	(void)close(path_fd);
	return fd;
}

static bool is_build(int fd, const struct oprof_image_identity *identity)
{
	struct buildid id;

	return !buildid_read_fd(fd, &id) && id.nr_bytes == identity->nr_build_id &&
	       !memcmp(id.bytes, identity->build_id, id.nr_bytes);
}

/*
 * stat() may tell another device than mappings have (btrfs, overlays): then
 * all else must agree, or the mapping itself must have led here.
 */
static bool is_image(int fd, const struct oprof_image_identity *identity, bool by_mapping)
{
	struct stat st;
	bool same_times;

	if (identity->nr_build_id)
		return is_build(fd, identity);
	if (fstat(fd, &st) || st.st_ino != identity->inode)
		return false;
	if (identity->size_bytes && identity->size_bytes != (uint64_t)st.st_size)
		return false;
	same_times =
		identity->mtime_ns == st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	if (identity->mtime_ns && !same_times)
		return false;
	return by_mapping || (same_times && identity->size_bytes) ||
	       image_alias_dev(major(st.st_dev), minor(st.st_dev)) == identity->dev;
}

/* The file at path if it is the image, or -1. */
static int open_image_at(const struct keeper_request *request, int dir_fd, const char *path,
			 bool in_root, bool by_mapping)
{
	int fd = open_regular(dir_fd, path, in_root);

	if (fd >= 0 && !is_image(fd, &request->identity, by_mapping)) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

/* By its path below the root of the process. */
static int open_in_root(const struct keeper *keeper, int32_t pid)
{
	const struct keeper_request *request = &keeper->request;
	char root[PATH_MAX];
	int root_fd, fd;

	if (request->text[0] != '/' || snprintf(root, sizeof(root), "%s/%d/root", keeper->proc_path,
						(int)pid) >= (int)sizeof(root))
		return -1;
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -1;
	fd = open_image_at(request, root_fd, request->text, true, false);
	(void)close(root_fd);
	return fd;
}

/* "START-END" of the mapping that holds address, as maps and map_files write it. */
static bool mapping_name(const char *maps, uint64_t address, char *name, size_t nr_bytes)
{
	const char *line = maps;

	while (line && *line) {
		char *next;
		uint64_t from = strtoull(line, &next, 16);
		uint64_t to = *next ? strtoull(next + 1, NULL, 16) : 0;

		if (address >= from && address < to)
			return snprintf(name, nr_bytes, "%" PRIx64 "-%" PRIx64, from, to) <
			       (int)nr_bytes;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

/* By the mapping itself: whatever became of its path. */
static int open_mapped(const struct keeper *keeper, int32_t pid)
{
	const struct keeper_request *request = &keeper->request;
	char path[PATH_MAX], name[64];
	char *maps;
	bool found;

	if (snprintf(path, sizeof(path), "%s/%d/maps", keeper->proc_path, (int)pid) >=
		    (int)sizeof(path) ||
	    file_read_text(path, MAPS_BYTES_MAX, &maps, NULL))
		return -1;
	found = mapping_name(maps, request->address, name, sizeof(name));
	free(maps);
	if (!found || snprintf(path, sizeof(path), "%s/%d/map_files/%s", keeper->proc_path,
			       (int)pid, name) >= (int)sizeof(path))
		return -1;
	return open_image_at(request, AT_FDCWD, path, false, true);
}

/* map_files takes a capability more than exe. */
static int open_program(const struct keeper *keeper, int32_t pid)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%d/exe", keeper->proc_path, (int)pid) >=
	    (int)sizeof(path))
		return -1;
	return open_image_at(&keeper->request, AT_FDCWD, path, false, true);
}

static int open_image(const struct keeper *keeper)
{
	const int32_t *pids = keeper->request.pids;
	int fd = -1;

	if (pids[0] > 0) {
		fd = open_in_root(keeper, pids[0]);
		if (fd < 0)
			fd = open_mapped(keeper, pids[0]);
		if (fd < 0)
			fd = open_program(keeper, pids[0]);
	}
	for (int i = 1; i < KEEPER_PIDS && fd < 0 && pids[i] > 0; i++)
		fd = open_in_root(keeper, pids[i]);
	return fd;
}

static bool reports_find_it(const struct keeper_request *request)
{
	int fd = request->text[0] == '/'
			 ? open_image_at(request, AT_FDCWD, request->text, false, false)
			 : -1;

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
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

/* meta/images, made if need be. -errno. */
static int open_images_folder(const struct keeper_request *request)
{
	char path[PATH_MAX];
	int error, fd;

	if (snprintf(path, sizeof(path), "%s/images", request->text + request->meta_path) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	error = file_make_dirs(path, 0700);
	if (error)
		return error;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* What the folder holds already: a session that goes on, or shares files with the one before. */
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
	(void)close(job->dir_fd);
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
	error = confine_process(&limits, CONFINE_DESCRIPTORS, from < to ? from : to,
				from < to ? to : from);
	if (!error)
		error = elf_skeleton_write(from, to, KEEPER_FILE_BYTES_MAX);
	_exit(-error & 0xff);
}

/* 0 or -errno: keeper->job was not begun. */
static int copy_begin(struct keeper *keeper)
{
	char name[TMP_NAME_BYTES];
	int to;

	identity_tmp_name(keeper->job.identity, name);
	to = openat(keeper->job.dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	keeper->child = fork();
	if (!keeper->child)
		copy_child(keeper->job.fd, to);
	(void)close(to);
	if (keeper->child < 0) {
		keeper->child = 0;
		return -errno;
	}
	keeper->child_fd = (int)syscall(SYS_pidfd_open, keeper->child, 0);
	keeper->child_end_ms = now_ms() + COPY_CLOCK_MS;
	return 0;
}

static enum keeper_result result_of_error(int error)
{
	switch (-error) {
	case 0:
		return KEEPER_KEPT;
	case EFBIG:
		return KEEPER_TOO_BIG;
	case ENOEXEC:
	case EILSEQ:
	case ENOMEM: /* the copier's limit: headers beyond reason */
		return KEEPER_UNREADABLE;
	default:
		return KEEPER_FAILED;
	}
}

/* The copy is whole: give it its name. */
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

static void copy_end(struct keeper *keeper, int error)
{
	enum keeper_result result = result_of_error(error);
	char tmp_name[TMP_NAME_BYTES];

	if (!error)
		result = copy_put(keeper, &error);
	if (result != KEEPER_KEPT) {
		identity_tmp_name(keeper->job.identity, tmp_name);
		(void)unlinkat(keeper->job.dir_fd, tmp_name, 0);
	}
	answer(keeper, keeper->job.cookie, keeper->job.folder, result, error);
	job_close(&keeper->job);
	if (keeper->child_fd >= 0)
		(void)close(keeper->child_fd);
	keeper->child_fd = -1;
	keeper->child = 0;
}

static void copy_reap(struct keeper *keeper)
{
	int status;

	if (!keeper->child)
		return;
	if (now_ms() >= keeper->child_end_ms)
		(void)kill(keeper->child, SIGKILL);
	if (waitpid(keeper->child, &status, WNOHANG) != keeper->child)
		return;
	/* Ended by a signal: out of time, or what the file made of it. */
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

	identity_name(identity, name);
	return !faccessat(dir_fd, name, F_OK, 0);
}

static void request_do(struct keeper *keeper)
{
	const struct keeper_request *request = &keeper->request;
	struct job job = {.cookie = request->cookie,
			  .folder = request->folder,
			  .identity = sample_identity(&request->identity),
			  .bytes_max = request->bytes_max};

	if (reports_find_it(request)) {
		answer(keeper, request->cookie, request->folder, KEEPER_THERE, 0);
		return;
	}
	job.dir_fd = open_images_folder(request);
	if (job.dir_fd < 0) {
		answer(keeper, request->cookie, request->folder, KEEPER_FAILED, job.dir_fd);
		return;
	}
	if (is_kept(job.dir_fd, job.identity)) {
		answer(keeper, request->cookie, request->folder, KEEPER_KEPT, 0);
		(void)close(job.dir_fd);
		return;
	}
	job.fd = open_image(keeper);
	if (job.fd < 0) {
		answer(keeper, request->cookie, request->folder, KEEPER_GONE, 0);
		(void)close(job.dir_fd);
		return;
	}
	keeper->queue[(keeper->first + keeper->nr++) % KEEPER_QUEUE] = job;
}

/* False: the daemon has gone. */
static bool request_take(struct keeper *keeper)
{
	struct keeper_request *request = &keeper->request;
	ssize_t nr = recv(keeper->socket, request, sizeof(*request), 0);

	if (nr < 0)
		return errno == EINTR || errno == EAGAIN;
	/* The daemon is ours: a packet is whole, and its texts end. */
	if ((size_t)nr > offsetof(struct keeper_request, text)) {
		__atomic_store_n(keeper->opening, request->cookie, __ATOMIC_RELAXED);
		request_do(keeper);
		__atomic_store_n(keeper->opening, 0, __ATOMIC_RELAXED);
	}
	return nr > 0;
}

static int wait_ms(const struct keeper *keeper)
{
	int64_t left;

	if (!keeper->child)
		return -1;
	if (keeper->child_fd < 0)
		return POLL_PAUSE_MS;
	left = keeper->child_end_ms - now_ms();
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
		/* First what may vanish: the processes. */
		if (fds[0].revents && !request_take(keeper))
			return;
		copy_reap(keeper);
		copy_next(keeper);
	}
}

/* Who waits for the end of the daemon's output waits for no keeper that hangs. */
static void let_go_of_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		(void)dup2(null, fd);
	if (null >= 3)
		(void)close(null);
}

static uint64_t bit(unsigned int capability)
{
	return UINT64_C(1) << capability;
}

/*
 * Others' roots and programs, folders of theirs, what they map; folders of who
 * has the session; making the copier nobody, and ending it then.
 */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	uint64_t kept = bit(CAP_SYS_PTRACE) | bit(CAP_DAC_READ_SEARCH) | bit(CAP_SETUID) |
			bit(CAP_SETGID) | bit(CAP_KILL);
	struct stat st;

	/* Linux 5.9; before it, map_files takes more. */
	if (prctl(PR_CAPBSET_READ, (unsigned long)CAP_CHECKPOINT_RESTORE, 0UL, 0UL, 0UL) >= 0)
		kept |= bit(CAP_CHECKPOINT_RESTORE);
	else
		kept |= bit(CAP_SYS_ADMIN);
	if (stat(".", &st) || st.st_uid != geteuid())
		kept |= bit(CAP_DAC_OVERRIDE);
	privileges_bound(kept);
	if (syscall(SYS_capget, &header, data))
		return;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(kept >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	(void)syscall(SYS_capset, &header, data);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

static void __attribute__((noreturn))
keeper_main(const char *proc_path, uint32_t *opening, int fd, pid_t parent)
{
	static struct keeper keeper;

	keeper = (struct keeper){
		.socket = 3, .proc_path = proc_path, .opening = opening, .child_fd = -1};
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	(void)prctl(PR_SET_NAME, "oprof-keeper");
	/* Lock, events, sample files and clients of the daemon are not the keeper's to hold. */
	if (fd != keeper.socket && dup2(fd, keeper.socket) < 0)
		_exit(1);
	(void)syscall(SYS_close_range, keeper.socket + 1, ~0U, 0);
	let_go_of_terminal();
	drop_capabilities();
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
