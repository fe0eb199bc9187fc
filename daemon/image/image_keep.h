/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which images to request from the keeper (image_keeper.h), and handles its answers. An
 * image is requested when one of its samples arrives and keep_due_ns has passed; keep_due_ns is 0
 * until the first request. An image that was found by its path is requested again, since its file
 * may be deleted while the image runs. If all processes of an image ended before the file could be
 * opened, the image is requested again with growing pauses, since its next process may live longer.
 *
 * Waits for answers only in image_keep_deinit and image_keep_wait_code.
 */
#ifndef DAEMON_IMAGE_KEEP_H
#define DAEMON_IMAGE_KEEP_H

#include "daemon/image/image.h"
#include "daemon/image/image_code.h"
#include "daemon/image/image_keeper.h"

struct image_keep_counters {
	uint64_t wanted;     /* images that reports would not find by their path */
	uint64_t kept;	     /* wanted images that are kept in the session so far */
	uint64_t too_big;    /* images above the limit of one file */
	uint64_t full;	     /* images above the limit of the session */
	uint64_t unreadable; /* images that are not ELF, or damaged */
	uint64_t failed;     /* images that could not be written, or at which the keeper hung */
	/*
	 * Restarts of the keeper because it ended, or because it hung (perhaps in a file system).
	 */
	uint64_t restarts;
};

struct image_keep {
	struct image_table *images; /* borrowed */
	const char *proc_path;	    /* borrowed */
	int fd;			    /* socket to the keeper; -1: no keeper runs */
	uint32_t *opening; /* shared with the keeper, see image_keeper_start; NULL: never started */
	pid_t pid;
	uint64_t started_ns;
	/* Time of the last answer, or of the first request after an idle time. */
	uint64_t answered_ns;
	uint32_t nr_waiting;	 /* requests without an answer */
	uint32_t nr_tables;	 /* requests among nr_waiting that are for code tables */
	struct image_code *code; /* borrowed; NULL: no code tables are requested */
	uint64_t bytes_max;	 /* limit of a session; at most KEEPER_SESSION_BYTES_MAX */
	char *meta_path;	 /* folder of the session's data; NULL: not known yet */
	uint32_t folder;	 /* number of the current session */
	dev_t folder_dev;
	ino_t folder_inode;
	bool write_error_told;
	struct image_keep_counters counters;
};

/* Initializes keep. No image is kept before image_keep_start. */
void image_keep_init(struct image_keep *keep, struct image_table *images, const char *proc_path);

/* Starts a keeper. A failure is only logged, because reports also work without a keeper. */
void image_keep_start(struct image_keep *keep);

/* Waits at most two seconds for the answers, then ends the keeper. */
void image_keep_deinit(struct image_keep *keep);

/*
 * Sets the session to which later samples belong. meta_path: the folder of its data. Images that
 * were kept for another session must be kept again.
 */
void image_keep_folder(struct image_keep *keep, const char *meta_path);

/*
 * Requests an image from the keeper. pids and address are as in struct keeper_request. entry must
 * be of kind FILE, have a cookie and be due. fd: the open file itself, which the caller owns; -1:
 * not available.
 */
void image_keep_want(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
		     uint64_t address, int fd, uint64_t now_ns);

/*
 * Requests the code table of an image that is due (image_code_is_due); pids, address and fd are as
 * above. If the folder has the table, it is read from there immediately. Without a keeper no table
 * is built.
 */
void image_keep_want_code(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
			  uint64_t address, int fd, uint64_t now_ns);
/* Waits until the requested tables have arrived, or for timeout_ms, or until a signal. */
void image_keep_wait_code(struct image_keep *keep, int timeout_ms);

/* Handles answers, and restarts a keeper that hangs. Called once per drain. */
void image_keep_tend(struct image_keep *keep, uint64_t now_ns);

#endif
