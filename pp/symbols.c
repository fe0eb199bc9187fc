// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols.h"

#include "libdb/sample_name.h"
#include "pp/code_names.h"
#include "pp/kernel_symbols.h"
#include "pp/symbol_cache.h"
#include "pp/symbol_helper.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int load_file(struct symbol_table *table, const struct symbol_request *request)
{
	int error = symbol_cache_read(request, table);

	if (error != -ENOENT)
		return error;
	error = symbol_helper_run(request, symbol_read, table);
	if (!error)
		symbol_cache_write(request, table);
	return error;
}

/* The vdso's bytes were kept by the daemon: no file system has them. */
static int load_vdso(struct symbol_table *table, const struct symbol_request *request)
{
	const char *meta_path = request->search->meta_path;
	struct symbol_request kept = *request;
	char *path;
	int error;

	if (asprintf(&path, "%s/images/%016" PRIx64, meta_path ? meta_path : ".",
		     sample_identity(request->identity)) < 0)
		return -ENOMEM;
	kept.path = path;
	error = load_file(table, &kept);
	free(path);
	return error;
}

static int tell_no_file(struct symbol_table *table)
{
	table->lack = SYMBOLS_NONE;
	table->note = strdup("memory with no file");
	return table->note ? 0 : -ENOMEM;
}

/* Not code: what kept a task off the processor, by the keys of oprof/sample_file.h. */
static int load_off_cpu(struct symbol_table *table)
{
	static const struct symbol reasons[] = {
		{.start = 0, .nr_bytes = 1, .name = "[preempted]"},
		{.start = 1, .nr_bytes = 1, .name = "[waiting]"},
	};

	table->symbols = malloc(sizeof(reasons));
	if (!table->symbols)
		return -ENOMEM;
	memcpy(table->symbols, reasons, sizeof(reasons));
	table->nr_symbols = sizeof(reasons) / sizeof(reasons[0]);
	return 0;
}

int symbol_table_load(struct symbol_table *table, const char *path,
		      const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		      const struct symbol_search *search)
{
	struct symbol_request request = {
		.path = path, .identity = identity, .kind = kind, .search = search};

	*table = (struct symbol_table){0};
	switch (kind) {
	case OPROF_IMAGE_FILE:
		return load_file(table, &request);
	case OPROF_IMAGE_VDSO:
		return load_vdso(table, &request);
	case OPROF_IMAGE_KERNEL:
	case OPROF_IMAGE_MODULE:
	case OPROF_IMAGE_IDLE:
		return kernel_symbols_load(table, identity, search->meta_path);
	case OPROF_IMAGE_BPF:
		/* Older daemons had an image of each program, with offsets as its keys. */
		return *path == '[' ? code_names_load(table, search->meta_path)
				    : kernel_symbols_load(table, identity, search->meta_path);
	case OPROF_IMAGE_CODE:
		return code_names_load(table, search->meta_path);
	case OPROF_IMAGE_OFF_CPU:
		return load_off_cpu(table);
	case OPROF_IMAGE_ANON:
	default: /* a kind that this version does not know */
		return tell_no_file(table);
	}
}
