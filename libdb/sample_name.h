/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of sample files, below <session dir>/samples/<session>/:
 *
 *   {root}APP/{dep}/{root}IMAGE/EVENT.COUNT.UNITMASK.TGID.TID.CPU.CGROUP.IDENTITY
 *   {kern}/NAME and {anon:NAME}/TGID.START.END stand where an {root} path may.
 *
 * Escapes: the '{' that a component begins with, a '%', a byte below 0x20, a
 * '/' in a NAME and, in EVENT, a '.', are written %XX. A component over 255
 * bytes is cut and ends in %~ and 16 hex digits of a hash of the whole: the
 * true name is in the file's header. What sample_name_format writes,
 * sample_name_parse reads back to the same struct, but for components that
 * were cut: they read %~ and their hash, and are written as they were. What
 * sample_name_format would not write is refused.
 */
#ifndef LIBDB_SAMPLE_NAME_H
#define LIBDB_SAMPLE_NAME_H

#include "lib/diag.h"
#include "oprof/sample_file.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_NAME_ALL (-1) /* a field that reads "all": not separated */

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
	bool hashed;	     /* parsed: a component was cut: ask the file's header */
};

struct sample_name {
	struct sample_path app;
	struct sample_path image; /* the dependent image; same as app when not separated */
	char event[64];
	uint64_t period_or_hz;
	bool frequency; /* written as "997Hz" */
	uint32_t unit_mask;
	int64_t tgid, tid, cpu, cgroup; /* or SAMPLE_NAME_ALL */
	uint64_t identity;		/* sample_identity() */
};

/*
 * The name relative to the session's folder, NUL-terminated, into
 * text[nr_bytes]. 0, -ENAMETOOLONG, or -EINVAL for a name that can't be
 * (empty or relative ROOT path, "." or ".." in it).
 */
int sample_name_format(const struct sample_name *name, char *text, size_t nr_bytes);

/* The other way. 0 or -EINVAL; diag names what is wrong with which part. */
int sample_name_parse(const char *text, struct sample_name *name, struct diag *diag);

/* 16-hex-digit identity of an image: of its build-id, else a hash of the rest. */
uint64_t sample_identity(const struct oprof_image_identity *image);

/*
 * Call visit for each file below session_path that lies where a sample file
 * may (top component begins with '{'), in the order of their names. path is
 * session_path and the name below it. name is NULL where it does not parse,
 * and for a folder that may not be read; diag then says why, else it is NULL.
 * Stops at and returns the first non-zero of visit; else 0 or -errno. Symbolic
 * links are not followed.
 */
int sample_name_walk(const char *session_path,
		     int (*visit)(const char *path, const struct sample_name *name,
				  const struct diag *diag, void *context),
		     void *context);

#endif
