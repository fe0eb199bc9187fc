// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_oprofile.h"

#include "daemon/import/import_interrupt.h"
#include "daemon/session/session.h"
#include "daemon/system/run_user.h"
#include "lib/file.h"
#include "lib/folder.h"
#include "lib/log.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ABI_BYTES_MAX  (64u << 10)
#define FILE_BYTES_MAX ((size_t)1 << 30)
#define EVENTS_ROOM    SOURCE_EVENTS_MAX
#define NS_PER_S       INT64_C(1000000000)

/* The import in progress; nftw() passes no context to its callback. */
static struct importing {
	struct oprofile_abi abi;
	const char *from; /* folder that contains the sample files */
	struct session *session;
	struct event_choice events[EVENTS_ROOM];
	size_t nr_events;
	uint64_t nr_samples, nr_files, nr_arcs, nr_bad;
	int error; /* the error because of which the import ended */
} * importing;

static struct sample_name name; /* too big for the stack */

/*
 * Parses "{root}/usr/bin/x/EVENT.COUNT.UNITMASK.TGID.TID.CPU", the name of a sample file of
 * OProfile. Names of sample files of this project have two more fields, cgroup and identity, which
 * are first appended.
 */
static int parse_name(const char *path, uint64_t identity, struct diag *diag)
{
	char *whole;
	int error;

	if (asprintf(&whole, "%s.all.%016" PRIx64, path, identity) < 0)
		return -ENOMEM;
	error = sample_name_parse(whole, &name, diag);
	free(whole);
	return error;
}

static const char *relative(const char *path)
{
	const char *rest = path + strlen(importing->from);

	while (*rest == '/')
		rest++;
	return rest;
}

static void skip(const char *path, const struct diag *diag)
{
	importing->nr_bad++;
	log_warning("%s is ignored: %s", path, diag->text);
}

/* ---- events ---- */

static void note_event(void)
{
	struct event_choice *event;

	for (size_t i = 0; i < importing->nr_events; i++) {
		event = &importing->events[i];
		if (!strcmp(event->name, name.event) && event->period_or_hz == name.period_or_hz &&
		    event->unit_mask == name.unit_mask)
			return;
	}
	if (importing->nr_events == EVENTS_ROOM)
		return; /* reports still show the event, but without a description */
	event = &importing->events[importing->nr_events++];
	*event = (struct event_choice){
		.period_or_hz = name.period_or_hz,
		.unit_mask = name.unit_mask,
		.kernel = true,
		.user = true,
	};
	(void)snprintf(event->name, sizeof(event->name), "%s", name.event);
	(void)snprintf(event->description, sizeof(event->description), "imported from OProfile");
}

static bool is_arc(const char *path)
{
	return strstr(path, "{cg}") != NULL;
}

static int visit_name(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if (type == FTW_F && S_ISREG(st->st_mode) && !is_arc(path) &&
	    !parse_name(relative(path), 0, NULL))
		note_event();
	return import_interrupted();
}

/* ---- samples ---- */

static int add_nodes(struct sdb *db, const struct oprofile_file *file)
{
	int error = 0;

	for (size_t i = 0; i < file->nr_nodes && !error && !import_interrupted(); i++) {
		if (!file->nodes[i].nr_samples)
			continue;
		error = sdb_add(db, file->nodes[i].key, file->nodes[i].nr_samples);
		if (!error)
			importing->nr_samples += file->nodes[i].nr_samples;
	}
	return error;
}

/*
 * Returns the kind of an image. An image that has a name but no path is the kernel if the name is
 * one of the kernel's names; otherwise it is a module.
 */
static enum oprof_image_kind kind_of(const struct sample_path *path)
{
	if (path->kind == SAMPLE_PATH_ROOT)
		return OPROF_IMAGE_FILE;
	if (path->kind == SAMPLE_PATH_ANON)
		return OPROF_IMAGE_ANON;
	return !strncmp(path->path, "vmlinux", strlen("vmlinux")) ||
			       !strcmp(path->path, "no-vmlinux") || !strcmp(path->path, "kernel")
		       ? OPROF_IMAGE_KERNEL
		       : OPROF_IMAGE_MODULE;
}

static int write_file(const struct oprofile_file *file, const struct oprof_image_identity *image,
		      struct diag *diag)
{
	const struct session *session = importing->session;
	const struct sdb_identity identity = {
		.event = name.event,
		.cpu_type = session->info.cpu_type,
		.host = session->info.host,
		.app_path = name.app.path,
		.image_path = name.image.path,
		.image = *image,
		.image_kind = kind_of(&name.image),
		.unit_mask = name.unit_mask,
		.period_or_hz = name.period_or_hz,
		.image_start = name.image.kind == SAMPLE_PATH_ANON ? name.image.start : 0,
		.clock = CLOCK_MONOTONIC,
		.cpu_khz = (uint32_t)(file->mhz * 1000),
	};
	static char path[PATH_MAX], whole[2 * PATH_MAX];
	struct sdb *db;
	int error = sample_name_format(&name, path, sizeof(path));

	if (error)
		return diag_set(diag, error, "its name cannot be converted");
	(void)snprintf(whole, sizeof(whole), "%s/%s", session->current_path, path);
	error = file_make_parent_dirs(whole, 0700);
	if (error)
		return diag_set(diag, error, "cannot make its folder: %s", strerror(-error));
	error = sdb_open(&db, whole, &identity, diag);
	if (error)
		return error;
	error = add_nodes(db, file);
	sdb_close(db);
	return error ? diag_set(diag, error, "cannot be written: %s", strerror(-error)) : 0;
}

static int read_file(const char *path, struct oprofile_file *file, struct diag *diag)
{
	char *bytes;
	size_t nr_bytes;
	int error = file_read_regular(path, FILE_BYTES_MAX, &bytes, &nr_bytes);

	if (error)
		return diag_set(diag, error, "cannot be read: %s", strerror(-error));
	error = oprofile_file_parse(file, &importing->abi, (const uint8_t *)bytes, nr_bytes, diag);
	free(bytes);
	return error;
}

static int import_file(const char *path, struct diag *diag)
{
	struct oprof_image_identity image = {.mtime_ns = 0};
	struct oprofile_file file;
	int error = parse_name(relative(path), 0, diag);

	if (error)
		return error;
	error = read_file(path, &file, diag);
	if (error)
		return error;
	image.mtime_ns = file.mtime * NS_PER_S;
	name.identity = sample_identity(&image);
	if (import_interrupted())
		error = -EINTR;
	else if (file.nr_nodes)
		error = write_file(&file, &image, diag);
	importing->nr_files += !error;
	oprofile_file_deinit(&file);
	return error;
}

/*
 * Returns why a path found by nftw() cannot be imported. NULL: it can be imported, because it is a
 * file or a folder.
 */
static const char *why_not(const struct stat *st, int type)
{
	switch (type) {
	case FTW_F:
		return S_ISREG(st->st_mode) ? NULL : "not a regular file";
	case FTW_SL:
	case FTW_SLN:
		return "it is a symbolic link";
	case FTW_DNR:
	case FTW_NS:
		return "it cannot be read";
	default:
		return NULL;
	}
}

/* Imports one file. Returns 1 to end the walk of the folder, or 0. */
static int take_file(const char *path)
{
	struct diag diag;
	int error = import_file(path, &diag);

	if (import_interrupted())
		return 1;
	if (error == -ENOSPC || error == -EDQUOT || error == -ENOMEM || error == -EFBIG) {
		importing->error = error;
		return 1;
	}
	if (error)
		skip(path, &diag);
	return 0;
}

static int visit_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *why = why_not(st, type);
	struct diag diag;

	(void)ftw;
	if (import_interrupted())
		return 1;
	if (why) {
		(void)diag_set(&diag, -EINVAL, "%s", why);
		skip(path, &diag);
		return 0;
	}
	if (type != FTW_F)
		return 0;
	if (!is_arc(path))
		return take_file(path);
	importing->nr_arcs++;
	return 0;
}

/* ---- a session ---- */

static int read_abi(const char *folder, struct oprofile_abi *abi, bool *found, struct diag *diag)
{
	char path[PATH_MAX];
	char *text;
	int error;

	*found = false;
	if (snprintf(path, sizeof(path), "%s/abi", folder) >= (int)sizeof(path))
		return 0;
	error = file_read_regular(path, ABI_BYTES_MAX, &text, NULL);
	if (error)
		return error == -ENOENT || error == -ENOTDIR
			       ? 0
			       : diag_set_at(diag, error, path, 0, "cannot be read: %s",
					     error == -EINVAL ? "not a regular file"
							      : strerror(-error));
	*found = true;
	error = oprofile_abi_parse(abi, text, diag);
	free(text);
	return error;
}

/*
 * Looks for the file "abi", which is next to samples/, in the folder `from` and in the two folders
 * above `from`.
 */
static int find_abi(const char *from, struct diag *diag)
{
	static const char *const places[] = {"", "/..", "/../.."};
	bool found = false;
	int error = 0;

	oprofile_abi_init(&importing->abi);
	for (size_t i = 0; i < 3 && !found && !error; i++) {
		char path[PATH_MAX];

		(void)snprintf(path, sizeof(path), "%s%s", from, places[i]);
		error = read_abi(path, &importing->abi, &found, diag);
	}
	return error;
}

static int begin_session(struct session *session, const char *session_dir, bool append,
			 struct diag *diag)
{
	int error = session_lock(session, session_dir, diag);

	if (error)
		return error;
	run_info_init(&session->info);
	session->info.host[0] = '\0';
	session->info.source = "OProfile";
	session->info.target = "system";
	session->info.events = importing->events;
	session->info.nr_events = importing->nr_events;
	error = session_begin(session, append ? SESSION_APPEND : SESSION_FRESH, diag);
	if (error < 0)
		session_unlock(session);
	return error < 0 ? error : 0;
}

/* Counts all imported samples as seen and as stored. */
static void count(struct session *session)
{
	stats_add(&session->stats, STATS_SEEN, importing->nr_samples);
	stats_add(&session->stats, STATS_STORED, importing->nr_samples);
}

/*
 * Reports that the session is partial. If the import was interrupted in the middle of a file, the
 * samples of that file that were added before the interruption remain in the session.
 */
static int tell_part(struct session *session)
{
	session->info.notes = &import_part_note;
	session->info.nr_notes = 1;
	log_warning("interrupted after %" PRIu64 " samples: the other files are not imported",
		    importing->nr_samples);
	return session_tell_notes(session);
}

static int fill_session(struct session *session, struct diag *diag)
{
	importing->session = session;
	if (nftw(importing->from, visit_file, 16, FTW_PHYS) < 0 && !importing->error)
		importing->error = -errno;
	count(session);
	if (import_interrupted())
		return tell_part(session);
	if (importing->error)
		return diag_set(diag, importing->error, "cannot write the session: %s",
				strerror(-importing->error));
	if (!importing->nr_files)
		return diag_set_at(diag, -ENOENT, importing->from, 0,
				   "contains no readable sample file of OProfile");
	log_info("%" PRIu64 " sample%s of %" PRIu64 " file%s", importing->nr_samples,
		 importing->nr_samples == 1 ? "" : "s", importing->nr_files,
		 importing->nr_files == 1 ? "" : "s");
	if (importing->nr_arcs)
		log_warning("%" PRIu64
			    " file%s of call graph arcs %s ignored: OProfile stores callers and "
			    "callees, not whole call chains",
			    importing->nr_arcs, importing->nr_arcs == 1 ? "" : "s",
			    importing->nr_arcs == 1 ? "is" : "are");
	if (importing->nr_bad)
		log_warning("%" PRIu64 " file%s ignored", importing->nr_bad,
			    importing->nr_bad == 1 ? " is" : "s are");
	return 0;
}

static int import_folder(const char *session_dir, bool append, struct diag *diag)
{
	struct session session;
	int error;

	if (nftw(importing->from, visit_name, 16, FTW_PHYS) < 0)
		return diag_set_at(diag, -errno, importing->from, 0, "cannot be read: %s",
				   strerror(errno));
	if (import_interrupted())
		return import_interrupt_tell(diag);
	error = run_user_enter(session_dir, "--session-dir", UINT64_C(1) << CAP_DAC_READ_SEARCH,
			       diag); /* this capability is needed to read the files */
	if (!error)
		error = begin_session(&session, ".", append, diag);
	if (error)
		return error;
	error = fill_session(&session, diag);
	session_unlock(&session);
	return error;
}

int import_oprofile(const char *from, const char *session_dir, bool append, struct diag *diag)
{
	static struct importing one;
	/* static, since `importing` keeps pointers to them */
	static char whole[PATH_MAX], current[PATH_MAX];
	int error;

	/* The session folder becomes the working directory. */
	if (!realpath(from, whole))
		return diag_set_at(diag, -errno, from, 0, "cannot be read: %s", strerror(errno));
	from = whole;
	one = (struct importing){.from = from};
	importing = &one;
	error = find_abi(from, diag);
	if (error)
		return error;
	if (snprintf(current, sizeof(current), "%s/samples/current", from) < (int)sizeof(current) &&
	    !access(current, F_OK))
		one.from = current;
	return import_folder(session_dir, append, diag);
}
