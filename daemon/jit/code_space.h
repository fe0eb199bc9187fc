/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that a process has made in memory, by name, as it publishes
 * them itself: in its perf map file (/tmp/perf-PID.map) and its jitdump file
 * (jit-PID.dump, which it maps so that it is seen).
 *
 * Nothing is read before a sample falls into memory without a file; then
 * about once a second at most, and only what was added. A fork has what its
 * parent had; a program that execs has nothing. Files are kept open, the least
 * recently used closed when they are too many, so that those of a process
 * that has ended can still be read.
 *
 * Not for: which memory has no file (space), files' contents (perf_map, jitdump).
 */
#ifndef DAEMON_CODE_SPACE_H
#define DAEMON_CODE_SPACE_H

#include "daemon/jit/code_file.h"
#include "daemon/jit/jitdump.h"
#include "daemon/jit/perf_map.h"
#include "daemon/image/space.h"

#include <stdbool.h>

/* Descriptors held; sample_cache_room() leaves as many. */
#define CODE_FILES_MAX 64

/* A file that is or was open. */
struct code_file {
	int fd; /* -1: not open (any more) */
	dev_t dev;
	ino_t inode;			 /* 0: never was */
	struct code_file *newer, *older; /* while open */
};

/*
 * CPU time that reading may take: what programs write they can write without
 * end, and have the daemon read it. A part of the time that goes by, saved up
 * to a bound. May be overdrawn by one reading.
 */
struct code_credit {
	int64_t ns;
	uint64_t since_ns; /* when it was that; 0: never yet, it is full */
};

/* What all spaces share. */
struct code_spaces {
	struct code_credit credit;
	uint64_t (*cpu_ns)(void); /* that the daemon used; tests have their own */
	struct code_pool pool;
	const char *proc_path; /* borrowed */
	const char *host_root; /* "/", borrowed; NULL: not to be looked at */
	struct code_file *newest, *oldest;
	size_t nr_open;
	char *buffer;
	uint64_t nr_files;  /* opened, first time or anew */
	uint64_t nr_late;   /* times that what there was to read had to wait: code_credit */
	uint64_t nr_remote; /* times that one was not even looked for: prompt_mount.h */
	struct perf_map_counts map_counts;
	struct jitdump_counts dump_counts;
};

/* Of one process. */
struct code_space {
	struct code_spaces *all;
	struct code_owner owner;
	uint64_t checked_ns; /* when it was last looked for files; 0: never */
	uint64_t wait_ns;    /* to look again for what has no name */
	struct code_credit credit;
	bool unread; /* there is more in its files than was read */
	struct code_file map_file, dump_file;
	struct perf_map perf_map;
	struct jitdump jitdump;
	uint64_t dump_read_ns;	 /* CLOCK_MONOTONIC: it is known up to then */
	struct code_map *listed; /* by the perf map; NULL: nothing */
	struct code_map *dumped; /* by the jitdump */
};

/* 0 or -ENOMEM: deinit in either case. */
int code_spaces_init(struct code_spaces *all, const char *proc_path, const char *host_root);
void code_spaces_deinit(struct code_spaces *all); /* all its spaces must be gone */

/* A sample's place, in memory without a file. */
struct code_lookup {
	int32_t tgid;
	bool exited;	   /* nothing is to be found in /proc */
	uint64_t since_ns; /* the process runs its program since; 0: since it began */
	uint64_t time_ns;  /* of the sample; about to ascend */
	uint64_t address;
	const struct space *space; /* of the process: it may have mapped a jitdump */
};

/*
 * The number of the name of what was at place, in *space, which is made if
 * need be. False: it has no name that we know.
 */
bool code_space_find(struct code_space **space, struct code_spaces *all,
		     const struct code_lookup *place, uint32_t *number);

/* What a child of parent (NULL is fine) begins with; NULL: nothing, or no memory. */
struct code_space *code_space_fork(const struct code_space *parent);

/* The process has told of its own code; NULL is fine. */
bool code_space_has_files(const struct code_space *space);

void code_space_destroy(struct code_space *space); /* NULL is fine */

#endif
