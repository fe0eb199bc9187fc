/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files for the helper (symbol_helper.h), which reads hostile files and therefore may not
 * open any. The opener is a thread of the report tool, so it has the rights of the user who runs the
 * tool. It is a thread because a file system may hang: then the thread is left alone, and the report
 * goes on. The helper asks it for the file at one of the places of file_place.h. The opener
 * opens regular files that begin as ELF files do, but no core dumps, which contain the memory of
 * programs or of the kernel (/proc/kcore). It interprets nothing else in the files.
 *
 * A request and its answer are one packet each. Not for several images: an opener serves one
 * request of a report tool.
 */
#ifndef PP_FILE_OPENER_H
#define PP_FILE_OPENER_H

#include "pp/symbols/file_place.h"

#include <limits.h>
#include <stdint.h>

#define FILE_OPENER_VERSION 1

/* A request of the helper. */
struct file_opener_query {
	uint32_t version;
	uint32_t kind; /* enum file_kind */
	uint32_t index;
	struct buildid id;
	char text[PATH_MAX]; /* the packet ends with the NUL of the text */
};

/* The answer. The descriptor of the file comes with the packet if error is 0. */
struct file_opener_answer {
	int32_t error;	     /* 0 or -errno */
	char path[PATH_MAX]; /* the packet ends with the NUL; "" if the place does not exist */
};

struct file_opener {
	const struct symbol_request *request;
	int socket; /* in the helper: leads to the opener; -1: this process opens the files */
	struct file_opened opened;
};

void file_opener_init(struct file_opener *opener, const struct symbol_request *request, int socket);
void file_opener_deinit(struct file_opener *opener);

/*
 * Opens the file at a place. text: as in file_place(). Returns a descriptor; -ENOEXEC: not a
 * regular file; -EBADMSG: not an ELF file, or a core dump; -EPROTO: the opener has ended; or
 * -errno. Sets *path to the malloc'ed path at which the file was opened or searched, or to NULL.
 */
int file_opener_open(struct file_opener *opener, const struct file_query *query, const char *text,
		     char **path);

/*
 * Starts an opener, which answers requests until the other end of the socket closes. It then closes
 * both descriptors, `alive` last. To be called after the fork of the helper. The opener keeps copies
 * of what it needs of request. Returns 0 or -errno; also after an error both descriptors are closed.
 */
int file_opener_start(const struct symbol_request *request, int socket, int alive);

#endif
