/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper is a child process of the daemon. It keeps the symbols of binaries that reports would
 * not find by their path. Such a binary is in another mount namespace or below another root, was
 * deleted or replaced, or never had a path (memfd). The keeper opens the binary through a process
 * that maps it, while that process lives. It checks that the file is the image, and writes
 * meta/images/<identity> of the session (lib/elf_skeleton.h, doc/session.md).
 *
 * The keeper is a separate process for two reasons. A file system that hangs would block the
 * daemon's loop; and opening other users' files needs privileges that the rest of the daemon does
 * not need. A confined child process of the keeper (lib/confine.h) does the copying, one binary at
 * a time.
 *
 * Such a child also builds code tables of binaries (unwind/code_table.h), either in a folder that
 * later runs use, or in memory.
 *
 * Elsewhere: which images are wanted, and when (image_keep.h, image_code.h).
 */
#ifndef DAEMON_IMAGE_KEEPER_H
#define DAEMON_IMAGE_KEEPER_H

#include "oprof/sample_file.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KEEPER_PIDS 4
/*
 * Maximum number of images that are opened and wait to be copied. Further requests wait in the
 * socket.
 */
#define KEEPER_QUEUE 64u
/* Limits of the symbols of one file, and of all files of a session. */
#define KEEPER_FILE_BYTES_MAX	 (UINT64_C(64) << 20)
#define KEEPER_SESSION_BYTES_MAX (UINT64_C(512) << 20)
/*
 * Limits of one code table, and of all tables in their folder. If the second limit is exceeded, the
 * oldest tables are removed.
 */
#define KEEPER_TABLE_BYTES_MAX	(UINT64_C(64) << 20)
#define KEEPER_TABLES_BYTES_MAX (UINT64_C(256) << 20)

enum keeper_work {
	KEEPER_SYMBOLS, /* keep the image's symbols in the session */
	KEEPER_TABLE,	/* build the image's code table and return it */
};

/* A request. It is sent as one packet, which ends after the used part of `text`. */
struct keeper_request {
	uint32_t cookie;
	uint32_t folder; /* the daemon's number for the session to which meta_path belongs */
	uint32_t work;	 /* enum keeper_work */
	uint32_t reserved;
	/*
	 * Processes through whose root directory the image can be opened: the process that maps
	 * the image, then the ancestors of this process. A pid of 0 ends the list. The sender may
	 * also pass the open file with the packet (SCM_RIGHTS).
	 */
	int32_t pids[KEEPER_PIDS];
	uint64_t address;   /* address at which pids[0] maps the image; 0: unknown */
	uint64_t bytes_max; /* limit for all files in the session's folder */
	struct oprof_image_identity identity;
	/*
	 * Position of meta_path in text. For KEEPER_TABLE, meta_path is the folder of tables;
	 * empty: build the table in memory only.
	 */
	uint32_t meta_path;
	char text[2 * PATH_MAX]; /* the image's path, NUL, meta_path, NUL */
};

enum keeper_result {
	KEEPER_THERE, /* reports will find the image by its path */
	/* The image's symbols are in the session, or the table's descriptor is sent too. */
	KEEPER_KEPT,
	KEEPER_GONE,	   /* none of the processes in pids has the image any more */
	KEEPER_TOO_BIG,	   /* the image is above the limit of one file or table */
	KEEPER_FULL,	   /* above bytes_max */
	KEEPER_UNREADABLE, /* the image is not ELF, or is damaged */
	KEEPER_NONE,	   /* the image has no table: for example, it has no unwind information */
	KEEPER_FAILED,	   /* disk or memory failed; `error` has the reason */
};

struct keeper_answer {
	uint32_t cookie, folder;
	uint32_t result; /* enum keeper_result */
	int32_t error;	 /* -errno */
	uint32_t work;	 /* enum keeper_work */
};

/*
 * Starts a keeper. *fd: the socket for requests and answers (SOCK_SEQPACKET). The keeper ends when
 * *fd is closed, or with its parent. *opening is in memory that is shared with the keeper. The
 * keeper stores there the cookie of the image that it is opening, or 0. If the keeper hangs,
 * *opening is the image at which it hangs. All pointers are borrowed. Returns 0 or -errno.
 */
int image_keeper_start(const char *proc_path, uint32_t *opening, int *fd, pid_t *pid);

#endif
