/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of sample files, relative to <session dir>/samples/<session>/:
 *
 *   {root}APP/{dep}/{root}IMAGE/EVENT.COUNT.UNITMASK.TGID.TID.CPU.CGROUP.IDENTITY
 *   {kern}/NAME and {anon:NAME}/TGID.START.END may replace either {root} path.
 *
 * Escapes: some bytes are written as %XX: a '{' at the start of a component, a '%', a byte below
 * 0x20, a '/' in a NAME or EVENT, a '.' in an EVENT, and the dots of a {kern} NAME "." or "..".
 *
 * A component of more than 255 bytes is cut: it ends with %~ and with 16 hex digits of a hash of
 * the whole component. The file's header then has the complete name.
 *
 * sample_name_parse() reverses sample_name_format(): it returns the struct that was formatted, with
 * one exception: a cut component remains cut, with its %~ and hash. sample_name_format() writes
 * such a component unchanged. sample_name_parse() refuses each name that sample_name_format() would
 * not write.
 */
#ifndef LIBDB_SAMPLE_NAME_H
#define LIBDB_SAMPLE_NAME_H

#include "lib/diag.h"
#include "oprof/sample_file.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_NAME_ALL (-1) /* value "all": samples are not separated by this field */

enum sample_path_kind {
	SAMPLE_PATH_ROOT, /* a path in the file system, beginning with '/' */
	SAMPLE_PATH_KERN, /* a name without a path: vmlinux, ext4, {idle}, [vdso] */
	SAMPLE_PATH_ANON, /* a region of memory: name, tgid, start, end */
};

struct sample_path {
	enum sample_path_kind kind;
	char path[PATH_MAX]; /* ROOT: the path; KERN, ANON: the name */
	int64_t tgid;	     /* ANON only */
	uint64_t start, end; /* ANON only */
	/* Set by the parser: a component was cut; the file's header has the complete path. */
	bool hashed;
};

struct sample_name {
	struct sample_path app;
	struct sample_path image; /* the dependent image; equals app if images are not separated */
	char event[64];
	uint64_t period_or_hz;
	bool frequency; /* written as "997Hz" */
	uint32_t unit_mask;
	int64_t tgid, tid, cpu, cgroup; /* or SAMPLE_NAME_ALL */
	uint64_t identity;		/* sample_identity() */
};

/*
 * Writes the name relative to the session's folder, NUL-terminated, into text[nr_bytes]. Returns
 * 0, -ENAMETOOLONG, or -EINVAL if the name is invalid (for example an empty or relative ROOT path,
 * or "." or ".." in a path).
 */
int sample_name_format(const struct sample_name *name, char *text, size_t nr_bytes);

/* Parses text. Returns 0 or -EINVAL; diag then has the wrong part and the reason. */
int sample_name_parse(const char *text, struct sample_name *name, struct diag *diag);

/*
 * Returns the identity of an image, which file names contain as 16 hex digits: the first bytes of
 * the image's build-id or, if the image has no build-id, a hash of the other fields.
 */
uint64_t sample_identity(const struct oprof_image_identity *image);

/*
 * Calls visit for each file below session_path whose top component begins with '{', as the names of
 * sample files do. Visits the files in the order of their names. In the call, path is session_path
 * followed by the file's name. If the name cannot be parsed, or the path is a folder that this user
 * may not read, `name` is NULL and diag has the reason; otherwise diag is NULL. If visit returns a
 * non-zero value, the walk stops and returns this value. Otherwise returns 0 or -errno. Does not
 * follow symbolic links.
 */
int sample_name_walk(const char *session_path,
		     int (*visit)(const char *path, const struct sample_name *name,
				  const struct diag *diag, void *context),
		     void *context);

#endif
