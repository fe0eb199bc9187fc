// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/file_opener.h"

#include "lib/file.h"
#include "pp/symbols/debug_file.h"
#include "pp/symbols/symbol_image.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

void file_opener_init(struct file_opener *opener, const struct symbol_request *request, int socket)
{
	*opener = (struct file_opener){.request = request, .socket = socket};
}

void file_opener_deinit(struct file_opener *opener)
{
	free(opener->opened.image);
	free(opener->opened.debug);
	opener->opened = (struct file_opened){.image = NULL};
}

/* ---- opening ---- */

/*
 * Returns whether the file may be given to the helper. Reading a file of the kernel may have
 * effects (trace_pipe); such files have no size, and are not read.
 */
static bool is_acceptable(int fd)
{
	unsigned char head[EI_NIDENT + 2] = {0}; /* with the type of the file */
	struct stat st;

	if (fstat(fd, &st) || st.st_size < SELFMAG ||
	    file_pread_all(fd, head, sizeof(head), 0) < SELFMAG ||
	    memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;
	/* In either byte order, since a reader might take another one than the file states. */
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

/* Remembers the path of an image or debug file that was opened: other places are relative to it. */
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
	error = is_acceptable(fd) ? note_opened(&opener->opened, query->kind, *path) : -EBADMSG;
	if (!error)
		return fd;
	(void)close(fd);
	return error;
}

/* ---- packets ---- */

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* Receives a packet. Returns its size or -errno. *fd becomes the descriptor, or -1. */
static ssize_t receive(int socket, void *packet, size_t nr_bytes, int *fd)
{
	union control control = {.bytes = {0}};
	struct iovec iov = {.iov_base = packet, .iov_len = nr_bytes};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	const struct cmsghdr *head;
	ssize_t nr;

	*fd = -1;
	do
		nr = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (nr < 0 && errno == EINTR);
	if (nr < 0)
		return -errno;
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
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

static void send_answer(int socket, const struct file_opener_answer *answer, int fd)
{
	union control control = {.bytes = {0}};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)answer,
			    .iov_len = offsetof(struct file_opener_answer, path) +
				       strlen(answer->path) + 1};
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
	/* If the helper has ended, the next receive() returns 0. */
	while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* ---- the opener ---- */

/* Fills the answer to a packet of nr_bytes. Returns the descriptor, or -1. */
static int answer_query(struct file_opener *opener, const struct file_opener_query *packet,
			ssize_t nr_bytes, struct file_opener_answer *answer)
{
	struct file_query query;
	char *path = NULL;
	int fd = -EINVAL;

	answer->path[0] = '\0';
	if (is_whole(packet, nr_bytes, offsetof(struct file_opener_query, text)) &&
	    packet->version == FILE_OPENER_VERSION && packet->kind < NR_FILE_KINDS) {
		query = (struct file_query){.kind = (enum file_kind)packet->kind,
					    .index = packet->index,
					    .id = packet->id};
		fd = open_here(opener, &query, packet->text, &path);
	}
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

	for (;;) {
		ssize_t nr = receive(socket, &query, sizeof(query), &given);

		if (given >= 0) /* nobody asked for it */
			(void)close(given);
		if (nr <= 0)
			return;
		fd = answer_query(opener, &query, nr, &answer);
		send_answer(socket, &answer, fd);
		if (fd >= 0)
			(void)close(fd);
	}
}

/* What the thread of the opener owns: copies, since a thread that hangs outlives its request. */
struct serving {
	struct symbol_request request;
	struct symbol_search search;
	struct oprof_image_identity identity;
	int socket, alive;
};

/* Copies a text that may be NULL. Returns false if out of memory. */
static bool copy_text(const char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return !text || *copy;
}

/* Frees a copy. The cast drops const, which readers of the request need. */
static void free_text(const char *copy)
{
	free((char *)(uintptr_t)copy);
}

static void serving_destroy(struct serving *serving)
{
	free_text(serving->request.path);
	free_text(serving->request.kernel_release);
	free_text(serving->request.debug_file);
	free_text(serving->search.root);
	free_text(serving->search.image_path);
	free_text(serving->search.meta_path);
	free_text(serving->search.debug_path);
	free(serving);
}

/* Copies the members that file_place() uses. Returns NULL if out of memory. */
static struct serving *serving_create(const struct symbol_request *request)
{
	const struct symbol_search *search = request->search;
	struct serving *serving = calloc(1, sizeof(*serving));

	if (!serving)
		return NULL;
	serving->identity = *request->identity;
	serving->request.identity = &serving->identity;
	serving->request.kind = request->kind;
	serving->request.search = &serving->search;
	if (copy_text(&serving->request.path, request->path) &&
	    copy_text(&serving->request.kernel_release, request->kernel_release) &&
	    copy_text(&serving->request.debug_file, request->debug_file) &&
	    copy_text(&serving->search.root, search->root) &&
	    copy_text(&serving->search.image_path, search->image_path) &&
	    copy_text(&serving->search.meta_path, search->meta_path) &&
	    copy_text(&serving->search.debug_path, search->debug_path))
		return serving;
	serving_destroy(serving);
	return NULL;
}

static void *serve(void *context)
{
	struct serving *serving = context;
	const int socket = serving->socket, alive = serving->alive;
	struct file_opener opener;

	file_opener_init(&opener, &serving->request, -1);
	file_opener_serve(&opener, socket);
	file_opener_deinit(&opener);
	serving_destroy(serving);
	(void)close(socket);
	(void)close(alive);
	return NULL;
}

/* Starts a detached thread without signals, which are for the thread that waits for the helper. */
static int start_thread(struct serving *serving)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	(void)sigfillset(&all);
	error = pthread_attr_init(&attr);
	if (error)
		return -error;
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attr, serve, serving);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return -error;
}

int file_opener_start(const struct symbol_request *request, int socket, int alive)
{
	struct serving *serving = serving_create(request);
	int error = -ENOMEM;

	if (serving) {
		serving->socket = socket;
		serving->alive = alive;
		error = start_thread(serving);
	}
	if (!error)
		return 0;
	if (serving)
		serving_destroy(serving);
	(void)close(socket);
	(void)close(alive);
	return error;
}

/* ---- the helper ---- */

static int ask(int socket, const struct file_query *query, const char *text, char **path)
{
	struct file_opener_query packet = {.version = FILE_OPENER_VERSION,
					   .kind = query->kind,
					   .index = query->index,
					   .id = query->id};
	struct file_opener_answer answer;
	size_t nr_text = strlen(text) + 1;
	ssize_t nr;
	int fd;

	if (nr_text > sizeof(packet.text))
		return -ENAMETOOLONG;
	memcpy(packet.text, text, nr_text);
	nr_text += offsetof(struct file_opener_query, text);
	/* The filter of system calls allows write(), but not sendmsg(). */
	if (write(socket, &packet, nr_text) != (ssize_t)nr_text)
		return -EPROTO;
	nr = receive(socket, &answer, sizeof(answer), &fd);
	if (!is_whole(&answer, nr, offsetof(struct file_opener_answer, path)) ||
	    (fd < 0) != (answer.error < 0))
		return -EPROTO;
	if (*answer.path)
		*path = strdup(answer.path);
	return fd < 0 ? answer.error : fd;
}

int file_opener_open(struct file_opener *opener, const struct file_query *query, const char *text,
		     char **path)
{
	int fd;

	*path = NULL;
	if (opener->socket < 0)
		fd = open_here(opener, query, text, path);
	else
		fd = ask(opener->socket, query, text, path);
	if (fd < 0 || *path)
		return fd;
	(void)close(fd);
	return -ENOMEM;
}
