/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's folder (oprof/session.h): its lock, the session "current" with
 * its meta folder, and what may happen to it: begin, reset, save.
 *
 * Not for: sample files themselves (sample_cache.h).
 */
#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

#include "daemon/session/cgroup_table.h"
#include "daemon/session/name_table.h"
#include "daemon/session/run_info.h"
#include "daemon/session/stats.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <sys/types.h>

#define SESSION_REMAINS_NAME "remains"

enum session_begin {
	SESSION_APPEND, /* go on with what current holds */
	SESSION_FRESH,	/* throw away what it holds */
};

struct session {
	char *path;	    /* the session folder; "." in the daemon */
	char *current_path; /* <path>/samples/current */
	char *meta_path;
	int lock_fd; /* -1: not locked */
	bool killed; /* the daemon before did not give up its lock */
	struct run_info info;
	struct stats stats;
	struct cgroup_table cgroups;
	struct name_table names;
	bool open;	   /* stats, cgroups and names are */
	dev_t current_dev; /* of the current that was begun */
	ino_t current_inode;
	int current_fd; /* of it, whatever it is called by now; -1: there is none */
};

/*
 * Make path (0700) when it is missing and take its lock, which holds this
 * process's pid. -EBUSY: another daemon has it, diag names its pid. The rest
 * of session is zero after it.
 */
int session_lock(struct session *session, const char *path, struct diag *diag);

/* Close what is open and give up the lock. */
void session_unlock(struct session *session);

/*
 * Make or go on with current: meta/info from session->info (filled by the
 * caller), counters, cgroups; ends the one that was begun before. Says in diag, returning 1, what
 * the caller should warn of; 0; or -errno.
 */
int session_begin(struct session *session, enum session_begin how, struct diag *diag);

/*
 * Throw away current, or keep it as name; begin an empty one with the same
 * info and the symbols so far, started now. Sample files of current must be closed. -EINVAL a name
 * that can't be, -EEXIST there is one of that name; current then stays as it
 * was. Errors behind that leave the session closed (session->open is false).
 */
int session_reset(struct session *session, struct diag *diag);
int session_save(struct session *session, const char *name, struct diag *diag);

/* Notes of session->info have become more: meta/info anew. 0 or -errno. */
int session_tell_notes(struct session *session);

/*
 * Open what lies at path, in current_path or that itself, in current as it was
 * begun: a child may come to it when the daemon has saved it under another
 * name. The descriptor, close-on-exec, or -errno.
 */
int session_open_path(const struct session *session, const char *path, int flags);

/* current, as it was begun, is no longer there, or no longer whole. */
bool session_is_lost(const struct session *session);

/*
 * After that: what is left of it, or stands in its place, becomes session
 * "remains-N", so that nothing of it is thrown away or counted; begin anew.
 * As session_begin.
 */
int session_recover(struct session *session, struct diag *diag);

/* 0, or -EINVAL with what is wrong in diag. */
int session_check_name(const char *name, struct diag *diag);

#endif
