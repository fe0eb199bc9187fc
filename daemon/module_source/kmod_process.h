/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that run code which they made, for its functions' names
 * (code_space). The kernel module tells neither forks nor what a process maps
 * without running it: that is read from /proc when a sample asks for it.
 *
 * Others are not here: the records tell all that is to be known of them.
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
	struct image_entry *app; /* of its program; a reference, or NULL */
	uint64_t since_ns;	 /* it runs that since; 0: not known */
	uint64_t last_ns;	 /* of its last sample here */
	struct code_space *code; /* NULL: none known */
	struct space *space;	 /* what it maps, to find its jitdump; NULL: not known */
	uint64_t scanned_ns;	 /* when that was read */
	uint64_t scan_wait_ns;
	bool exited;	/* there was none of its tgid in /proc */
	bool inherited; /* its parents have been asked */
};

struct kmod_processes {
	struct node_hash generations, tgids;
	struct code_spaces *code; /* borrowed, as the rest */
	const struct region_maker *regions;
	const char *proc_path;
	size_t nr_spaces;
};

/* Whose code it is, as records tell. */
struct kmod_runner {
	uint64_t generation;
	int32_t tgid;
	struct image_entry *app; /* borrowed; NULL: not known */
};

int kmod_processes_init(struct kmod_processes *table, struct code_spaces *code,
			const struct region_maker *regions, const char *proc_path); /* or -ENOMEM */
void kmod_processes_deinit(struct kmod_processes *table);

/* As code_space_find, of memory without a file in the process. */
bool kmod_processes_code(struct kmod_processes *table, const struct kmod_runner *runner,
			 uint64_t time_ns, uint64_t address, uint32_t *number);

/* The process has ended. */
void kmod_processes_end(struct kmod_processes *table, uint64_t generation);

#endif
