/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files for the helper (symbol_helper.h), which reads hostile files and therefore may not
 * open any. The opener is a child process of the report tool, with the rights of the user who runs
 * the tool. It serves one helper after another. It is a separate process, because a hostile file
 * may make the opener open a path on a file system that hangs. In this case, the report tool kills
 * the opener and continues. The helper asks the opener for the file at one of the places of
 * file_place.h. The opener opens only regular files that begin as ELF files do. It refuses core
 * dumps, which contain the memory of programs or of the kernel (/proc/kcore). The opener interprets
 * nothing else in the files.
 *
 * Two places do not depend on anything that the helper reads in a file: the place of the image, and
 * the place of the debug file with the recorded build-id. They are called own places. The helper
 * opens the files at these places before it confines itself, so most helpers need no opener.
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

/* A request of the helper. It requests the file at the first of `places` that has an ELF file. */
struct file_opener_query {
	uint32_t version;
	uint32_t nr_places;
	/* Bit i: the helper has taken the file at own place i since its last request. */
	uint32_t taken;
	struct file_opener_place places[FILE_OPENER_PLACES_MAX];
	char text[PATH_MAX]; /* the packet ends with the NUL of the text */
};

/* The answer. The descriptor of the file comes with the packet if error is 0. */
struct file_opener_answer {
	int32_t error;	     /* 0 or -errno */
	uint32_t place;	     /* index of the place at which the file was opened */
	char path[PATH_MAX]; /* the packet ends with the NUL of the path; "": no such place */
};

#define FILE_OPENER_OWN_MAX 2u

/* A file that the helper opened before it confined itself. */
struct file_ready {
	struct file_query query; /* kind NR_FILE_KINDS: there is no file, or it was already taken */
	int fd;			 /* or -errno, if opening failed */
	char *path;
};

struct file_opener {
	const struct symbol_request *request;
	int socket; /* connects the helper to the opener; -1: this process opens the files */
	struct file_opened opened;
	struct file_ready ready[FILE_OPENER_OWN_MAX];
	uint32_t taken; /* in the helper: for the next struct file_opener_query */
};

void file_opener_init(struct file_opener *opener, const struct symbol_request *request, int socket);
void file_opener_deinit(struct file_opener *opener);

/*
 * Opens the files at the own places. Called in the helper before it is confined. opener->ready
 * contains the descriptors, which must stay open.
 */
void file_opener_open_own(struct file_opener *opener);

/*
 * Returns whether the file begins as an ELF file does and is not a core dump. Does not read the
 * kernel's own files, which have size 0, because reading such a file may have effects (trace_pipe).
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
 * all places have the same text. Returns a descriptor, and sets *place to the index of the place.
 * Returns -EBADMSG if there is no ELF file, but at least one file of another kind; otherwise the
 * error at the last place. Sets *path as file_opener_open() does; after an error, for the last
 * place.
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

/* Closes the socket to the opener. Call this function in a child of the opener's parent. */
void file_opener_forget(void);

#endif
