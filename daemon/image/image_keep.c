// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/image_keep.h"

#include "lib/clock.h"
#include "lib/log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEVER UINT64_MAX
/*
 * An image that was found by its path is requested again after this pause, in case its file was
 * deleted or replaced.
 */
#define AGAIN_THERE_NS UINT64_C(30000000000)
/*
 * If all processes of an image ended before the file was opened, the image is requested again after
 * this pause. The pause doubles each time.
 */
#define AGAIN_GONE_NS  UINT64_C(10000000)
#define GONE_DOUBLINGS 12u /* up to about 40 s */
/* Pause after a request could not be sent. */
#define AGAIN_UNSENT_NS UINT64_C(1000000000)
/*
 * HANG_NS: a keeper that does not answer for this long is considered to hang. RESTART_NS: minimum
 * time between two starts of a keeper.
 */
#define HANG_NS	   UINT64_C(10000000000)
#define RESTART_NS UINT64_C(10000000000)
#define END_MS	   2000

void image_keep_init(struct image_keep *keep, struct image_table *images, const char *proc_path)
{
	*keep = (struct image_keep){
		.images = images,
		.proc_path = proc_path,
		.fd = -1,
		.bytes_max = KEEPER_SESSION_BYTES_MAX,
	};
}

/* Maps the memory that is shared with the keeper. Returns NULL if out of memory. */
static uint32_t *opening_map(void)
{
	void *page = mmap(NULL, sizeof(uint32_t), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

void image_keep_start(struct image_keep *keep)
{
	int error = 0;

	if (!keep->opening)
		keep->opening = opening_map();
	if (!keep->opening)
		error = -ENOMEM;
	else
		error = image_keeper_start(keep->proc_path, keep->opening, &keep->fd, &keep->pid);
	keep->started_ns = clock_monotonic_ns();
	keep->nr_waiting = 0;
	keep->nr_tables = 0;
	if (!error)
		return;
	keep->fd = -1;
	log_warning("cannot start the process that keeps symbols: %s; binaries in containers and "
		    "deleted binaries will have no symbols",
		    strerror(-error));
}

/*
 * Ends the keeper. Does not wait for ever: a keeper that hangs in a file system may not even react
 * to SIGKILL.
 */
static void keeper_end(struct image_keep *keep)
{
	(void)close(keep->fd);
	keep->fd = -1;
	(void)kill(keep->pid, SIGKILL);
	for (int i = 0; i < 100 && waitpid(keep->pid, NULL, WNOHANG) == 0; i++)
		(void)poll(NULL, 0, 1);
	keep->nr_waiting = 0;
	keep->nr_tables = 0;
}

/* ---- requests ---- */

void image_keep_folder(struct image_keep *keep, const char *meta_path)
{
	struct stat st;
	char *copy;

	if (stat(meta_path, &st) ||
	    (keep->meta_path && st.st_dev == keep->folder_dev && st.st_ino == keep->folder_inode))
		return;
	copy = strdup(meta_path);
	if (!copy)
		return;
	free(keep->meta_path);
	keep->meta_path = copy;
	keep->folder_dev = st.st_dev;
	keep->folder_inode = st.st_ino;
	keep->folder++;
	keep->write_error_told = false;
	image_table_keep_again(keep->images);
}

/* Fills request. folder: where the keeper puts the result. Returns false if paths are too long. */
static bool request_fill(const struct image_keep *keep, const struct image_entry *entry,
			 const int32_t *pids, const char *folder, struct keeper_request *request,
			 size_t *nr_bytes)
{
	size_t nr_path = strlen(entry->image.path) + 1;
	size_t nr_meta = strlen(folder) + 1;

	if (nr_path + nr_meta > sizeof(request->text))
		return false;
	request->cookie = entry->image.cookie;
	request->folder = keep->folder;
	memcpy(request->pids, pids, sizeof(request->pids));
	request->reserved = 0;
	request->bytes_max = keep->bytes_max;
	request->identity = entry->image.identity;
	request->meta_path = (uint32_t)nr_path;
	memcpy(request->text, entry->image.path, nr_path);
	memcpy(request->text + nr_path, folder, nr_meta);
	*nr_bytes = offsetof(struct keeper_request, text) + nr_path + nr_meta;
	return true;
}

/* Sends the request, with fd unless it is -1. Returns false if the keeper is busy or has ended. */
static bool request_send(int socket, struct keeper_request *request, size_t nr_bytes, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(fd))];
		struct cmsghdr align;
	} control = {.bytes = {0}};
	struct iovec iov = {.iov_base = request, .iov_len = nr_bytes};
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
	return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

void image_keep_want(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
		     uint64_t address, int fd, uint64_t now_ns)
{
	static struct keeper_request request;
	size_t nr_bytes;

	/* If the keeper does not answer within HANG_NS, the image is requested again. */
	entry->keep_due_ns = now_ns + HANG_NS;
	/*
	 * The images of a recording are not kept: reports find them by their paths or not at all.
	 */
	if (!keep->started_ns || !keep->meta_path || (keep->code && keep->code->recorded) ||
	    !request_fill(keep, entry, pids, keep->meta_path, &request, &nr_bytes)) {
		entry->keep_due_ns = NEVER;
		return;
	}
	request.work = KEEPER_SYMBOLS;
	request.address = address;
	if (keep->fd < 0 || !request_send(keep->fd, &request, nr_bytes, fd)) {
		entry->keep_due_ns = now_ns + AGAIN_UNSENT_NS;
		return;
	}
	if (!keep->nr_waiting++)
		keep->answered_ns = clock_monotonic_ns();
}

/* Sends the request, or schedules another try. */
static void code_send(struct image_keep *keep, struct image_entry *entry,
		      struct keeper_request *request, size_t nr_bytes, int fd, uint64_t now_ns)
{
	entry->code_due_ns = now_ns + HANG_NS;
	if (keep->fd < 0 || !request_send(keep->fd, request, nr_bytes, fd)) {
		entry->code_due_ns =
			keep->fd < 0 && keep->code->recorded ? NEVER : now_ns + AGAIN_UNSENT_NS;
		return;
	}
	entry->code_asked = true;
	keep->nr_tables++;
	if (!keep->nr_waiting++)
		keep->answered_ns = clock_monotonic_ns();
}

void image_keep_want_code(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
			  uint64_t address, int fd, uint64_t now_ns)
{
	static struct keeper_request request;
	const char *folder;
	size_t nr_bytes;

	if (image_code_find(keep->code, entry))
		return;
	folder = keep->code->path && !entry->code_in_memory ? keep->code->path : "";
	if (!keep->started_ns || !image_tell(entry) ||
	    !request_fill(keep, entry, pids, folder, &request, &nr_bytes)) {
		entry->code_due_ns = NEVER;
		return;
	}
	request.work = KEEPER_TABLE;
	request.address = address;
	code_send(keep, entry, &request, nr_bytes, fd, now_ns);
}

/* ---- answers ---- */

static void note_missing(struct image_keep *keep, struct image_entry *entry)
{
	keep->counters.wanted += !entry->keep_missing;
	entry->keep_missing = true;
}

static void note_gone(struct image_keep *keep, struct image_entry *entry, uint64_t now_ns)
{
	note_missing(keep, entry);
	entry->keep_due_ns = now_ns + (AGAIN_GONE_NS << entry->keep_tries);
	if (entry->keep_tries < GONE_DOUBLINGS)
		entry->keep_tries++;
}

static void note_settled(struct image_keep *keep, struct image_entry *entry, uint64_t *counter)
{
	note_missing(keep, entry);
	++*counter;
	entry->keep_due_ns = NEVER;
}

static void note_failed(struct image_keep *keep, struct image_entry *entry, int error)
{
	note_settled(keep, entry, &keep->counters.failed);
	if (!keep->write_error_told)
		log_error("cannot store the symbols of %s in the session: %s", entry->image.path,
			  strerror(-error));
	keep->write_error_told = true;
}

static void take(struct image_keep *keep, const struct keeper_answer *answer, uint64_t now_ns)
{
	struct image_entry *entry = image_table_entry(keep->images, answer->cookie);

	/* If the image was requested twice, the second answer is ignored. */
	if (!entry || answer->folder != keep->folder || entry->keep_due_ns == NEVER)
		return;
	switch ((enum keeper_result)answer->result) {
	case KEEPER_THERE:
		entry->keep_due_ns = now_ns + AGAIN_THERE_NS;
		entry->keep_tries = 0;
		return;
	case KEEPER_KEPT:
		note_settled(keep, entry, &keep->counters.kept);
		return;
	case KEEPER_GONE:
		note_gone(keep, entry, now_ns);
		return;
	case KEEPER_TOO_BIG:
		note_settled(keep, entry, &keep->counters.too_big);
		return;
	case KEEPER_FULL:
		note_settled(keep, entry, &keep->counters.full);
		return;
	case KEEPER_NONE:
	case KEEPER_UNREADABLE:
		note_settled(keep, entry, &keep->counters.unreadable);
		return;
	case KEEPER_FAILED:
		note_failed(keep, entry, answer->error);
		return;
	}
}

static void take_table(struct image_keep *keep, const struct keeper_answer *answer, int fd,
		       uint64_t now_ns)
{
	struct image_entry *entry = image_table_entry(keep->images, answer->cookie);

	if (keep->nr_tables)
		keep->nr_tables--;
	/* The image may have been released since the request. */
	if (entry && keep->code)
		image_code_take(keep->code, entry, answer, fd, now_ns);
}

/*
 * Receives an answer. Returns the result of recvmsg(). *fd: the descriptor that came with the
 * answer, or -1.
 */
static ssize_t answer_receive(int socket, struct keeper_answer *answer, int *fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {.iov_base = answer, .iov_len = sizeof(*answer)};
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		/* Do not use CMSG_SPACE: it might leave room for a second descriptor. */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	ssize_t nr = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *head = nr < 0 ? NULL : CMSG_FIRSTHDR(&message);

	*fd = -1;
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	return nr;
}

/* Handles all answers that have arrived. Returns false if the keeper has ended or failed. */
static bool take_answers(struct image_keep *keep, uint64_t now_ns)
{
	struct keeper_answer answer;
	ssize_t nr;
	int fd;

	while ((nr = answer_receive(keep->fd, &answer, &fd)) > 0) {
		if (keep->nr_waiting)
			keep->nr_waiting--;
		keep->answered_ns = now_ns;
		if (nr == (ssize_t)sizeof(answer) && answer.work == KEEPER_TABLE)
			take_table(keep, &answer, fd, now_ns);
		else if (nr == (ssize_t)sizeof(answer))
			take(keep, &answer, now_ns);
		if (fd >= 0)
			(void)close(fd);
	}
	return nr < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Call when the keeper hangs: the image that it is opening is not requested again. */
static void note_hung(struct image_keep *keep)
{
	uint32_t cookie = __atomic_exchange_n(keep->opening, 0, __ATOMIC_RELAXED);
	struct image_entry *entry = image_table_entry(keep->images, cookie);

	if (!entry)
		return;
	log_warning("cannot read %s: its file system does not respond", entry->image.path);
	note_settled(keep, entry, &keep->counters.failed);
}

void image_keep_tend(struct image_keep *keep, uint64_t now_ns)
{
	if (!keep->started_ns)
		return;
	if (keep->fd < 0) {
		if (now_ns >= keep->started_ns + RESTART_NS)
			image_keep_start(keep);
		return;
	}
	if (take_answers(keep, now_ns) &&
	    (!keep->nr_waiting || now_ns < keep->answered_ns + HANG_NS))
		return;
	keeper_end(keep);
	keep->counters.restarts++;
	note_hung(keep);
}

void image_keep_wait_code(struct image_keep *keep, int timeout_ms)
{
	uint64_t end_ns = clock_monotonic_ns() + UINT64_C(1000000) * (unsigned int)timeout_ms;
	struct pollfd fd = {.fd = keep->fd, .events = POLLIN};

	while (keep->fd >= 0 && keep->nr_tables) {
		uint64_t now_ns = clock_monotonic_ns();

		if (now_ns >= end_ns)
			return;
		switch (poll(&fd, 1, (int)((end_ns - now_ns) / 1000000) + 1)) {
		case -1: /* a signal interrupted poll(): do not wait */
			return;
		case 0:
			break;
		default:
			if (!take_answers(keep, clock_monotonic_ns()))
				return;
		}
	}
}

void image_keep_deinit(struct image_keep *keep)
{
	uint64_t end_ns = clock_monotonic_ns() + UINT64_C(1000000) * END_MS;
	struct pollfd fd = {.fd = keep->fd, .events = POLLIN};

	while (keep->fd >= 0 && keep->nr_waiting && clock_monotonic_ns() < end_ns) {
		if (poll(&fd, 1, END_MS / 10) > 0 && !take_answers(keep, clock_monotonic_ns()))
			break;
	}
	if (keep->fd >= 0)
		keeper_end(keep);
	if (keep->opening)
		(void)munmap(keep->opening, sizeof(*keep->opening));
	keep->opening = NULL;
	free(keep->meta_path);
	keep->meta_path = NULL;
}
