/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions made to order for tests: sample files by libdb, and the meta files
 * beside them. Fails the test (ck_assert) when anything can't be made.
 */
#ifndef TESTS_MAKE_SESSION_H
#define TESTS_MAKE_SESSION_H

#include "oprof/sample_file.h"
#include "libdb/slice.h"
#include "libdb/stack_tree.h"
#include "oprof/slice.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct make_session {
	char dir[256];	  /* the session directory */
	const char *name; /* session that things are added to; "current" */
};

/* One sample file. What is 0 or NULL is the usual. */
struct make_file {
	const char *app;       /* "/bin/x", or a name without a path: "vmlinux" */
	const char *image;     /* NULL: app */
	const char *event;     /* NULL: "cpu-clock" */
	uint64_t period_or_hz; /* 0: 1000000 */
	bool frequency;
	uint32_t unit_mask;
	int64_t tgid, tid;  /* 0: all */
	int64_t cpu_behind; /* CPU + 1; 0: all */
	int64_t cgroup;	    /* 0: all */
	const char *cgroup_path;
	const char *host;		    /* NULL: "testhost" */
	uint32_t flags;			    /* OPROF_SDB_* besides those that the rest says */
	uint8_t version;		    /* of the binary: another one is another identity */
	int64_t start_time_ns, end_time_ns; /* 0: not set */
	enum oprof_image_kind kind;	    /* 0: file or kernel by its name */
	uint64_t weight_each;		    /* of each sample; 0: none is stored */
	uint64_t epoch;			    /* of a live file; 0: it has none */
	const struct oprof_image_identity *identity; /* NULL: made from image and version */
};

struct make_sample {
	uint64_t key;
	uint64_t nr_samples;
};

/* A new folder in TMPDIR or /tmp; removed by deinit. */
void make_session_init(struct make_session *session);
void make_session_deinit(struct make_session *session);

/* Add samples to the file, made when it is missing. path[PATH_MAX] of it, unless NULL. */
void make_session_add(const struct make_session *session, const struct make_file *file,
		      const struct make_sample *samples, size_t nr_samples, char *path);
/* The same for one key. */
void make_session_add_one(const struct make_session *session, const struct make_file *file,
			  uint64_t key, uint64_t nr_samples);

/* <session>/meta/name with text in it. */
void make_session_meta(const struct make_session *session, const char *name, const void *text,
		       size_t nr_bytes);

struct make_stat {
	const char *name;
	uint64_t value;
};

/* A closed slice. Its counters: begin and end have the same names. */
struct make_slice_head {
	enum oprof_slice_level level;
	uint64_t epoch_first, epoch_last;
	int64_t begin_ns, end_ns;
	const struct make_stat *begin, *end;
	size_t nr_stats;
	const char *host;		 /* NULL: "testhost" */
	const struct stack_tree *stacks; /* NULL: it has none */
};

/* Samples of one key of a section; files again and again are one section. */
struct make_slice_part {
	struct make_file file;
	uint64_t key, nr_samples;
};

/* path[PATH_MAX] of it, unless NULL. */
void make_session_slice(const struct make_session *session, const struct make_slice_head *head,
			const struct make_slice_part *parts, size_t nr_parts, char *path);
/* The section that file is. */
void make_session_section(struct slice_section *section, const struct make_file *file);

void make_session_stats(const struct make_session *session, const struct make_stat *stats,
			size_t nr_stats);

#endif
