/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which images to request from the keeper (image_keeper.h), and handles its answers. An
 * image is requested when a sample of it arrives and keep_due_ns has passed. The first request is
 * made at once. The image is requested again later if it was found by its path, since it may be
 * deleted while it runs; and with growing pauses if its process ended before the file could be
 * opened, since the next process of the image may live longer.
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
	uint64_t too_big;    /* above the limit of one file */
	uint64_t full;	     /* above the limit of the session */
	uint64_t unreadable; /* not ELF, or damaged */
	uint64_t failed;     /* could not be written, or the keeper hung while it opened them */
	/* Restarts of the keeper because it hung, perhaps on a file system, or ended. */
	uint64_t restarts;
};

struct image_keep {
	struct image_table *images; /* borrowed */
	const char *proc_path;	    /* borrowed */
	int fd;			    /* socket to the keeper; -1: no keeper runs */
	uint32_t *opening; /* shared with the keeper, see image_keeper_start; NULL: never started */
	pid_t pid;
	uint64_t started_ns;
	uint64_t answered_ns;	 /* time of the last answer, or of the first request after idling */
	uint32_t nr_waiting;	 /* requests without an answer */
	uint32_t nr_tables;	 /* requests for code tables, of nr_waiting */
	struct image_code *code; /* borrowed; NULL: no code tables are requested */
	uint64_t bytes_max;	 /* limit for a session: at most KEEPER_SESSION_BYTES_MAX */
	char *meta_path;	 /* NULL: not known yet */
	uint32_t folder;	 /* number of the current session */
	dev_t folder_dev;
	ino_t folder_inode;
	bool write_error_told;
	struct image_keep_counters counters;
};

/* No keeper runs yet: nothing is kept. */
void image_keep_init(struct image_keep *keep, struct image_table *images, const char *proc_path);

/* Starts a keeper. Failure is only logged: reports work without it. */
void image_keep_start(struct image_keep *keep);

/* Waits at most two seconds for the answers, then ends the keeper. */
void image_keep_deinit(struct image_keep *keep);

/*
 * From now on samples belong to the session at meta_path; images kept for another session must be
 * kept again.
 */
void image_keep_folder(struct image_keep *keep, const char *meta_path);

/*
 * Requests an image from the keeper. pids and address are as in struct keeper_request. entry must
 * be of kind FILE, have a cookie and be due. fd: the file itself, open, owned by the caller; -1:
 * not available.
 */
void image_keep_want(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
		     uint64_t address, int fd, uint64_t now_ns);

/*
 * Does the same for the code table of an image that is due (image_code_is_due): the table is read
 * from the folder at once, or requested. Without a keeper no table is built.
 */
void image_keep_want_code(struct image_keep *keep, struct image_entry *entry, const int32_t *pids,
			  uint64_t address, int fd, uint64_t now_ns);
/* Waits until the requested tables have arrived, or for timeout_ms, or until a signal. */
void image_keep_wait_code(struct image_keep *keep, int timeout_ms);

/* Handles answers, and restarts a keeper that hangs. Called once per drain. */
void image_keep_tend(struct image_keep *keep, uint64_t now_ns);

#endif
