/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a child process of the daemon that keeps the symbols of
 * binaries which reports would not find by their path: in another mount
 * namespace, below another root, deleted, replaced, never in a folder. It
 * opens them through a process that maps them, while that lives, checks that
 * they are the image, and writes meta/images/<identity> of the session
 * (lib/elf_skeleton.h, doc/session.md).
 *
 * A process of its own, because a file system that hangs would hang the
 * daemon's loop, and because to open what others map takes privileges that
 * the rest of the daemon need not have. What it finds is copied by a child of
 * its own that may not do anything else (lib/confine.h), one at a time.
 *
 * It has code tables of binaries (unwind/code_table.h) built by such a child,
 * too: into a folder that keeps them for later runs, or into memory.
 *
 * Not for: which images are wanted, and when (image_keep.h, image_code.h).
 */
#ifndef DAEMON_IMAGE_KEEPER_H
#define DAEMON_IMAGE_KEEPER_H

#include "oprof/sample_file.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KEEPER_PIDS 4
/* Opened and not yet copied; more requests wait in the socket. */
#define KEEPER_QUEUE 64u
/* Of one file, and of all of a session. */
#define KEEPER_FILE_BYTES_MAX	 (UINT64_C(64) << 20)
#define KEEPER_SESSION_BYTES_MAX (UINT64_C(512) << 20)
/* Of one code table, and of all in their folder: the oldest go. */
#define KEEPER_TABLE_BYTES_MAX	(UINT64_C(64) << 20)
#define KEEPER_TABLES_BYTES_MAX (UINT64_C(256) << 20)

enum keeper_work {
	KEEPER_SYMBOLS, /* keep its symbols in the session */
	KEEPER_TABLE,	/* build its code table, and hand that back */
};

/* One packet; text is sent as far as it is used. */
struct keeper_request {
	uint32_t cookie;
	uint32_t folder; /* the daemon's number of the session that meta_path is of */
	uint32_t work;	 /* enum keeper_work */
	uint32_t reserved;
	/*
	 * Who maps it at address (0: somewhere), then that one's parents, which may share its
	 * root; 0: none. The file itself may come with the packet (SCM_RIGHTS).
	 */
	int32_t pids[KEEPER_PIDS];
	uint64_t address;
	uint64_t bytes_max; /* of all in the session's folder */
	struct oprof_image_identity identity;
	/* Position in text: of KEEPER_TABLE, that of the tables' folder; empty: in memory only. */
	uint32_t meta_path;
	char text[2 * PATH_MAX]; /* the image's path, NUL, meta_path, NUL */
};

enum keeper_result {
	KEEPER_THERE,	   /* reports find it by its path */
	KEEPER_KEPT,	   /* it is in the session; a table's descriptor comes along */
	KEEPER_GONE,	   /* no process that could be asked has it any more */
	KEEPER_TOO_BIG,	   /* beyond KEEPER_FILE_BYTES_MAX */
	KEEPER_FULL,	   /* beyond bytes_max */
	KEEPER_UNREADABLE, /* no ELF file, or a damaged one */
	KEEPER_NONE,	   /* nothing that a table could be made of */
	KEEPER_FAILED,	   /* disk, memory: error */
};

struct keeper_answer {
	uint32_t cookie, folder;
	uint32_t result; /* enum keeper_result */
	int32_t error;	 /* -errno */
	uint32_t work;	 /* enum keeper_work */
};

/*
 * Begin a keeper. *fd: where to send requests and receive answers
 * (SOCK_SEQPACKET); it ends when that is closed, or with its parent. *opening,
 * in memory that the two share, is the cookie of the image that it looks for,
 * 0 while it looks for none: where it hangs. All is borrowed. 0 or -errno.
 */
int image_keeper_start(const char *proc_path, uint32_t *opening, int *fd, pid_t *pid);

#endif
