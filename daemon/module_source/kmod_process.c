// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_process.h"

#include "daemon/places/proc_scan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Maximum number of ancestors among which to search for the process that made the code. */
#define FORKS_MAX 8u
/*
 * Interval of reading the mappings of a process that has no jitdump file. After each reading, the
 * interval doubles, up to the maximum.
 */
#define SCAN_NS	    UINT64_C(1000000000)
#define SCAN_MAX_NS UINT64_C(8000000000)

int kmod_processes_init(struct kmod_processes *table, struct code_spaces *code,
			const struct region_maker *regions, const char *proc_path)
{
	*table = (struct kmod_processes){.code = code, .regions = regions, .proc_path = proc_path};
	if (node_hash_init(&table->generations))
		return -ENOMEM;
	return node_hash_init(&table->tgids);
}

/* Call when the process ends or runs another program: forgets the program that it ran. */
static void process_forget(struct kmod_process *process)
{
	code_space_destroy(process->code);
	space_put(process->space);
	image_put(process->app);
	process->code = NULL;
	process->space = NULL;
	process->app = NULL;
	process->scanned_ns = 0;
	process->scan_wait_ns = SCAN_NS;
}

static void process_free(struct kmod_processes *table, struct kmod_process *process)
{
	node_hash_remove(&table->generations, &process->node);
	node_hash_remove(&table->tgids, &process->tgid_node);
	process_forget(process);
	free(process);
}

void kmod_processes_deinit(struct kmod_processes *table)
{
	struct node *node;

	while (table->generations.buckets && (node = node_hash_any(&table->generations)))
		process_free(table, node_owner(node, struct kmod_process, node));
	if (table->generations.buckets)
		node_hash_deinit(&table->generations);
	if (table->tgids.buckets)
		node_hash_deinit(&table->tgids);
}

static struct kmod_process *find(const struct kmod_processes *table, uint64_t generation)
{
	struct node *node = node_hash_first(&table->generations, hash_number(generation));

	for (; node; node = node_hash_next(node)) {
		struct kmod_process *process = node_owner(node, struct kmod_process, node);

		if (process->generation == generation)
			return process;
	}
	return NULL;
}

/* Returns the latest process with this tgid. */
static struct kmod_process *find_tgid(const struct kmod_processes *table, int32_t tgid)
{
	struct node *node = node_hash_first(&table->tgids, hash_number((uint64_t)tgid));
	struct kmod_process *latest = NULL;

	for (; node; node = node_hash_next(node)) {
		struct kmod_process *process = node_owner(node, struct kmod_process, tgid_node);

		if (process->tgid == tgid && (!latest || process->generation > latest->generation))
			latest = process;
	}
	return latest;
}

void kmod_processes_end(struct kmod_processes *table, uint64_t generation)
{
	struct kmod_process *process = find(table, generation);

	if (process)
		process_free(table, process);
}

static void process_run(struct kmod_process *process, struct image_entry *app)
{
	process->app = app ? image_get(app) : NULL;
}

/* Returns the runner's process, created if necessary; NULL if out of memory. */
static struct kmod_process *get(struct kmod_processes *table, const struct kmod_runner *runner)
{
	struct kmod_process *process = find(table, runner->generation);

	if (process && process->app != runner->app) {
		process_forget(process);
		/* The new program began at this time or later. */
		process->since_ns = process->last_ns;
		/* Exec drops inherited code: do not search for it. */
		process->inherited = true;
		process_run(process, runner->app);
	}
	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->generation = runner->generation;
	process->tgid = runner->tgid;
	process->scan_wait_ns = SCAN_NS;
	process_run(process, runner->app);
	node_hash_add(&table->generations, &process->node, hash_number(process->generation));
	node_hash_add(&table->tgids, &process->tgid_node, hash_number((uint64_t)process->tgid));
	return process;
}

/* ---- names ---- */

/*
 * Reads the process's mappings, through which its jitdump is found. If the mappings cannot be read
 * in time, the process keeps those that are known.
 */
static void process_scan(struct kmod_processes *table, struct kmod_process *process,
			 uint64_t time_ns)
{
	const struct proc_scan config = {table->proc_path, table->regions, &table->nr_spaces};
	struct process_scan *scan;

	if (process->exited || (process->code && process->code->dump_file.inode) ||
	    (process->scanned_ns && time_ns < process->scanned_ns + process->scan_wait_ns))
		return;
	if (process->scanned_ns && process->scan_wait_ns < SCAN_MAX_NS)
		process->scan_wait_ns *= 2;
	process->scanned_ns = time_ns ? time_ns : 1;
	if (proc_scan_process(&config, process->tgid, &scan)) {
		process->exited = true;
		return;
	}
	if (!scan->unread) {
		space_put(process->space);
		process->space = scan->space ? space_get(scan->space) : NULL;
	}
	process_scan_destroy(scan);
}

static bool process_code(struct kmod_processes *table, struct kmod_process *process,
			 uint64_t time_ns, uint64_t address, uint32_t *number)
{
	struct code_lookup place = {
		.tgid = process->tgid,
		.since_ns = process->since_ns,
		.time_ns = time_ns,
		.address = address,
	};

	process_scan(table, process, time_ns);
	place.exited = process->exited;
	place.space = process->space;
	return code_space_find(&process->code, table->code, &place, number);
}

/* ---- inherited code ---- */

static bool program_of(const struct kmod_processes *table, int32_t tgid, char *program)
{
	char path[PATH_MAX];
	ssize_t nr;

	if (snprintf(path, sizeof(path), "%s/%d/exe", table->proc_path, (int)tgid) >=
	    (int)sizeof(path))
		return false;
	nr = readlink(path, program, PATH_MAX - 1);
	program[nr < 0 ? 0 : nr] = '\0';
	return nr > 0;
}

static bool same_program(const struct kmod_processes *table, int32_t one, int32_t other)
{
	char first[PATH_MAX], second[PATH_MAX];

	return program_of(table, one, first) && program_of(table, other, second) &&
	       !strcmp(first, second);
}

/*
 * Reads the files in which process tgid describes its code. Returns a copy of the described code,
 * or NULL if there are no such files, or if out of memory. The process need not be in the table.
 */
static struct code_space *code_of(struct kmod_processes *table, int32_t tgid, uint64_t time_ns,
				  uint64_t address)
{
	struct kmod_process *known = find_tgid(table, tgid);
	struct kmod_process unknown = {.tgid = tgid, .scan_wait_ns = SCAN_NS};
	struct kmod_process *process = known ? known : &unknown;
	struct code_space *copy = NULL;
	uint32_t number;

	(void)process_code(table, process, time_ns, address, &number);
	if (code_space_has_files(process->code))
		copy = code_space_fork(process->code);
	process_forget(&unknown);
	return copy;
}

/*
 * Searches once for the nearest ancestor that runs the same program and describes its code. Code
 * that a process made before it forked is described only in the files of that process. In some
 * servers, for example, the parent makes the code that its children run.
 */
static bool inherit(struct kmod_processes *table, struct kmod_process *process, uint64_t time_ns,
		    uint64_t address)
{
	int32_t tgid = process->tgid;
	struct code_space *code = NULL;

	if (process->inherited || code_space_has_files(process->code))
		return false;
	process->inherited = true;
	for (unsigned int i = 0; i < FORKS_MAX && !code; i++) {
		int32_t parent = proc_scan_parent(table->proc_path, tgid);

		if (parent <= 0 || !same_program(table, parent, tgid))
			return false;
		code = code_of(table, parent, time_ns, address);
		tgid = parent;
	}
	if (!code)
		return false;
	code_space_destroy(process->code);
	process->code = code;
	return true;
}

bool kmod_processes_code(struct kmod_processes *table, const struct kmod_runner *runner,
			 uint64_t time_ns, uint64_t address, uint32_t *number)
{
	struct kmod_process *process = get(table, runner);

	if (!process)
		return false;
	process->last_ns = time_ns;
	if (process_code(table, process, time_ns, address, number))
		return true;
	return inherit(table, process, time_ns, address) &&
	       process_code(table, process, time_ns, address, number);
}
