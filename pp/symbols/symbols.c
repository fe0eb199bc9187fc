// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbols.h"

#include "pp/symbols/code_names.h"
#include "pp/symbols/debug_fetch.h"
#include "pp/symbols/kernel_symbols.h"
#include "pp/symbols/symbol_cache.h"
#include "pp/symbols/symbol_helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static bool lacks_debug(const struct symbol_table *table)
{
	return table->lack == SYMBOLS_DYNAMIC_ONLY || table->lack == SYMBOLS_STRIPPED;
}

static int load_cached(struct symbol_table *table, const struct symbol_request *request)
{
	int error = symbol_cache_read(request, table);

	/* Ignore the cached table: servers may have the missing debug symbols. */
	if (!error && lacks_debug(table) && debug_fetch_wanted()) {
		symbol_table_deinit(table);
		error = -ENOENT;
	}
	return error;
}

/* Reads the symbols again with the debug file of a server, if a server has it. */
static int load_fetched(struct symbol_table *table, const struct symbol_request *request)
{
	struct symbol_request fetched;
	char *path;
	int error = symbol_helper_fetch(request, &fetched, &path);

	if (!error) {
		symbol_table_deinit(table);
		error = symbol_helper_run(&fetched, symbol_read, table);
	} else if (error == -ENOENT) {
		error = 0;
	}
	free(path);
	return error;
}

static int load_file(struct symbol_table *table, const struct symbol_request *request)
{
	int error = load_cached(table, request);

	if (error != -ENOENT)
		return error;
	error = symbol_helper_run(request, symbol_read, table);
	if (!error && lacks_debug(table))
		error = load_fetched(table, request);
	if (!error)
		symbol_cache_write(request, table);
	return error;
}

/*
 * Reads the symbols of the kernel's vmlinux. Called if the session lacks the kernel's symbols but
 * has its build-id.
 */
static int load_vmlinux(struct symbol_table *table, const struct symbol_request *request)
{
	struct symbol_request vmlinux = *request;
	struct symbol_table found;
	struct utsname here;
	int error;

	if (!uname(&here))
		vmlinux.kernel_release = here.release;
	error = symbol_helper_run(&vmlinux, symbol_read, &found);
	if (error)
		return error;
	if (!found.nr_symbols) {
		symbol_table_deinit(&found);
		return 0;
	}
	symbol_table_deinit(table);
	*table = found;
	return 0;
}

static int load_kernel(struct symbol_table *table, const struct symbol_request *request)
{
	const struct symbol_search *search = request->search;
	int error = kernel_symbols_load(table, request->identity, search->meta_path);

	if (!error && table->lack == SYMBOLS_NONE && request->kind != OPROF_IMAGE_MODULE &&
	    request->identity->nr_build_id)
		error = load_vmlinux(table, request);
	if (error || table->lack != SYMBOLS_NONE || !search->no_kernel)
		return error;
	free(table->note);
	table->note = strdup(search->no_kernel);
	return table->note ? 0 : -ENOMEM;
}

static int tell_no_file(struct symbol_table *table)
{
	table->lack = SYMBOLS_NONE;
	table->note = strdup("memory without a file");
	return table->note ? 0 : -ENOMEM;
}

/*
 * Makes the symbols of samples off CPU. Such a sample has no code. Its key is the number of the
 * reason why the task was off the CPU (oprof/sample_file.h).
 */
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
	case OPROF_IMAGE_VDSO:
		return load_file(table, &request);
	case OPROF_IMAGE_KERNEL:
	case OPROF_IMAGE_MODULE:
	case OPROF_IMAGE_IDLE:
		return load_kernel(table, &request);
	case OPROF_IMAGE_BPF:
		/* Older daemons recorded an image for each BPF program, with offsets as keys. */
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
