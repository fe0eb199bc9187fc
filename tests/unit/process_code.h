/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a process for stack_walk: its mappings, and tables built of what they map. */
#ifndef TESTS_UNIT_PROCESS_CODE_H
#define TESTS_UNIT_PROCESS_CODE_H

#include "unwind/code_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_CODE_MAPS_MAX 512

struct process_code_map {
	uint64_t start, end, offset;
	char path[256];
	bool can_run;
	struct code_table *table; /* NULL: it has none, or is not asked for yet */
};

struct process_code {
	pid_t pid;
	struct process_code_map maps[PROCESS_CODE_MAPS_MAX];
	size_t nr_maps;
	bool is_fixed; /* never read anew: for handlers of signals, which must not allocate */
	/* By path: what was built is kept. */
	struct {
		char path[256];
		struct code_table *table;
	} tables[PROCESS_CODE_MAPS_MAX];
	size_t nr_tables;
};

void process_code_init(struct process_code *code, pid_t pid);
void process_code_deinit(struct process_code *code);

/* Read the mappings anew: 0 or -errno. */
int process_code_read(struct process_code *code);

/* The mapping that address is in; NULL. Reads the mappings anew when it is in none. */
const struct process_code_map *process_code_map(struct process_code *code, uint64_t address);

/* As struct stack_walk_input has it; context is the struct process_code. */
const struct code_table *process_code_find(void *context, uint64_t address, uint64_t *key);

/* The table of the file at path, or NULL where there is none; the caller closes it. */
struct code_table *process_code_build(const char *path);

#endif
