/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the functions that a process has made in memory. The process publishes the names in
 * two files: its perf map (/tmp/perf-PID.map), and its jitdump (jit-PID.dump), which it maps so
 * that profilers find it.
 *
 * Nothing is read before a sample hits memory without a file. Afterwards new data is read about
 * once a second, and more often while samples hit code without a name. A forked process starts with
 * its parent's functions; after an exec a process starts with none. Files are kept open, so that
 * they can still be read when the process has ended. If too many files are open, the least recently
 * used files are closed.
 *
 * Elsewhere: which memory has no file (space), files' contents (perf_map, jitdump).
 */
#ifndef DAEMON_CODE_SPACE_H
#define DAEMON_CODE_SPACE_H

#include "daemon/jit/code_file.h"
#include "daemon/jit/jitdump.h"
#include "daemon/jit/perf_map.h"
#include "daemon/image/space.h"

#include <stdbool.h>

/* Maximum number of files kept open. sample_cache_room() reserves as many descriptors. */
#define CODE_FILES_MAX 64

/* A file that is open or was open before. */
struct code_file {
	int fd; /* -1: not open, or closed again */
	dev_t dev;
	ino_t inode;			 /* 0: never opened */
	struct code_file *newer, *older; /* used while open */
};

/*
 * CPU time that reading files may take. It is limited because programs can write without end. The
 * credit grows by a part of the elapsed time, up to a limit. One reading may take more than the
 * remaining credit.
 */
struct code_credit {
	int64_t ns;
	uint64_t since_ns; /* time of the last refill; 0: never refilled, the credit is full */
};

/* Data that all spaces share. */
struct code_spaces {
	struct code_credit credit;
	uint64_t (*cpu_ns)(void); /* CPU time used by the daemon; tests replace it */
	struct code_pool pool;
	const char *proc_path; /* borrowed */
	const char *host_root; /* "/", borrowed; NULL: this root is not searched */
	struct code_file *newest, *oldest;
	size_t nr_open;
	char *buffer;
	uint64_t nr_files; /* number of times that a file was opened */
	uint64_t nr_late;  /* number of times that reading had to wait for credit (code_credit) */
	/* Number of times that a file was not opened because it may block (prompt_mount.h). */
	uint64_t nr_remote;
	struct perf_map_counts map_counts;
	struct jitdump_counts dump_counts;
};

/* The named code of one process. */
struct code_space {
	struct code_spaces *all;
	struct code_owner owner;
	uint64_t checked_ns; /* time at which the files were last searched; 0: never */
	uint64_t wait_ns;    /* time after which a sample without a name causes another search */
	struct code_credit credit;
	bool unread; /* the files have data that is not read yet */
	struct code_file map_file, dump_file;
	struct perf_map perf_map;
	struct jitdump jitdump;
	uint64_t dump_read_ns;	 /* CLOCK_MONOTONIC of the last reading of the jitdump */
	struct code_map *listed; /* functions from the perf map; NULL: none */
	struct code_map *dumped; /* functions from the jitdump */
};

/* Returns 0 or -ENOMEM. Call code_spaces_deinit in either case. */
int code_spaces_init(struct code_spaces *all, const char *proc_path, const char *host_root);
void code_spaces_deinit(struct code_spaces *all); /* call after all spaces were destroyed */

/* The sample whose code is looked up. Its address is in memory without a file. */
struct code_lookup {
	int32_t tgid;
	bool exited;	   /* the process has ended and is not in /proc */
	uint64_t since_ns; /* time at which the process began its program; 0: when it was created */
	uint64_t time_ns;  /* time of the sample; roughly ascending from call to call */
	uint64_t address;
	const struct space *space; /* the mappings of the process, which may include a jitdump */
};

/*
 * Finds the code at `place` in *space, which is created if needed, and sets *number to the number
 * of its name. Returns false if the code has no known name.
 */
bool code_space_find(struct code_space **space, struct code_spaces *all,
		     const struct code_lookup *place, uint32_t *number);

/*
 * Returns the space of a new child of the process whose space is parent (NULL is allowed). NULL:
 * the child inherits nothing, or out of memory.
 */
struct code_space *code_space_fork(const struct code_space *parent);

/* Returns whether the process has published files about its own code. NULL is allowed. */
bool code_space_has_files(const struct code_space *space);

void code_space_destroy(struct code_space *space); /* NULL is allowed */

#endif
