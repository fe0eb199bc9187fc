// SPDX-License-Identifier: GPL-2.0-or-later
/* Hostile files in a session's meta folder, as a daemon reads them when it continues a session. */
#include "daemon/session/cgroup_table.h"
#include "daemon/session/name_table.h"
#include "daemon/session/run_info.h"
#include "daemon/session/stats.h"
#include "lib/file.h"
#include "pp/symbols/code_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not chdir(): the fuzzer writes its findings to the folder it was started in. */
static char folder[] = "/tmp/oprof-fuzz-XXXXXX";
static char file[sizeof(folder) + 8];

static void leave(void)
{
	(void)file_remove_tree(folder);
}

static void enter(void)
{
	if (file[0])
		return;
	if (!mkdtemp(folder))
		abort();
	(void)snprintf(file, sizeof(file), "%s/file", folder);
	(void)atexit(leave);
}

static void try_stats(void)
{
	static struct stats stats;

	if (stats_open(&stats, file) < 0)
		return;
	if (stats.nr_entries < STATS_NR || stats.nr_entries > STATS_ENTRIES_MAX)
		abort();
	stats_add(&stats, STATS_STORED, 1);
	if (stats.file->entries[STATS_STORED].value != stats.values[STATS_STORED])
		abort();
	stats_close(&stats);
}

static void try_cgroups(void)
{
	struct cgroup_table table;
	int64_t number = 0;

	if (cgroup_table_init(&table, file))
		return;
	number = cgroup_table_number(&table, "/fuzz");
	if (number < 0 || strcmp(table.paths[number], "/fuzz") != 0)
		abort();
	cgroup_table_deinit(&table);
}

/* Reports must give number the same name as the daemon. */
static void check_report(uint64_t number, const char *name)
{
	struct symbol_table table;
	size_t nr_bytes;
	char *text;
	bool found = false;

	if (file_read_text(file, 64u << 20, &text, &nr_bytes) ||
	    code_names_parse(text, nr_bytes, &table))
		abort();
	for (size_t i = 0; i < table.nr_symbols; i++) {
		if (i && table.symbols[i].start <= table.symbols[i - 1].start)
			abort();
		found = found ||
			(table.symbols[i].start == number && !strcmp(table.symbols[i].name, name));
	}
	if (!found)
		abort();
	symbol_table_deinit(&table);
	free(text);
}

static void try_names(void)
{
	struct name_table table;
	int64_t number = 0;

	for (int i = 0; i < 2; i++) {
		int64_t before = i ? number : 0;

		if (name_table_init(&table, file))
			abort();
		number = name_table_number(&table, "fuzz\n\\");
		if (number < 0 || (before && number != before))
			abort();
		name_table_deinit(&table);
	}
	check_report((uint64_t)number, number ? "fuzz?\\" : "[other code]");
}

static void try_info(void)
{
	static const struct event_choice event = {.name = "cpu-clock", .period_or_hz = 1};
	static struct run_info info;

	if (!info.source)
		run_info_init(&info);
	info.source = "fuzz";
	info.target = "system";
	info.events = &event;
	info.nr_events = 1;
	info.started_ns = 5;
	if (run_info_write(&info, file) < 0 || info.started_ns < 1 || info.started_ns > 5)
		abort();
}

/* The first byte chooses the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enter();
	if (!size || file_replace(file, data + 1, size - 1, 0600))
		return 0;
	switch (data[0] % 4) {
	case 0:
		try_stats();
		break;
	case 1:
		try_cgroups();
		break;
	case 2:
		try_info();
		break;
	default:
		try_names();
		break;
	}
	return 0;
}
