// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/archive_unpack.h"

#include "lib/children.h"
#include "lib/clock.h"
#include "lib/confine.h"
#include "lib/file.h"
#include "pp/session/archive_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MB (UINT64_C(1) << 20)

/* how many bytes a slow machine unpacks in one second of CPU time */
#define BYTES_A_SECOND (20 * MB)
/* how many bytes of the compressed file a slow network delivers in one second */
#define SLOW_BYTES_A_SECOND UINT64_C(65536)
/* Bytes that stay free for other programs: ROOM_LEFT_MAX, or less on a small file system. */
#define ROOM_LEFT_MAX  (16 * MB)
#define ROOM_LEFT_PART UINT64_C(20) /* at most 1/20 of the file system stays free */

#define PIPE_BYTES (1 << 20)

#define POLL_MS UINT64_C(1000)

#define END_MS 5000 /* time in which the child must end after it closed the stream */

/*
 * Compression reduces debug information to a quarter or a tenth of its size. Many binaries with
 * their debug information may have 10 GB.
 */
const struct archive_limits archive_default_limits = {
	.bytes_max = 32768 * MB,
	.free_bytes = 64 * MB,
	.ratio = 200,
	.nr_max = 200000,
	.depth_max = 64,
	.seconds_base = 60,
	.wait_seconds = 60,
	.memory_bytes = (size_t)512 << 20,
};

struct unpacking {
	const char *path;
	const char *folder;
	const struct archive_limits *limits;
	struct diag *diag;
	int stream;
	int folder_fd;
	int file;		      /* the file that is being written; -1: none */
	struct timespec mtime;	      /* of this file */
	struct archive_extent extent; /* so far */
	uint64_t waited_ns;	      /* sum of all waits for bytes of the stream */
	char name[ARCHIVE_NAME_BYTES_MAX + 1];
	char bytes[ARCHIVE_DATA_BYTES_MAX];
};

/* ---- names ---- */

bool archive_name_is_good(const char *name)
{
	if (!*name || *name == '/')
		return false;
	for (const char *part = name; *part;) {
		size_t nr_bytes = strcspn(part, "/");

		if (nr_bytes > NAME_MAX || (nr_bytes == 2 && !strncmp(part, "..", 2)))
			return false;
		part += nr_bytes;
		part += *part == '/';
	}
	return true;
}

int archive_refuse_name(const char *path, const char *name, struct diag *diag)
{
	char shown[100];

	(void)snprintf(shown, sizeof(shown), "%.99s", name);
	return diag_set_at(diag, -EILSEQ, path, 0,
			   "contains \"%s%s\", which is not allowed in an archive of "
			   "oprof",
			   shown, strlen(name) >= sizeof(shown) ? "..." : "");
}

/* ---- limits ---- */

static uint64_t bytes_max(const struct archive_limits *limits, uint64_t compressed)
{
	uint64_t nr_bytes;

	if (__builtin_mul_overflow(compressed, limits->ratio, &nr_bytes) ||
	    __builtin_add_overflow(nr_bytes, limits->free_bytes, &nr_bytes) ||
	    nr_bytes > limits->bytes_max)
		return limits->bytes_max;
	return nr_bytes;
}

static void describe_bytes(const struct archive_limits *limits, uint64_t compressed,
			   char what[ARCHIVE_EXCESS_BYTES])
{
	uint64_t most = bytes_max(limits, compressed);

	if (most == limits->bytes_max)
		(void)snprintf(what, ARCHIVE_EXCESS_BYTES,
			       "more than %" PRIu64 " MB, the limit for all archives", most / MB);
	else
		(void)snprintf(what, ARCHIVE_EXCESS_BYTES,
			       "more than %" PRIu64
			       " MB, the limit for a compressed file of %" PRIu64 " KB",
			       most / MB, (compressed + 1023) / 1024);
}

bool archive_is_within(const struct archive_limits *limits, const struct archive_extent *extent,
		       char what[ARCHIVE_EXCESS_BYTES])
{
	if (extent->nr > limits->nr_max)
		(void)snprintf(what, ARCHIVE_EXCESS_BYTES, "more than %u files and folders",
			       limits->nr_max);
	else if (extent->depth > limits->depth_max)
		(void)snprintf(what, ARCHIVE_EXCESS_BYTES, "paths with more than %u folders",
			       limits->depth_max);
	else if (extent->nr_bytes > bytes_max(limits, extent->compressed))
		describe_bytes(limits, extent->compressed, what);
	else
		return true;
	return false;
}

/*
 * Returns whether the file at fd has a hole, as far as the file system reports holes. Keeps the
 * file's position.
 */
static bool has_hole(int fd, const struct stat *st)
{
	off_t position = lseek(fd, 0, SEEK_CUR), hole = lseek(fd, 0, SEEK_HOLE);

	(void)lseek(fd, position, SEEK_SET);
	return hole >= 0 && hole < st->st_size;
}

/*
 * Returns the compressed size for the limit by ratio. Holes in the file do not count. A file
 * without holes counts with its whole size, because its st_blocks may be too small: ZFS updates
 * st_blocks only seconds after the file was written.
 */
static uint64_t compressed_bytes(int fd, const struct stat *st)
{
	uint64_t on_disk = (uint64_t)st->st_blocks * 512, size = (uint64_t)st->st_size;

	return on_disk && on_disk < size && has_hole(fd, st) ? on_disk : size;
}

/* Reports that the archive exceeds a limit, such as "more than 5 files". */
static int refuse_size(const struct unpacking *unpacking, const char *what)
{
	return diag_set_at(unpacking->diag, -EFBIG, unpacking->path, 0,
			   "contains %s, reached at \"%.100s\": the archive may be an attack that "
			   "fills the disk; if you trust it, unpack it with tar, and give the "
			   "folder: archive:FOLDER",
			   what, unpacking->name);
}

static unsigned int depth_of(const char *name)
{
	unsigned int depth = 0;

	for (; *name; name++)
		depth += *name == '/';
	return depth;
}

static int check_limits(const struct unpacking *unpacking)
{
	char what[ARCHIVE_EXCESS_BYTES];

	if (archive_is_within(unpacking->limits, &unpacking->extent, what))
		return 0;
	return refuse_size(unpacking, what);
}

/* Reports that two entries have the same name, or that an entry's path leads through a file. */
static int refuse_second(const struct unpacking *unpacking, int error)
{
	return diag_set_at(unpacking->diag, -EILSEQ, unpacking->path, 0, "contains \"%.100s%s\" %s",
			   unpacking->name, strlen(unpacking->name) > 100 ? "..." : "",
			   error == -EEXIST ? "twice" : "below a file");
}

static int unwritable(const struct unpacking *unpacking, int error)
{
	if (error == -EISDIR) /* a file with a slash at its end */
		return archive_refuse_name(unpacking->path, unpacking->name, unpacking->diag);
	if (error == -EEXIST || error == -ENOTDIR)
		return refuse_second(unpacking, error);
	return diag_set_at(unpacking->diag, error, unpacking->folder, 0,
			   "cannot unpack the archive here: %s; set TMPDIR to a folder "
			   "with more room",
			   strerror(-error));
}

/*
 * Checks that nr_bytes can be written while some room stays free for other programs. Checks nothing
 * if the file system does not report its size: if such a file system is full, a write fails.
 */
static int check_room(const struct unpacking *unpacking, uint64_t nr_bytes)
{
	struct statvfs fs;
	uint64_t left;

	if (fstatvfs(unpacking->folder_fd, &fs) || !fs.f_blocks)
		return 0;
	left = fs.f_blocks * fs.f_frsize / ROOM_LEFT_PART;
	if (left > ROOM_LEFT_MAX)
		left = ROOM_LEFT_MAX;
	return fs.f_bavail * fs.f_frsize < left + nr_bytes ? unwritable(unpacking, -ENOSPC) : 0;
}

static int count_bytes(struct unpacking *unpacking, uint64_t nr_more)
{
	int error;

	unpacking->extent.nr_bytes += nr_more;
	error = check_limits(unpacking);
	return error ? error : check_room(unpacking, nr_more);
}

/*
 * Counts an entry of the archive, or a folder that was created for the path of an entry. An entry
 * is counted even if nothing is created for it.
 */
static int count_one(struct unpacking *unpacking)
{
	unpacking->extent.nr++;
	return count_bytes(unpacking, ARCHIVE_ENTRY_BYTES);
}

/* ---- the stream ---- */

/*
 * Waits for bytes of the stream, or its end. All waits count together, so that a child that sends
 * a little again and again cannot delay the report for ever. Time in which this process is stopped
 * (Ctrl-Z) does not count. Returns 0 or -ETIMEDOUT.
 */
static int wait_for_bytes(struct unpacking *unpacking)
{
	struct pollfd stream = {.fd = unpacking->stream, .events = POLLIN};
	uint64_t seconds = unpacking->limits->wait_seconds +
			   unpacking->extent.compressed / SLOW_BYTES_A_SECOND;

	while (unpacking->waited_ns < seconds * NS_PER_SECOND) {
		uint64_t began_ns = clock_monotonic_ns();
		int nr = poll(&stream, 1, (int)POLL_MS);
		uint64_t ns = clock_monotonic_ns() - began_ns;

		unpacking->waited_ns += ns < POLL_MS * 1000000 ? ns : POLL_MS * 1000000;
		if (nr > 0)
			return 0;
	}
	return diag_set_at(unpacking->diag, -ETIMEDOUT, unpacking->path, 0,
			   "cannot be unpacked: the report waited for more than %" PRIu64
			   " s in all for the process that reads it; if you trust the archive, "
			   "unpack it with tar, and give the folder: archive:FOLDER",
			   seconds);
}

/* Returns 0; -EPIPE: the stream ends; or an error of wait_for_bytes(). */
static int read_all(struct unpacking *unpacking, void *buf, size_t nr_bytes)
{
	char *next = buf;

	while (nr_bytes) {
		int error = wait_for_bytes(unpacking);
		ssize_t nr = error ? -1 : read(unpacking->stream, next, nr_bytes);

		if (error)
			return error;
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return -EPIPE;
		next += nr;
		nr_bytes -= (size_t)nr;
	}
	return 0;
}

/* Reports an item that only a faulty child sends. */
static int invalid(const struct unpacking *unpacking)
{
	return diag_set_at(unpacking->diag, -EILSEQ, unpacking->path, 0,
			   "is damaged: the process that read it sent an invalid answer");
}

/* ---- creating files ---- */

static int close_file(struct unpacking *unpacking)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, unpacking->mtime};
	int file = unpacking->file;

	if (file < 0)
		return 0;
	unpacking->file = -1;
	(void)futimens(file, times); /* if this fails, reports still work */
	return close(file) ? unwritable(unpacking, -errno) : 0;
}

/* Creates the missing folders on the path of unpacking->name. */
static int make_parents(struct unpacking *unpacking)
{
	char part[sizeof(unpacking->name)];
	int error = 0;

	memcpy(part, unpacking->name, sizeof(part));
	for (char *slash = part; !error && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (!mkdirat(unpacking->folder_fd, part, 0700))
			error = count_one(unpacking);
		else if (errno != EEXIST)
			error = unwritable(unpacking, -errno);
		*slash = '/';
	}
	return error;
}

/* Creates unpacking->name as a folder, which may exist. */
static int create_folder(struct unpacking *unpacking)
{
	struct stat st;

	if (!mkdirat(unpacking->folder_fd, unpacking->name, 0700))
		return 0;
	if (errno == EEXIST &&
	    !fstatat(unpacking->folder_fd, unpacking->name, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISDIR(st.st_mode))
		return 0;
	return -errno;
}

/* Creates unpacking->name as a file, which take_data() fills. */
static int create_file(struct unpacking *unpacking)
{
	unpacking->file = openat(unpacking->folder_fd, unpacking->name,
				 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return unpacking->file < 0 ? -errno : 0;
}

/* Creates the folders on the path only if the item cannot be created without them. */
static int create(struct unpacking *unpacking, const struct archive_item *item)
{
	int (*create_one)(struct unpacking *) =
		item->type == ARCHIVE_ITEM_FILE ? create_file : create_folder;
	int error = create_one(unpacking);

	if (error == -ENOENT) {
		error = make_parents(unpacking);
		if (error)
			return error;
		error = create_one(unpacking);
	}
	return error ? unwritable(unpacking, error) : 0;
}

static int take_name(struct unpacking *unpacking, const struct archive_item *item)
{
	int error = close_file(unpacking);

	if (error)
		return error;
	if (item->nr_bytes > ARCHIVE_NAME_BYTES_MAX)
		return invalid(unpacking);
	memset(unpacking->name, 0, sizeof(unpacking->name));
	error = read_all(unpacking, unpacking->name, item->nr_bytes);
	if (error)
		return error;
	if (strlen(unpacking->name) < item->nr_bytes)
		return invalid(unpacking);
	if (item->type == ARCHIVE_ITEM_OTHER || !archive_name_is_good(unpacking->name) ||
	    strlen(unpacking->folder) + 1 + item->nr_bytes >= PATH_MAX)
		return archive_refuse_name(unpacking->path, unpacking->name, unpacking->diag);
	unpacking->extent.depth = depth_of(unpacking->name);
	error = count_one(unpacking);
	if (error)
		return error;
	unpacking->mtime.tv_sec = item->mtime;
	unpacking->mtime.tv_nsec = item->mtime_ns < 1000000000 ? (long)item->mtime_ns : 0;
	return create(unpacking, item);
}

static int take_data(struct unpacking *unpacking, const struct archive_item *item)
{
	int error;

	if (!item->nr_bytes || item->nr_bytes > ARCHIVE_DATA_BYTES_MAX || unpacking->file < 0)
		return invalid(unpacking);
	error = read_all(unpacking, unpacking->bytes, item->nr_bytes);
	if (error)
		return error;
	error = count_bytes(unpacking, item->nr_bytes);
	if (error)
		return error;
	error = file_write_all(unpacking->file, unpacking->bytes, item->nr_bytes);
	return error ? unwritable(unpacking, error) : 0;
}

static int take_damaged(struct unpacking *unpacking, const struct archive_item *item)
{
	char text[ARCHIVE_TEXT_BYTES_MAX + 1] = "";
	int error;

	if (item->nr_bytes > ARCHIVE_TEXT_BYTES_MAX)
		return invalid(unpacking);
	error = read_all(unpacking, text, item->nr_bytes);
	return error ? error
		     : diag_set_at(unpacking->diag, -EILSEQ, unpacking->path, 0,
				   "is damaged, or not an archive: %s", text);
}

static int take_item(struct unpacking *unpacking, const struct archive_item *item)
{
	switch (item->type) {
	case ARCHIVE_ITEM_FOLDER:
	case ARCHIVE_ITEM_FILE:
	case ARCHIVE_ITEM_OTHER:
		return take_name(unpacking, item);
	case ARCHIVE_ITEM_DATA:
		return take_data(unpacking, item);
	case ARCHIVE_ITEM_DAMAGED:
		return take_damaged(unpacking, item);
	case ARCHIVE_ITEM_END:
		return close_file(unpacking);
	default:
		return invalid(unpacking);
	}
}

static int take_items(struct unpacking *unpacking)
{
	struct archive_item item = {0};
	int error = check_room(unpacking, unpacking->extent.compressed);

	do {
		if (!error)
			error = read_all(unpacking, &item, sizeof(item));
		if (!error)
			error = take_item(unpacking, &item);
	} while (!error && item.type != ARCHIVE_ITEM_END);
	return error;
}

int archive_unpack_stream(int stream, uint64_t nr_bytes, const char *path, const char *folder,
			  const struct archive_limits *limits, struct diag *diag)
{
	struct unpacking *unpacking = calloc(1, sizeof(*unpacking));
	int error;

	if (!unpacking)
		return diag_set(diag, -ENOMEM, "out of memory");
	*unpacking = (struct unpacking){.path = path,
					.folder = folder,
					.limits = limits,
					.diag = diag,
					.stream = stream,
					.file = -1,
					.extent.compressed = nr_bytes};
	unpacking->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	error = unpacking->folder_fd < 0 ? unwritable(unpacking, -errno) : take_items(unpacking);
	if (unpacking->file >= 0)
		(void)close(unpacking->file);
	if (unpacking->folder_fd >= 0)
		(void)close(unpacking->folder_fd);
	free(unpacking);
	return error;
}

/* ---- the child ---- */

static struct confine_limits child_limits(const struct archive_limits *limits, uint64_t compressed)
{
	uint64_t seconds = bytes_max(limits, compressed) / BYTES_A_SECOND;

	return (struct confine_limits){
		.max_seconds = limits->seconds_base + (unsigned int)seconds,
		.max_bytes = limits->memory_bytes,
	};
}

/*
 * Names in archives may be stored as UTF-8. In the C locale, libarchive would convert them by
 * iconv(), which opens files, and also calls getcwd() if GCONV_PATH is set. A confined process is
 * not allowed to do either.
 */
static void prepare_names(void)
{
	(void)unsetenv("GCONV_PATH");
	(void)setlocale(LC_CTYPE, "C.UTF-8"); /* if missing, only ASCII names are read */
}

/* Main function of the child. The exit status is 0, or the errno of an error. */
static void __attribute__((noreturn))
child_main(int fd, int to, const struct confine_limits *confinement)
{
	int error;

	/* confine_process() replaces the descriptors 0 to 2. */
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	to = fcntl(to, F_DUPFD_CLOEXEC, fd + 1);
	if (fd < 0 || to < 0)
		_exit(errno & 0xff);
	prepare_names();
	error = confine_process(confinement, CONFINE_DESCRIPTORS, fd, to);
	if (!error)
		error = archive_stream_write(fd, to);
	_exit(-error & 0xff);
}

/* Starts the child. Returns the read end of its stream or -errno. */
static int child_begin(int fd, const struct confine_limits *confinement, pid_t *pid)
{
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	/* If the kernel refuses this size, the stream is only slower. */
	(void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	confine_prepare();
	*pid = fork();
	if (!*pid)
		child_main(fd, ends[1], confinement);
	if (*pid < 0) {
		error = -errno;
		(void)close(ends[0]);
		ends[0] = error;
	}
	(void)close(ends[1]);
	return ends[0];
}

/* How the child ended. */
struct child_end {
	int status; /* of wait() */
	struct rusage usage;
};

/* Waits up to END_MS for the child to end. Returns whether the child has ended and was reaped. */
static bool wait_for_end(pid_t pid, struct child_end *end)
{
	const struct timespec tick = {.tv_nsec = 10 * 1000000};

	for (int ms = 0; ms < END_MS; ms += 10) {
		if (wait4(pid, &end->status, WNOHANG, &end->usage) == pid)
			return true;
		(void)nanosleep(&tick, NULL);
	}
	return false;
}

/*
 * Kills the child. Does not wait for a child that hangs in a file system: SIGKILL ends this child
 * later, when the file system answers.
 */
static void end_child(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)child_wait_ended(pid, NULL);
}

/* Returns whether the child has used up its limit of CPU time. */
static bool time_is_used_up(const struct child_end *end, const struct confine_limits *confinement)
{
	const struct rusage *usage = &end->usage;
	uint64_t us = (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
		      (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);

	/*
	 * For the limit, the kernel counts whole ticks, which may be more than the CPU time in
	 * `usage`. So three quarters of the limit are enough.
	 */
	return us >= confine_cpu_seconds(confinement) * UINT64_C(750000);
}

static int explain_signal(const struct child_end *end, const struct confine_limits *confinement,
			  const char *path, struct diag *diag)
{
	int number = WTERMSIG(end->status);

	if (number == SIGXCPU || (number == SIGKILL && time_is_used_up(end, confinement)))
		return diag_set_at(diag, -EFBIG, path, 0,
				   "unpacking took more than %u s of CPU (SIG%s); if you trust the "
				   "archive, unpack it with tar, and give the folder: "
				   "archive:FOLDER",
				   confine_cpu_seconds(confinement), sigabbrev_np(number));
	if (number == SIGKILL)
		return diag_set_at(diag, -EIO, path, 0,
				   "cannot be unpacked: the process that read it was killed by "
				   "SIGKILL (the machine may be out of memory)");
	if (number == SIGSYS)
		return diag_set_at(
			diag, -EILSEQ, path, 0,
			"the process that unpacked it was stopped, because it made a forbidden "
			"system call (SIGSYS): the archive may be an attack");
	return diag_set_at(diag, -EILSEQ, path, 0,
			   "the process that unpacked it ended by SIG%s: the archive may be "
			   "damaged",
			   sigabbrev_np(number) ? sigabbrev_np(number) : "?");
}

/* Reports why the stream ended early. */
static int explain(const struct child_end *end, const struct confine_limits *confinement,
		   const char *path, struct diag *diag)
{
	int status = end->status;

	if (WIFSIGNALED(status))
		return explain_signal(end, confinement, path, diag);
	if (WEXITSTATUS(status) == ENOMEM)
		return diag_set_at(diag, -ENOMEM, path, 0,
				   "unpacking needs more than %zu MB of memory: the archive may be "
				   "damaged",
				   confinement->max_bytes >> 20);
	if (WEXITSTATUS(status))
		return diag_set_at(diag, -WEXITSTATUS(status), path, 0, "cannot be unpacked: %s",
				   strerror(WEXITSTATUS(status)));
	return diag_set_at(diag, -EILSEQ, path, 0,
			   "is damaged: the process that unpacked it ended early");
}

int archive_unpack(int fd, const char *path, const char *folder,
		   const struct archive_limits *limits, struct diag *diag)
{
	struct confine_limits confinement;
	struct stat st;
	struct child_end end = {.status = 0};
	uint64_t compressed;
	int stream, error;
	pid_t pid = -1;

	if (fstat(fd, &st))
		return diag_set_at(diag, -errno, path, 0, "cannot be read: %s", strerror(errno));
	compressed = compressed_bytes(fd, &st);
	confinement = child_limits(limits, compressed);
	stream = child_begin(fd, &confinement, &pid);
	if (stream < 0)
		return diag_set(diag, stream, "cannot start the process that unpacks %s: %s", path,
				strerror(-stream));
	error = archive_unpack_stream(stream, compressed, path, folder, limits, diag);
	(void)close(stream);
	if (error == -EPIPE && wait_for_end(pid, &end))
		return explain(&end, &confinement, path, diag);
	/* A child that the archive has taken over may never end by itself. */
	end_child(pid);
	return error == -EPIPE ? explain(&end, &confinement, path, diag) : error;
}
