/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the names of functions in code that processes generated while they ran (code_space). The
 * kernel module reports no forks, and only executable mappings. When a sample needs the other
 * mappings or the parent of a process, they are read from /proc.
 *
 * A process that has no such code has no entry here, because the records contain all data that is
 * needed about the process.
 */
#ifndef DAEMON_KMOD_PROCESS_H
#define DAEMON_KMOD_PROCESS_H

#include "daemon/jit/code_space.h"
#include "daemon/image/region.h"

struct kmod_process {
	struct node node;      /* by generation */
	struct node tgid_node; /* by tgid */
	uint64_t generation;
	int32_t tgid;
	struct image_entry *app; /* program of the process; holds a reference, or NULL */
	uint64_t since_ns;	 /* time at which the program began; 0: unknown */
	uint64_t last_ns;	 /* time of the last sample of the process in generated code */
	struct code_space *code; /* NULL: none known */
	struct space *space;	 /* mappings of the process, to find its jitdump; NULL: unknown */
	uint64_t scanned_ns;	 /* time at which the mappings were last read */
	uint64_t scan_wait_ns;
	bool exited; /* the process's tgid was not found in /proc */
	/* the ancestors' code was searched, or is not inherited because of an exec */
	bool inherited;
};

struct kmod_processes {
	struct node_hash generations, tgids;
	struct code_spaces *code; /* borrowed, like the next two pointers */
	const struct region_maker *regions;
	const char *proc_path;
	size_t nr_spaces;
};

/* The process that runs the code, as the records describe it. */
struct kmod_runner {
	uint64_t generation;
	int32_t tgid;
	struct image_entry *app; /* borrowed; NULL: unknown */
};

int kmod_processes_init(struct kmod_processes *table, struct code_spaces *code,
			const struct region_maker *regions,
			const char *proc_path); /* Returns 0 or -ENOMEM. */
void kmod_processes_deinit(struct kmod_processes *table);

/* Like code_space_find, for memory without a file in the runner's process. */
bool kmod_processes_code(struct kmod_processes *table, const struct kmod_runner *runner,
			 uint64_t time_ns, uint64_t address, uint32_t *number);

/* Call this when the process with this generation has ended. Removes the process. */
void kmod_processes_end(struct kmod_processes *table, uint64_t generation);

#endif
