// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/file_opener.h"

#include "lib/children.h"
#include "lib/confine.h"
#include "lib/file.h"
#include "pp/symbols/debug_file.h"
#include "pp/symbols/symbol_image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void file_opener_init(struct file_opener *opener, const struct symbol_request *request, int socket)
{
	*opener = (struct file_opener){.request = request, .socket = socket};
	for (unsigned int i = 0; i < FILE_OPENER_OWN_MAX; i++)
		opener->ready[i] = (struct file_ready){.query.kind = NR_FILE_KINDS, .fd = -1};
}

void file_opener_deinit(struct file_opener *opener)
{
	free(opener->opened.image);
	free(opener->opened.debug);
	opener->opened = (struct file_opened){.image = NULL};
	for (unsigned int i = 0; i < FILE_OPENER_OWN_MAX; i++) {
		if (opener->ready[i].fd >= 0)
			(void)close(opener->ready[i].fd);
		free(opener->ready[i].path);
		opener->ready[i] = (struct file_ready){.query.kind = NR_FILE_KINDS, .fd = -1};
	}
}

/* ---- opening ---- */

bool file_opener_accepts(int fd)
{
	unsigned char head[EI_NIDENT + 2] = {0}; /* e_ident and the two bytes of e_type */
	struct stat st;

	if (fstat(fd, &st) || st.st_size < SELFMAG ||
	    file_pread_all(fd, head, sizeof(head), 0) < SELFMAG ||
	    memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;
	/*
	 * Refuse a core dump in either byte order, because a reader might not use the byte order
	 * that the file states.
	 */
	return !(head[EI_NIDENT] == ET_CORE && !head[EI_NIDENT + 1]) &&
	       !(head[EI_NIDENT + 1] == ET_CORE && !head[EI_NIDENT]);
}

static char **opened_as(struct file_opened *opened, enum file_kind kind)
{
	switch (kind) {
	case FILE_IMAGE_FOLDER:
	case FILE_IMAGE_PATH:
	case FILE_IMAGE_KEPT:
	case FILE_IMAGE_BUILD_ID:
	case FILE_KERNEL_DEBUG:
	case FILE_KERNEL_PLACE:
		return &opened->image;
	case FILE_DEBUG_FETCHED:
	case FILE_DEBUG_BUILD_ID:
	case FILE_LINK_BESIDE:
	case FILE_LINK_DEBUG:
	case FILE_LINK_BELOW:
		return &opened->debug;
	default:
		return NULL;
	}
}

/* Stores the path of an image or debug file that was opened. Other places are relative to it. */
static int note_opened(struct file_opened *opened, enum file_kind kind, const char *path)
{
	char **as = opened_as(opened, kind);
	char *copy = as ? strdup(path) : NULL;

	if (!as)
		return 0;
	if (!copy)
		return -ENOMEM;
	free(*as);
	*as = copy;
	return 0;
}

static int open_here(struct file_opener *opener, const struct file_query *query, const char *text,
		     char **path)
{
	int error = file_place(opener->request, &opener->opened, query, text, path);
	int fd;

	if (error)
		return error;
	fd = debug_file_open_below(opener->request->search->root, *path);
	if (fd < 0)
		return fd;
	error = file_opener_accepts(fd) ? note_opened(&opener->opened, query->kind, *path)
					: -EBADMSG;
	if (!error)
		return fd;
	(void)close(fd);
	return error;
}

/* Like file_opener_open_first(). */
static int open_first_here(struct file_opener *opener, const struct file_query *queries,
			   unsigned int nr, const char *text, unsigned int *place, char **path)
{
	bool refused = false;
	int fd = -ENOENT;

	for (unsigned int i = 0; i < nr; i++) {
		free(*path);
		fd = open_here(opener, &queries[i], text, path);
		*place = i;
		if (fd >= 0 || fd == -ENOMEM)
			return fd;
		refused |= fd == -EBADMSG;
	}
	return refused ? -EBADMSG : fd;
}

/* ---- places that depend on the request only ---- */

/* Lists the own places. Returns their number. */
static unsigned int own_places(const struct symbol_request *request,
			       struct file_query queries[FILE_OPENER_OWN_MAX])
{
	const struct buildid id = symbol_request_build_id(request);

	if (request->kind != OPROF_IMAGE_FILE && request->kind != OPROF_IMAGE_VDSO)
		return 0;
	queries[0] = (struct file_query){
		.kind = request->kind == OPROF_IMAGE_VDSO ? FILE_IMAGE_KEPT : FILE_IMAGE_PATH};
	queries[1] = (struct file_query){.kind = FILE_DEBUG_BUILD_ID, .id = id};
	return id.nr_bytes ? 2 : 1;
}

void file_opener_open_own(struct file_opener *opener)
{
	struct file_query queries[FILE_OPENER_OWN_MAX];
	const unsigned int nr = own_places(opener->request, queries);

	for (unsigned int i = 0; i < nr; i++) {
		opener->ready[i].query = queries[i];
		opener->ready[i].fd = open_here(opener, &queries[i], "", &opener->ready[i].path);
	}
}

/*
 * Called in the opener. Stores the paths of the own places whose files the helper has taken,
 * because other places are relative to these paths. `taken` selects only own places, so the helper
 * cannot choose a path.
 */
static void note_taken(struct file_opener *opener, uint32_t taken)
{
	struct file_query queries[FILE_OPENER_OWN_MAX];
	const unsigned int nr = own_places(opener->request, queries);
	char *path;

	for (unsigned int i = 0; i < nr; i++) {
		if (!(taken & 1u << i))
			continue;
		if (!file_place(opener->request, &opener->opened, &queries[i], "", &path))
			(void)note_opened(&opener->opened, queries[i].kind, path);
		free(path);
	}
}

static bool queries_equal(const struct file_query *a, const struct file_query *b)
{
	return a->kind == b->kind && a->index == b->index && a->id.nr_bytes == b->id.nr_bytes &&
	       !memcmp(a->id.bytes, b->id.bytes, a->id.nr_bytes);
}

/*
 * Looks for the place among the files that the helper opened in advance. If found, stores the
 * descriptor or the error in *fd, and removes the entry. Returns false if the place must be
 * requested from the opener.
 */
static bool take_ready(struct file_opener *opener, const struct file_query *query, int *fd,
		       char **path)
{
	for (unsigned int i = 0; i < FILE_OPENER_OWN_MAX; i++) {
		struct file_ready *ready = &opener->ready[i];

		if (query->kind == NR_FILE_KINDS || !queries_equal(&ready->query, query))
			continue;
		free(*path);
		*fd = ready->fd;
		*path = ready->path;
		if (*fd >= 0 && note_opened(&opener->opened, query->kind, *path)) {
			(void)close(*fd);
			*fd = -ENOMEM;
		}
		opener->taken |= (uint32_t)(*fd >= 0) << i;
		*ready = (struct file_ready){.query.kind = NR_FILE_KINDS, .fd = -1};
		return true;
	}
	return false;
}

/* ---- packets ---- */

#define FDS_MAX 2u

union control {
	char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	struct cmsghdr align;
};

static void close_all(int *fds, unsigned int nr_fds)
{
	for (unsigned int i = 0; i < nr_fds; i++) {
		if (fds[i] >= 0)
			(void)close(fds[i]);
		fds[i] = -1;
	}
}

/*
 * Receives a packet that may have up to nr_fds descriptors (at most FDS_MAX). Returns the packet's
 * size or -errno. fds[i] is -1 if the packet has no such descriptor. If it has more than nr_fds
 * descriptors, closes all of them.
 */
static ssize_t receive(int socket, void *packet, size_t nr_bytes, int *fds, unsigned int nr_fds)
{
	union control control = {.bytes = {0}};
	struct iovec iov = {.iov_base = packet, .iov_len = nr_bytes};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 /* CMSG_SPACE() might leave room for one more descriptor. */
				 .msg_controllen = CMSG_LEN(nr_fds * sizeof(int))};
	const struct cmsghdr *head;
	ssize_t nr;

	for (unsigned int i = 0; i < nr_fds; i++)
		fds[i] = -1;
	do
		nr = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (nr < 0 && errno == EINTR);
	if (nr < 0)
		return -errno;
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len <= CMSG_LEN(nr_fds * sizeof(int)))
		memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	if (message.msg_flags & MSG_CTRUNC)
		close_all(fds, nr_fds);
	return nr;
}

/* Sends a packet with nr_fds descriptors. Returns its size, or -1 with errno. */
static ssize_t send_packet(int socket, const void *packet, size_t nr_bytes, const int *fds,
			   unsigned int nr_fds)
{
	union control control = {.bytes = {0}};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)packet, .iov_len = nr_bytes};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t nr;

	if (nr_fds) {
		struct cmsghdr *head;

		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(head), fds, nr_fds * sizeof(int));
	}
	do
		nr = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (nr < 0 && errno == EINTR);
	return nr;
}

/* Returns whether a packet of nr_bytes, whose text begins at this offset, ends with a NUL. */
static bool is_whole(const void *packet, ssize_t nr_bytes, size_t text_offset)
{
	const char *bytes = packet;

	return nr_bytes > (ssize_t)text_offset &&
	       strnlen(bytes + text_offset, (size_t)nr_bytes - text_offset) ==
		       (size_t)nr_bytes - text_offset - 1;
}

/* Returns false if the helper cannot be answered. */
static bool send_answer(int socket, struct file_opener_answer *answer, int fd)
{
	const size_t nr = offsetof(struct file_opener_answer, path) + strlen(answer->path) + 1;

	if (send_packet(socket, answer, nr, &fd, fd >= 0) >= 0)
		return true;
	/*
	 * The kernel may refuse the descriptor, because too many descriptors were sent and not yet
	 * received (ETOOMANYREFS). Then send the error instead.
	 */
	answer->error = -errno;
	return fd >= 0 && send_packet(socket, answer, nr, NULL, 0) >= 0;
}

/* ---- the opener ---- */

/* Returns whether the places of a packet are valid. */
static bool take_places(const struct file_opener_query *packet,
			struct file_query queries[FILE_OPENER_PLACES_MAX])
{
	if (packet->version != FILE_OPENER_VERSION || !packet->nr_places ||
	    packet->nr_places > FILE_OPENER_PLACES_MAX)
		return false;
	for (unsigned int i = 0; i < packet->nr_places; i++) {
		const struct file_opener_place *place = &packet->places[i];

		if (place->kind >= NR_FILE_KINDS)
			return false;
		queries[i] = (struct file_query){.kind = (enum file_kind)place->kind,
						 .index = place->index,
						 .id = place->id};
	}
	return true;
}

/* Fills the answer to a packet of nr_bytes. Returns the descriptor, or -1. */
static int answer_query(struct file_opener *opener, const struct file_opener_query *packet,
			ssize_t nr_bytes, struct file_opener_answer *answer)
{
	struct file_query queries[FILE_OPENER_PLACES_MAX];
	unsigned int place = 0;
	char *path = NULL;
	int fd = -EINVAL;

	answer->path[0] = '\0';
	if (is_whole(packet, nr_bytes, offsetof(struct file_opener_query, text)) &&
	    take_places(packet, queries)) {
		note_taken(opener, packet->taken);
		fd = open_first_here(opener, queries, packet->nr_places, packet->text, &place,
				     &path);
	}
	answer->place = place;
	if (path && strlen(path) < sizeof(answer->path))
		memcpy(answer->path, path, strlen(path) + 1);
	free(path);
	answer->error = fd < 0 ? fd : 0;
	return fd < 0 ? -1 : fd;
}

static void file_opener_serve(struct file_opener *opener, int socket)
{
	struct file_opener_query query;
	struct file_opener_answer answer;
	int fd, given;
	bool told;

	for (;;) {
		ssize_t nr = receive(socket, &query, sizeof(query), &given, 1);

		if (given >= 0) /* requests have no descriptor; a hostile helper may send one */
			(void)close(given);
		if (nr <= 0)
			return;
		fd = answer_query(opener, &query, nr, &answer);
		told = send_answer(socket, &answer, fd);
		if (fd >= 0)
			(void)close(fd);
		if (!told)
			return;
	}
}

/* ---- the opener's process ---- */

enum {
	TEXT_PATH,
	TEXT_RELEASE,
	TEXT_DEBUG_FILE,
	TEXT_ROOT,
	TEXT_IMAGE_PATH,
	TEXT_META_PATH,
	TEXT_DEBUG_PATH,
	NR_TEXTS
};

/*
 * Describes an image to the opener: has the members of symbol_request that file_place() needs. Two
 * descriptors come with the packet: the opener's end of the helper's socket, and `alive`.
 */
struct image_packet {
	struct oprof_image_identity identity;
	uint32_t kind;
	uint32_t is_set; /* bit i: the text with number i (TEXT_*) is not NULL */
	/* The texts that are not NULL, one after the other, each with its NUL. */
	char texts[SYMBOLS_IMAGE_PATH_MAX + 1 + NR_TEXTS * PATH_MAX];
};

/* The opener that this process started. It is kept for later images. */
static struct {
	int socket; /* -1: none */
	pid_t pid;
	pid_t parent; /* the process that started it; 0: none was started yet */
} server = {.socket = -1};

/* Fills packet. Returns its size in bytes, or 0 if the texts are too long. */
static size_t packet_fill(struct image_packet *packet, const struct symbol_request *request)
{
	const struct symbol_search *search = request->search;
	const char *const texts[NR_TEXTS] = {
		[TEXT_PATH] = request->path,
		[TEXT_RELEASE] = request->kernel_release,
		[TEXT_DEBUG_FILE] = request->debug_file,
		[TEXT_ROOT] = search->root,
		[TEXT_IMAGE_PATH] = search->image_path,
		[TEXT_META_PATH] = search->meta_path,
		[TEXT_DEBUG_PATH] = search->debug_path,
	};
	size_t used = 0;

	packet->identity = *request->identity;
	packet->kind = request->kind;
	packet->is_set = 0;
	for (unsigned int i = 0; i < NR_TEXTS; i++) {
		size_t nr = texts[i] ? strlen(texts[i]) + 1 : 0;

		if (nr > sizeof(packet->texts) - used)
			return 0;
		if (nr)
			memcpy(packet->texts + used, texts[i], nr);
		packet->is_set |= (uint32_t)(nr > 0) << i;
		used += nr;
	}
	return offsetof(struct image_packet, texts) + used;
}

/* Serves the helper of one image. */
static void serve_image(const struct image_packet *packet, int socket)
{
	const char *texts[NR_TEXTS] = {NULL}, *at = packet->texts;
	struct symbol_search search;
	struct symbol_request request;
	struct file_opener opener;

	for (unsigned int i = 0; i < NR_TEXTS; i++)
		if (packet->is_set & 1u << i) {
			texts[i] = at;
			at += strlen(at) + 1;
		}
	search = (struct symbol_search){.root = texts[TEXT_ROOT],
					.image_path = texts[TEXT_IMAGE_PATH],
					.meta_path = texts[TEXT_META_PATH],
					.debug_path = texts[TEXT_DEBUG_PATH]};
	request = (struct symbol_request){.path = texts[TEXT_PATH],
					  .identity = &packet->identity,
					  .kind = (enum oprof_image_kind)packet->kind,
					  .search = &search,
					  .kernel_release = texts[TEXT_RELEASE],
					  .debug_file = texts[TEXT_DEBUG_FILE]};
	file_opener_init(&opener, &request, -1);
	file_opener_serve(&opener, socket);
	file_opener_deinit(&opener);
}

#define FOLDERS_MAX 255

/*
 * Lists the descriptors of all open folders. The opener must keep them, because the report's paths
 * may begin with /proc/self/fd/N (pp/base/read_folder.h).
 */
static unsigned int find_folders(int fds[FOLDERS_MAX])
{
	unsigned int nr = 0;
	struct stat st;

	for (int fd = STDERR_FILENO + 1; fd <= FOLDERS_MAX; fd++)
		if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
			fds[nr++] = fd;
	return nr;
}

static void __attribute__((noreturn)) server_main(int socket, pid_t parent)
{
	static struct image_packet packet;
	int keep[1 + FOLDERS_MAX];
	unsigned int nr_keep;
	int fds[2];

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(0);
	/*
	 * If a path is on a file system that hangs, even SIGKILL does not end this process.
	 * Therefore this process must close the report's other descriptors, such as a pipe at its
	 * standard output: otherwise the reader of the pipe would never reach its end.
	 */
	socket = fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	nr_keep = find_folders(keep);
	keep[nr_keep++] = socket;
	if (socket < 0 || confine_opener(keep, nr_keep))
		_exit(1);
	/* The packets come from the report tool, so only their presence is checked. */
	while (receive(socket, &packet, sizeof(packet), fds, 2) > 0 && fds[0] >= 0 && fds[1] >= 0) {
		serve_image(&packet, fds[0]);
		(void)close(fds[0]);
		(void)close(fds[1]);
	}
	_exit(0);
}

/* Called at exit. Only the process that started the opener ends it, not a child of this process. */
static void end_at_exit(void)
{
	if (server.parent == getpid())
		file_opener_kill();
}

static int server_start(void)
{
	const pid_t parent = getpid();
	int ends[2];

	if (!server.parent)
		(void)atexit(end_at_exit);
	server.parent = parent;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	server.pid = fork();
	if (!server.pid) {
		(void)close(ends[0]);
		server_main(ends[1], parent);
	}
	(void)close(ends[1]);
	server.socket = ends[0];
	if (server.pid >= 0)
		return 0;
	server.socket = -1;
	(void)close(ends[0]);
	return -errno;
}

void file_opener_forget(void)
{
	if (server.socket >= 0)
		(void)close(server.socket);
	server.socket = -1;
}

void file_opener_kill(void)
{
	if (server.socket < 0)
		return;
	file_opener_forget();
	(void)kill(server.pid, SIGKILL);
	(void)child_wait_ended(server.pid, NULL);
}

int file_opener_prepare(void)
{
	/* The opener may have ended, for example by a signal that this process also received. */
	if (server.socket >= 0 && !waitpid(server.pid, NULL, WNOHANG))
		return 0;
	file_opener_forget();
	return server_start();
}

int file_opener_begin(const struct symbol_request *request, int socket, int alive)
{
	static struct image_packet packet;
	const int fds[2] = {socket, alive};
	const size_t nr = packet_fill(&packet, request);

	if (!nr)
		return -ENAMETOOLONG;
	return send_packet(server.socket, &packet, nr, fds, 2) == (ssize_t)nr ? 0 : -EPROTO;
}

/* ---- the helper ---- */

static int ask(struct file_opener *opener, const struct file_query *queries,
	       unsigned int nr_queries, const char *text, unsigned int *place, char **path)
{
	struct file_opener_query packet = {
		.version = FILE_OPENER_VERSION, .nr_places = nr_queries, .taken = opener->taken};
	struct file_opener_answer answer;
	size_t nr_text = strlen(text) + 1;
	ssize_t nr;
	int fd;

	if (nr_text > sizeof(packet.text))
		return -ENAMETOOLONG;
	for (unsigned int i = 0; i < nr_queries; i++)
		packet.places[i] = (struct file_opener_place){
			.kind = queries[i].kind, .index = queries[i].index, .id = queries[i].id};
	memcpy(packet.text, text, nr_text);
	nr_text += offsetof(struct file_opener_query, text);
	/* The filter of system calls allows write(), but not sendmsg(). */
	if (write(opener->socket, &packet, nr_text) != (ssize_t)nr_text)
		return -EPROTO;
	opener->taken = 0;
	nr = receive(opener->socket, &answer, sizeof(answer), &fd, 1);
	if (!is_whole(&answer, nr, offsetof(struct file_opener_answer, path)) ||
	    (fd < 0) != (answer.error < 0))
		return -EPROTO;
	if (*answer.path)
		*path = strdup(answer.path);
	*place = answer.place;
	return fd < 0 ? answer.error : fd;
}

static int open_rest(struct file_opener *opener, const struct file_query *queries, unsigned int nr,
		     const char *text, unsigned int *place, char **path)
{
	free(*path);
	*path = NULL;
	*place = 0;
	if (opener->socket < 0)
		return open_first_here(opener, queries, nr, text, place, path);
	return ask(opener, queries, nr, text, place, path);
}

int file_opener_open_first(struct file_opener *opener, const struct file_query *queries,
			   unsigned int nr, const char *text, unsigned int *place, char **path)
{
	unsigned int nr_ready = 0;
	bool refused = false;
	int fd = -ENOENT;

	*path = NULL;
	while (nr_ready < nr && take_ready(opener, &queries[nr_ready], &fd, path)) {
		*place = nr_ready++;
		if (fd >= 0 || fd == -ENOMEM)
			nr = nr_ready;
		refused |= fd == -EBADMSG;
	}
	if (nr_ready < nr) {
		fd = open_rest(opener, queries + nr_ready, nr - nr_ready, text, place, path);
		*place += nr_ready;
	}
	if (fd < 0 && fd != -ENOMEM && refused)
		fd = -EBADMSG;
	if (fd < 0 || *path)
		return fd;
	(void)close(fd);
	return -ENOMEM;
}

int file_opener_open(struct file_opener *opener, const struct file_query *query, const char *text,
		     char **path)
{
	unsigned int place;

	return file_opener_open_first(opener, query, 1, text, &place, path);
}
