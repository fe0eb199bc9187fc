/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which images the keeper (image_keeper.h) is asked to look for, and what it
 * answered. An image is asked for when a sample of it comes and its time has
 * come: at first, again after a while where it was found by its path (it may
 * be deleted while it runs), with growing pauses where the process had gone
 * before it could be opened: the next process of the image may live longer.
 *
 * Never waits for the keeper but at the end.
 */
#ifndef DAEMON_IMAGE_KEEP_H
#define DAEMON_IMAGE_KEEP_H

#include "daemon/image/image.h"
#include "daemon/image/image_code.h"
#include "daemon/image/image_keeper.h"

struct image_keep_counters {
	uint64_t wanted;     /* images that reports would not find by their path */
	uint64_t kept;	     /* of those, kept by the session; the others may be still */
	uint64_t too_big;    /* beyond the bound of one file */
	uint64_t full;	     /* beyond the bound of the session */
	uint64_t unreadable; /* no ELF file, or damaged */
	uint64_t failed;     /* could not be written */
	uint64_t restarts;   /* keepers that hung, on a file system perhaps, or ended */
};

struct image_keep {
	struct image_table *images; /* borrowed */
	const char *proc_path;	    /* borrowed */
	int fd;			    /* -1: none runs */
	uint32_t *opening;	    /* shared with it, see image_keeper_start; NULL: never begun */
	pid_t pid;
	uint64_t started_ns;
	uint64_t answered_ns;	 /* when it last did, or first had something to do */
	uint32_t nr_waiting;	 /* requests without an answer */
	uint32_t nr_tables;	 /* of those, for code tables */
	struct image_code *code; /* borrowed; NULL: no code tables are asked for */
	uint64_t bytes_max;	 /* that a session may hold: KEEPER_SESSION_BYTES_MAX, or less */
	char *meta_path;	 /* NULL: not known yet */
	uint32_t folder;	 /* number of the session that is */
	dev_t folder_dev;
	ino_t folder_inode;
	bool write_error_told;
	struct image_keep_counters counters;
};

/* No keeper runs yet: nothing is kept. Cannot fail. */
void image_keep_init(struct image_keep *keep, struct image_table *images, const char *proc_path);

/* Begin one. Reports live without: no error. */
void image_keep_start(struct image_keep *keep);

/* Wait a little for what was asked, then end it. */
void image_keep_deinit(struct image_keep *keep);

/* Samples are of the session at meta_path from now on: what was kept for another is not kept. */
void image_keep_folder(struct image_keep *keep, const char *meta_path);

/*
 * pids and address as in struct keeper_request; entry is of kind FILE, told, and its time has
 * come. fd: the file itself, open, the caller's; -1: not at hand.
 */
void image_keep_want(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
		     uint64_t address, int fd, uint64_t now_ns);

/*
 * The same for the code table of an image, whose time has come (image_code_is_due): found in
 * the folder at once, or asked for. Where no keeper runs there are none.
 */
void image_keep_want_code(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
			  uint64_t address, int fd, uint64_t now_ns);
/* Wait until the tables asked for are there, or for timeout_ms, or a signal. */
void image_keep_wait_code(struct image_keep *keep, int timeout_ms);

/* Take answers; see to a keeper that hangs. Once a drain. */
void image_keep_tend(struct image_keep *keep, uint64_t now_ns);

#endif
