/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session folder (oprof/session.h): its lock, the session "current" with its meta folder, and
 * the operations on it: begin, reset, save.
 *
 * Elsewhere: sample files themselves (sample_cache.h).
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
	SESSION_APPEND, /* continue current */
	SESSION_FRESH,	/* discard the contents of current */
};

struct session {
	char *path;	    /* the session folder; "." in the daemon */
	char *current_path; /* <path>/samples/current */
	char *meta_path;
	int lock_fd; /* -1: not locked */
	bool killed; /* the previous daemon was killed: its pid was still in the lock file */
	struct run_info info;
	struct stats stats;
	struct cgroup_table cgroups;
	struct name_table names;
	bool open;	   /* stats, cgroups and names are open */
	dev_t current_dev; /* device of the folder that was current when the session was begun */
	ino_t current_inode;
	/*
	 * descriptor of the folder that was current when the session was begun, even if it was
	 * renamed since; -1: none
	 */
	int current_fd;
};

/*
 * Initializes session. Creates the folder path (mode 0700) if it is missing and takes its lock; the
 * lock's file contains this process's pid. Returns 0 or -errno with diag; -EBUSY: another daemon
 * holds the lock, and diag contains its pid.
 */
int session_lock(struct session *session, const char *path, struct diag *diag);

/* Closes all files and releases the lock. */
void session_unlock(struct session *session);

/*
 * Ends the previous session, if any, and creates or continues current: its meta/info (from
 * session->info, which the caller fills), counters, cgroups and names. Returns 0; 1 with a warning
 * for the caller in diag; or -errno.
 */
int session_begin(struct session *session, enum session_begin how, struct diag *diag);

/*
 * session_reset discards current; session_save renames it to the session `name`. Both then begin an
 * empty current, started now, with the same info and the symbols collected so far. All sample files
 * of current must be closed. They return the same as session_begin. session_save also returns
 * -EINVAL if the name is not valid, and -EEXIST if it is taken; current is then unchanged. After
 * other errors the session may be closed (session->open is false).
 */
int session_reset(struct session *session, struct diag *diag);
int session_save(struct session *session, const char *name, struct diag *diag);

/*
 * Moves the folders of sample files out of current; a detached process then removes them. Returns
 * 0 or -errno: some of the folders may still be there.
 */
int session_discard_files(struct session *session);

/* Writes meta/info again, because session->info has new notes. Returns 0 or -errno. */
int session_tell_notes(struct session *session);

/*
 * Opens path, which must be current_path or a path below it. Looks it up in the folder that was
 * current when the session was begun. A child may therefore use this function even after the daemon
 * has saved current under another name. Returns a descriptor, close-on-exec, or -errno.
 */
int session_open_path(const struct session *session, const char *path, int flags);

/*
 * Returns whether the folder that was current when the session was begun no longer exists or is
 * incomplete.
 */
bool session_is_lost(const struct session *session);

/*
 * To be called when session_is_lost() returns true. Renames the remains of current, or the folder
 * that has replaced current, to session "remains-N". The samples in the renamed folder are thus
 * neither discarded nor counted in the new session. Then begins current again. Returns the same as
 * session_begin. If the folder cannot be renamed, its samples stay in current, and the function
 * returns 1 with diag.
 */
int session_recover(struct session *session, struct diag *diag);

/* Checks that name is valid for a session. Returns 0, or -EINVAL with the reason in diag. */
int session_check_name(const char *name, struct diag *diag);

#endif
