/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files for the helper (symbol_helper.h), which reads hostile files and therefore may not
 * open any. The opener is a child process of the report tool, with the rights of the user who runs
 * the tool. It serves one helper after another. It is a separate process, because a hostile file
 * may make the opener open a path on a file system that hangs. In this case, the report tool kills
 * the opener and continues. The helper asks the opener for the file at one of the places of
 * file_place.h. The opener opens regular files that begin as ELF files do, but no core dumps, which
 * contain the memory of programs or of the kernel (/proc/kcore). It interprets nothing else in the
 * files.
 *
 * Two places depend on nothing that the helper reads: the image's own, and that of the debug file
 * with the recorded build-id. The helper opens the files there itself before it confines itself,
 * and so most helpers need no opener.
 *
 * A request and its answer are one packet each.
 */
#ifndef PP_FILE_OPENER_H
#define PP_FILE_OPENER_H

#include "pp/symbols/file_place.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define FILE_OPENER_VERSION 3

/*
 * The maximum number of places in a request. The helper asks for several places at once, because
 * each answer costs two switches between the processes.
 */
#define FILE_OPENER_PLACES_MAX 8u

struct file_opener_place {
	uint32_t kind; /* enum file_kind */
	uint32_t index;
	struct buildid id;
};

/* A request of the helper: for the file at the first of these places that has an ELF file. */
struct file_opener_query {
	uint32_t version;
	uint32_t nr_places;
	uint32_t taken; /* one bit per own place, whose file the helper took since its last request
			 */
	struct file_opener_place places[FILE_OPENER_PLACES_MAX];
	char text[PATH_MAX]; /* the packet ends with the NUL of the text */
};

/* The answer. The descriptor of the file comes with the packet if error is 0. */
struct file_opener_answer {
	int32_t error;	     /* 0 or -errno */
	uint32_t place;	     /* index of the place at which the file was opened */
	char path[PATH_MAX]; /* the packet ends with the NUL; "" if the place does not exist */
};

#define FILE_OPENER_OWN_MAX 2u

/* A file that the helper opened before it confined itself. */
struct file_ready {
	struct file_query query; /* kind NR_FILE_KINDS: none, or already given */
	int fd;			 /* or -errno */
	char *path;
};

struct file_opener {
	const struct symbol_request *request;
	int socket; /* in the helper: leads to the opener; -1: this process opens the files */
	struct file_opened opened;
	struct file_ready ready[FILE_OPENER_OWN_MAX];
	uint32_t taken; /* as in struct file_opener_query */
};

void file_opener_init(struct file_opener *opener, const struct symbol_request *request, int socket);
void file_opener_deinit(struct file_opener *opener);

/*
 * Opens the files at the places that depend on the request only. To be called in the helper before
 * it is confined. opener->ready has the descriptors, which must stay open.
 */
void file_opener_open_own(struct file_opener *opener);

/*
 * Returns whether the file begins as an ELF file does, and is no core dump. Reading a file of the
 * kernel may have effects (trace_pipe); such files have no size, and are not read.
 */
bool file_opener_accepts(int fd);

/*
 * Opens the file at a place. text: as in file_place(). Returns a descriptor; -ENOEXEC: not a
 * regular file; -EBADMSG: not an ELF file, or a core dump; -EPROTO: the opener has ended; or
 * -errno. Sets *path to the malloc'ed path at which the file was opened or searched, or to NULL.
 */
int file_opener_open(struct file_opener *opener, const struct file_query *query, const char *text,
		     char **path);

/*
 * Opens the file at the first of nr places (at most FILE_OPENER_PLACES_MAX) that has an ELF file;
 * all places have the same text. Returns a descriptor, and sets *place to the index of the place;
 * -EBADMSG: only other files are there; otherwise, the error at the last place. *path as in
 * file_opener_open(), if no file was opened of the last place.
 */
int file_opener_open_first(struct file_opener *opener, const struct file_query *queries,
			   unsigned int nr, const char *text, unsigned int *place, char **path);

/*
 * Starts the opener if it does not run. The opener ends when this process ends. This process must
 * have closed the helper's end of the helper's socket. Returns 0 or -errno.
 */
int file_opener_prepare(void);

/*
 * Makes the opener serve the helper of request's image. `socket` is the opener's end of the
 * helper's socket. When the other end closes, the opener closes its copies of both descriptors,
 * `alive` last. The caller still owns its descriptors. Returns 0; -ENAMETOOLONG: paths are too
 * long; -EPROTO: the opener has ended.
 */
int file_opener_begin(const struct symbol_request *request, int socket, int alive);

/* Ends the opener, which may hang. The next file_opener_prepare() starts another. */
void file_opener_kill(void);

/* To be called in a child of this process: closes the socket to the opener. */
void file_opener_forget(void);

#endif
