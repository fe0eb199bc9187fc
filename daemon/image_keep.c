// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image_keep.h"

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
#include <time.h>
#include <unistd.h>

#define NEVER UINT64_MAX
/* Found by its path: it may be deleted or replaced while it runs. */
#define AGAIN_THERE_NS UINT64_C(30000000000)
/* Gone before it was opened: the first pause, doubled each time. */
#define AGAIN_GONE_NS  UINT64_C(10000000)
#define GONE_DOUBLINGS 12u /* to some 40 s */
/* Not sent, or sent to a keeper that ended. */
#define AGAIN_UNSENT_NS UINT64_C(1000000000)
/* A keeper that answers nothing for so long hangs; so long between two. */
#define HANG_NS	   UINT64_C(10000000000)
#define RESTART_NS UINT64_C(10000000000)
#define END_MS	   2000

static uint64_t clock_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void image_keep_init(struct image_keep *keep, struct image_table *images, const char *proc_path)
{
	*keep = (struct image_keep){
		.images = images,
		.proc_path = proc_path,
		.fd = -1,
		.bytes_max = KEEPER_SESSION_BYTES_MAX,
	};
}

/* NULL: no memory. */
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
	keep->started_ns = clock_now_ns();
	keep->nr_waiting = 0;
	if (!error)
		return;
	keep->fd = -1;
	log_warning("binaries in containers, and deleted ones, go without symbols: %s",
		    strerror(-error));
}

/* One that hangs in a file system may not even be killed: leave it, then. */
static void keeper_end(struct image_keep *keep)
{
	(void)close(keep->fd);
	keep->fd = -1;
	(void)kill(keep->pid, SIGKILL);
	for (int i = 0; i < 100 && waitpid(keep->pid, NULL, WNOHANG) == 0; i++)
		(void)poll(NULL, 0, 1);
	keep->nr_waiting = 0;
}

/* ---- what is asked ---- */

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

static bool request_fill(const struct image_keep *keep, const struct image_entry *entry,
			 const int32_t *pids, uint64_t address, struct keeper_request *request,
			 size_t *nr_bytes)
{
	size_t nr_path = strlen(entry->image.path) + 1;
	size_t nr_meta = strlen(keep->meta_path) + 1;

	if (nr_path + nr_meta > sizeof(request->text))
		return false;
	request->cookie = entry->image.cookie;
	request->folder = keep->folder;
	memcpy(request->pids, pids, sizeof(request->pids));
	request->address = address;
	request->bytes_max = keep->bytes_max;
	request->identity = entry->image.identity;
	request->meta_path = (uint32_t)nr_path;
	memcpy(request->text, entry->image.path, nr_path);
	memcpy(request->text + nr_path, keep->meta_path, nr_meta);
	*nr_bytes = offsetof(struct keeper_request, text) + nr_path + nr_meta;
	return true;
}

void image_keep_want(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
		     uint64_t address, uint64_t now_ns)
{
	static struct keeper_request request;
	size_t nr_bytes;

	/* Until it answers; again should it never do. */
	entry->keep_due_ns = now_ns + HANG_NS;
	if (!keep->started_ns || !keep->meta_path ||
	    !request_fill(keep, entry, pids, address, &request, &nr_bytes)) {
		entry->keep_due_ns = NEVER;
		return;
	}
	if (keep->fd < 0 || send(keep->fd, &request, nr_bytes, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		entry->keep_due_ns = now_ns + AGAIN_UNSENT_NS;
		return;
	}
	if (!keep->nr_waiting++)
		keep->answered_ns = clock_now_ns();
}

/* ---- what was answered ---- */

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
		log_error("cannot keep the symbols of %s in the session: %s", entry->image.path,
			  strerror(-error));
	keep->write_error_told = true;
}

static void take(struct image_keep *keep, const struct keeper_answer *answer, uint64_t now_ns)
{
	struct image_entry *entry = image_table_entry(keep->images, answer->cookie);

	if (!entry || answer->folder != keep->folder)
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
	case KEEPER_UNREADABLE:
		note_settled(keep, entry, &keep->counters.unreadable);
		return;
	case KEEPER_FAILED:
		note_failed(keep, entry, answer->error);
		return;
	}
}

/* False: the keeper has ended. */
static bool take_answers(struct image_keep *keep, uint64_t now_ns)
{
	struct keeper_answer answer;
	ssize_t nr;

	while ((nr = recv(keep->fd, &answer, sizeof(answer), MSG_DONTWAIT)) > 0) {
		if (keep->nr_waiting)
			keep->nr_waiting--;
		keep->answered_ns = now_ns;
		if (nr == (ssize_t)sizeof(answer))
			take(keep, &answer, now_ns);
	}
	return nr < 0 && (errno == EAGAIN || errno == EINTR);
}

/* What the keeper did not come back from is not asked for again. */
static void note_hung(struct image_keep *keep)
{
	uint32_t cookie = __atomic_exchange_n(keep->opening, 0, __ATOMIC_RELAXED);
	struct image_entry *entry = image_table_entry(keep->images, cookie);

	if (!entry)
		return;
	log_warning("%s cannot be looked at: its file system hangs", entry->image.path);
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

void image_keep_deinit(struct image_keep *keep)
{
	uint64_t end_ns = clock_now_ns() + UINT64_C(1000000) * END_MS;
	struct pollfd fd = {.fd = keep->fd, .events = POLLIN};

	while (keep->fd >= 0 && keep->nr_waiting && clock_now_ns() < end_ns) {
		if (poll(&fd, 1, END_MS / 10) > 0 && !take_answers(keep, clock_now_ns()))
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
