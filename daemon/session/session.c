// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/session.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/folder.h"
#include "oprof/control.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REMAINS_MAX 1000

/* If another daemon holds the lock, this daemon repeats its attempts for two seconds. */
#define LOCK_PAUSE_NS 50000000
#define LOCK_TRIES    40u

__attribute__((format(printf, 1, 2))) static char *path_format(const char *format, ...)
{
	char *path = NULL;
	va_list args;
	int nr;

	va_start(args, format);
	nr = vasprintf(&path, format, args);
	va_end(args);
	return nr < 0 ? NULL : path;
}

/* Returns the pid in the lock file; 0: the file has no pid. */
static long session_lock_owner(int fd)
{
	char text[32];
	ssize_t nr = file_pread_all(fd, text, sizeof(text) - 1, 0);

	if (nr <= 0)
		return 0;
	text[nr] = '\0';
	return strtol(text, NULL, 10);
}

static int session_write_lock(int fd)
{
	char text[32];
	int nr = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	ssize_t written;

	if (ftruncate(fd, 0))
		return -errno;
	written = pwrite(fd, text, (size_t)nr, 0);
	if (written < 0)
		return -errno;
	return written == nr ? 0 : -ENOSPC;
}

/*
 * Takes the lock. A killed daemon keeps its lock until the kernel has closed all its descriptors,
 * which takes some time. Returns 0 or -errno; -EWOULDBLOCK: another daemon runs.
 */
static int session_wait_lock(int fd)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

	for (unsigned int i = 1; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK || i == LOCK_TRIES)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

/*
 * Checks the session folder of a daemon of root, because another user may have prepared something
 * in it (lib/folder.h). Checks the names at the top, the code tables and the current session. Saved
 * sessions need no check, because the daemon only adds to them, by renaming current. Discarded
 * sessions need no check, because the daemon removes them without following links.
 */
static int session_check_folder(const char *path, struct diag *diag)
{
	static const struct {
		const char *name;
		unsigned int depth;
	} parts[] = {
		{OPROF_LOCK_NAME, 0},
		{OPROF_CONTROL_NAME, 0},
		{"oprofiled.log", 0},
		{"oprofiled.log.1", 0},
		{OPROF_SAMPLES_NAME, 0},
		{OPROF_CODE_NAME, FOLDER_WHOLE},
		{OPROF_SAMPLES_NAME "/" OPROF_SESSION_CURRENT "/" OPROF_META_NAME, 1},
		{OPROF_SAMPLES_NAME "/" OPROF_SESSION_CURRENT, FOLDER_WHOLE},
	};
	char whole[PATH_MAX]; /* in the daemon, path is "." */
	int fd, error = 0;

	if (geteuid())
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return diag_set(diag, -errno, "cannot open %s: %s", path, strerror(errno));
	if (folder_path(fd, whole)) /* there is no /proc */
		(void)snprintf(whole, sizeof(whole), "%s", path);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !error; i++)
		error = folder_check_tree(fd, parts[i].name, parts[i].depth, whole, diag);
	(void)close(fd);
	return error;
}

static int session_take_lock(struct session *session, struct diag *diag)
{
	char *path = path_format("%s/" OPROF_LOCK_NAME, session->path);
	int error = 0;
	int fd;

	if (!path)
		return diag_set(diag, -ENOMEM, "out of memory");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		error = diag_set(diag, -errno, "cannot open %s: %s", path, strerror(errno));
	else if ((error = session_wait_lock(fd)))
		error = error != -EWOULDBLOCK
				? diag_set(diag, error, "cannot lock %s: %s", path,
					   strerror(-error))
				: diag_set(diag, -EBUSY,
					   "another oprofiled, process %ld, writes to this session "
					   "folder: end it, or give another --session-dir",
					   session_lock_owner(fd));
	else {
		session->killed = session_lock_owner(fd) != 0;
		error = session_write_lock(fd);
		if (error) /* the message omits the path, which is "." in the daemon */
			(void)diag_set(diag, error, "cannot write %s in the session folder: %s",
				       OPROF_LOCK_NAME, strerror(-error));
	}
	free(path);
	if (error && fd >= 0)
		(void)close(fd);
	else
		session->lock_fd = fd;
	return error;
}

int session_lock(struct session *session, const char *path, struct diag *diag)
{
	int error;

	memset(session, 0, sizeof(*session));
	session->lock_fd = session->current_fd = -1;
	error = file_make_dirs(path, 0700);
	if (error)
		return diag_set(diag, error, "cannot make the session folder %s: %s", path,
				strerror(-error));
	session->path = strdup(path);
	session->current_path =
		path_format("%s/" OPROF_SAMPLES_NAME "/" OPROF_SESSION_CURRENT, path);
	session->meta_path = path_format(
		"%s/" OPROF_SAMPLES_NAME "/" OPROF_SESSION_CURRENT "/" OPROF_META_NAME, path);
	if (!session->path || !session->current_path || !session->meta_path)
		error = diag_set(diag, -ENOMEM, "out of memory");
	else
		error = session_check_folder(path, diag);
	if (!error)
		error = session_take_lock(session, diag);
	if (error)
		session_unlock(session);
	return error;
}

/* Closes counters, cgroups and names. Does not remove the folder. */
static void session_end(struct session *session)
{
	if (session->current_fd >= 0)
		(void)close(session->current_fd);
	session->current_fd = -1;
	if (!session->open)
		return;
	stats_close(&session->stats);
	cgroup_table_deinit(&session->cgroups);
	name_table_deinit(&session->names);
	session->open = false;
}

void session_unlock(struct session *session)
{
	session_end(session);
	if (session->lock_fd >= 0) {
		if (ftruncate(session->lock_fd, 0)) {
			/*
			 * The file keeps a stale pid, which does no harm: only the lock is
			 * significant.
			 */
		}
		/*
		 * Closing is not sufficient to release the lock if a child that was just forked
		 * still has the descriptor.
		 */
		(void)flock(session->lock_fd, LOCK_UN);
		(void)close(session->lock_fd);
	}
	free(session->path);
	free(session->current_path);
	free(session->meta_path);
	session->path = session->current_path = session->meta_path = NULL;
	session->lock_fd = -1;
}

/* Removes all discarded sessions, including those that a killed daemon left. */
static void session_remove_trash(const char *samples_path)
{
	DIR *folder = opendir(samples_path);
	const struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder))) {
		char *path;

		if (strncmp(entry->d_name, OPROF_SESSION_TRASH, strlen(OPROF_SESSION_TRASH)) != 0)
			continue;
		path = path_format("%s/%s", samples_path, entry->d_name);
		if (path)
			(void)file_remove_tree(path);
		free(path);
	}
	(void)closedir(folder);
}

/*
 * Removes discarded sessions in a detached process, because the daemon could not read its rings
 * while it removes thousands of files, and the rings would overflow.
 */
static void session_remove_trash_apart(const struct session *session)
{
	char *path = path_format("%s/" OPROF_SAMPLES_NAME, session->path);
	pid_t pid;

	if (!path)
		return; /* the next call removes these sessions */
	pid = fork();
	if (!pid) {
		if (!fork()) {
			/*
			 * Close the lock, events and client connections, so that none of them
			 * outlives the daemon.
			 */
			(void)close_range(3, ~0U, 0);
			session_remove_trash(path);
		}
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(path);
}

/*
 * Renames path, so that it can be removed. *trash: its new path; NULL if there was nothing at path.
 */
static int session_discard(const struct session *session, const char *path, char **trash)
{
	static unsigned int nr;
	char *to = path_format("%s/" OPROF_SAMPLES_NAME "/" OPROF_SESSION_TRASH ".%d.%u",
			       session->path, (int)getpid(), ++nr);
	int error;

	*trash = NULL;
	if (!to)
		return -ENOMEM;
	if (!rename(path, to)) {
		*trash = to;
		return 0;
	}
	error = errno == ENOENT ? 0 : -errno;
	free(to);
	return error;
}

/* Moves one folder of sample files of current to the trash. */
static int discard_folder(const struct session *session, const char *name)
{
	char *path = path_format("%s/%s", session->current_path, name);
	char *trash = NULL;
	int error = path ? session_discard(session, path, &trash) : -ENOMEM;

	free(path);
	free(trash);
	return error;
}

int session_discard_files(struct session *session)
{
	DIR *folder = opendir(session->current_path);
	const struct dirent *entry;
	bool is_any = false;
	int error = 0;

	if (!folder)
		return -errno;
	while (!error && (errno = 0, entry = readdir(folder))) {
		if (entry->d_name[0] != '{')
			continue;
		error = discard_folder(session, entry->d_name);
		is_any = true;
	}
	if (!error)
		error = -errno;
	(void)closedir(folder);
	if (is_any)
		session_remove_trash_apart(session);
	return error;
}

/*
 * Links the files of the folder `name` of session `from` into this session. Sessions can share
 * these files, because they never change.
 */
static void share_files(const struct session *session, const char *from, const char *name)
{
	char *old_path = path_format("%s/" OPROF_META_NAME "/%s", from, name);
	char *new_path = path_format("%s/%s", session->meta_path, name);
	DIR *folder = old_path ? opendir(old_path) : NULL;
	const struct dirent *entry;

	if (folder && new_path && !mkdir(new_path, 0700)) {
		int fd = open(new_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		while (fd >= 0 && (entry = readdir(folder)))
			if (entry->d_name[0] != '.' &&
			    linkat(dirfd(folder), entry->d_name, fd, entry->d_name, 0))
				continue; /* files that cannot be shared are written again */
		if (fd >= 0)
			(void)close(fd);
	}
	if (folder)
		(void)closedir(folder);
	free(old_path);
	free(new_path);
}

/* Opens the tables of cgroups and names. If one of them cannot be opened, neither is open. */
static int session_open_tables(struct session *session)
{
	char *cgroups = path_format("%s/" OPROF_CGROUPS_NAME, session->meta_path);
	char *names = path_format("%s/" OPROF_NAMES_NAME, session->meta_path);
	int error = cgroups && names ? cgroup_table_init(&session->cgroups, cgroups) : -ENOMEM;

	if (!error) {
		error = name_table_init(&session->names, names);
		if (error)
			cgroup_table_deinit(&session->cgroups);
	}
	free(cgroups);
	free(names);
	return error;
}

static int session_open_meta(struct session *session, struct diag *diag)
{
	char *stats = path_format("%s/" OPROF_STATS_NAME, session->meta_path);
	int damaged = 0;
	int error = stats ? session_open_tables(session) : -ENOMEM;

	if (!error) {
		damaged = stats_open(&session->stats, stats);
		if (damaged < 0) {
			error = damaged;
			cgroup_table_deinit(&session->cgroups);
			name_table_deinit(&session->names);
		}
	}
	free(stats);
	if (error)
		return diag_set(diag, error, "cannot open counters, cgroups and names in %s: %s",
				session->meta_path, strerror(-error));
	session->open = true;
	return damaged ? diag_set(diag, 1, "%s/stats was damaged: its counters begin at 0",
				  session->meta_path)
		       : 0;
}

static int session_write_info(struct session *session, struct diag *diag)
{
	char *path = path_format("%s/" OPROF_INFO_NAME, session->meta_path);
	int error = path ? run_info_write(&session->info, path) : -ENOMEM;

	free(path);
	if (error < 0)
		return diag_set(diag, error, "cannot write %s/info: %s", session->meta_path,
				strerror(-error));
	if (error > 0)
		return diag_set(diag, 1,
				"the session also contains samples of other events or with "
				"another separation: reports may require a selection of the "
				"samples to show");
	return 0;
}

int session_tell_notes(struct session *session)
{
	int error = session_write_info(session, NULL);

	return error < 0 ? error : 0;
}

static int session_open_folder(struct session *session)
{
	struct stat st;
	int error = 0;

	session->current_fd = open(session->current_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (session->current_fd < 0 || fstat(session->current_fd, &st))
		error = -errno;
	else {
		session->current_dev = st.st_dev;
		session->current_inode = st.st_ino;
	}
	return error;
}

int session_open_path(const struct session *session, const char *path, int flags)
{
	size_t nr_bytes = strlen(session->current_path);
	const char *rest = path + nr_bytes;
	int fd;

	assert(!strncmp(path, session->current_path, nr_bytes) && (!*rest || *rest == '/'));
	rest += strspn(rest, "/");
	fd = openat(session->current_fd, *rest ? rest : ".", flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Combines the results of two steps, each 0, 1 (a warning) or -errno. Returns the error of the
 * second step; otherwise 1 if either step warned, or 0. diag has the text of the first step's
 * warning, if any. A warning of the second step is appended to this text; an error of the second
 * step replaces the text.
 */
static int join_warnings(int first, int second, const struct diag *second_diag, struct diag *diag)
{
	char text[DIAG_TEXT_BYTES];

	if (!second || !diag)
		return second ? second : first;
	if (second < 0 || !first) {
		*diag = *second_diag;
		return second;
	}
	memcpy(text, diag->text, sizeof(text));
	return diag_set(diag, 1, "%s; %s", text, second_diag->text);
}

/*
 * Makes the session's folder with meta/info, counters, cgroups and names. from: previous session
 * with which symbols are shared, or NULL.
 */
static int session_make(struct session *session, const char *from, struct diag *diag)
{
	int error = file_make_dirs(session->meta_path, 0700);
	struct diag why;
	int warned;

	if (!error)
		error = session_open_folder(session);
	if (error)
		return diag_set(diag, error, "cannot make %s: %s", session->current_path,
				strerror(-error));
	if (from) {
		share_files(session, from, OPROF_SYMBOLS_NAME);
		share_files(session, from, OPROF_IMAGES_NAME);
	}
	session->info.started_ns = clock_realtime_ns();
	warned = session_write_info(session, diag);
	if (warned < 0)
		return warned;
	error = session_open_meta(session, &why);
	return join_warnings(warned, error, &why, diag);
}

static int session_make_empty(struct session *session, bool same_run, struct diag *diag)
{
	char *trash;
	int error = session_discard(session, session->current_path, &trash);

	if (error)
		return diag_set(diag, error, "cannot move %s away: %s", session->current_path,
				strerror(-error));
	error = session_make(session, same_run ? trash : NULL, diag);
	free(trash);
	session_remove_trash_apart(session);
	return error;
}

int session_begin(struct session *session, enum session_begin how, struct diag *diag)
{
	session_end(session);
	return how == SESSION_FRESH ? session_make_empty(session, false, diag)
				    : session_make(session, NULL, diag);
}

int session_reset(struct session *session, struct diag *diag)
{
	session_end(session);
	return session_make_empty(session, true, diag);
}

int session_check_name(const char *name, struct diag *diag)
{
	if (!name[0] || strlen(name) > OPROF_SESSION_NAME_BYTES_MAX)
		return diag_set(diag, -EINVAL, "a session's name must have 1 to %d bytes",
				OPROF_SESSION_NAME_BYTES_MAX);
	if (!strcmp(name, OPROF_SESSION_CURRENT))
		return diag_set(diag, -EINVAL,
				"'%s' is the session being written: give another name", name);
	if (name[0] == '.' || name[0] == '{')
		return diag_set(diag, -EINVAL, "a session's name cannot begin with '%c'", name[0]);
	for (const char *c = name; *c; c++)
		if (*c == '/' || iscntrl((unsigned char)*c))
			return diag_set(
				diag, -EINVAL,
				"a session's name cannot contain '/' or control characters");
	return 0;
}

int session_save(struct session *session, const char *name, struct diag *diag)
{
	char *path;
	int error = session_check_name(name, diag);

	if (error)
		return error;
	path = path_format("%s/" OPROF_SAMPLES_NAME "/%s", session->path, name);
	if (!path)
		return diag_set(diag, -ENOMEM, "out of memory");
	/*
	 * The lock excludes other writers, so no session gets this name between the check and
	 * rename(). renameat2() would need no check, but NFS lacks it.
	 */
	if (!access(path, F_OK))
		error = diag_set(diag, -EEXIST, "session '%s' exists already", name);
	else if (rename(session->current_path, path))
		error = diag_set(diag, -errno, "cannot rename %s to %s: %s", session->current_path,
				 path, strerror(errno));
	if (!error) {
		session_end(session);
		error = session_make(session, path, diag);
	}
	free(path);
	return error;
}

bool session_is_lost(const struct session *session)
{
	struct stat st;

	if (stat(session->current_path, &st) || st.st_dev != session->current_dev ||
	    st.st_ino != session->current_inode)
		return true;
	/*
	 * If the counters' file is missing, the folder was partly removed while files were being
	 * created in it.
	 */
	return session->open && access(session->stats.path, F_OK) && errno == ENOENT;
}

/*
 * Renames the remains of current. Returns 0, also if nothing is left; -EEXIST: all names are taken;
 * or another -errno.
 */
static int session_move_remains(const struct session *session)
{
	int error = -EEXIST;

	for (unsigned int nr = 1; nr <= REMAINS_MAX && error == -EEXIST; nr++) {
		struct stat st;
		char *path = path_format("%s/" OPROF_SAMPLES_NAME "/" SESSION_REMAINS_NAME "-%u",
					 session->path, nr);

		if (!path)
			return -ENOMEM;
		if (lstat(path, &st))
			error = rename(session->current_path, path) ? -errno : 0;
		if (error == -ENOTEMPTY)
			error = -EEXIST;
		free(path);
	}
	return error == -ENOENT ? 0 : error;
}

int session_recover(struct session *session, struct diag *diag)
{
	const int kept = session_move_remains(session);
	const int begun = session_begin(session, SESSION_APPEND, diag);
	struct diag why;

	if (begun < 0 || !kept)
		return begun;
	diag_set(&why, 1,
		 "cannot move the rest of the removed session %s to " SESSION_REMAINS_NAME
		 "-N: %s; the samples of the remaining files stay in the new session",
		 session->current_path,
		 kept == -EEXIST ? "all names are taken; remove old ones" : strerror(-kept));
	return join_warnings(begun, 1, &why, diag);
}
