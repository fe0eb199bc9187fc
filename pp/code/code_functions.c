// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/code/code_functions.h"

#include "libdb/sample_name.h"
#include "pp/symbols/symbol_helper.h"
#include "pp/symbols/symbol_image.h"
#include "unwind/code_table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TABLE_BYTES_MAX (UINT64_C(64) << 20) /* same limit as in the daemon */

static int take_table(int fd, void *result)
{
	struct code_functions *functions = result;
	struct diag diag;
	int error;

	diag_clear(&diag);
	error = code_table_open(&functions->table, fd, &diag);
	if (error)
		functions->table = NULL;
	return error;
}

/*
 * Loads the code table that the daemon stored for the binary with this identity. Returns 0,
 * -ENOMEM, or another error if there is no valid table.
 */
static int load_kept(struct code_functions *functions, const struct oprof_image_identity *identity,
		     const char *code_path)
{
	char *path;
	int error, fd;

	if (!code_path)
		return -ENOENT;
	if (asprintf(&path, "%s/%016" PRIx64 ".code", code_path, sample_identity(identity)) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(path);
	if (fd < 0)
		return -ENOENT;
	error = take_table(fd, functions);
	(void)close(fd);
	return error;
}

/* Builds the code table and writes it to fd. Runs in the helper. */
static int build_table(const struct symbol_request *request, int fd)
{
	struct symbol_image image;
	struct diag diag;
	int error = symbol_image_open(&image, request);

	if (error)
		return error;
	diag_clear(&diag);
	error = code_table_build(image.file.fd, fd, TABLE_BYTES_MAX, &diag);
	symbol_image_close(&image);
	return error;
}

int code_functions_load(struct code_functions *functions, const char *path,
			const struct oprof_image_identity *identity, enum oprof_image_kind kind,
			const struct symbol_search *search)
{
	const struct symbol_request request = {
		.path = path, .identity = identity, .kind = kind, .search = search};
	char *note = NULL;
	int error;

	*functions = (struct code_functions){.table = NULL};
	if (kind != OPROF_IMAGE_FILE)
		return 0;
	error = load_kept(functions, identity, search->code_path);
	if (error && error != -ENOMEM)
		error = symbol_helper_read(&request, build_table, take_table, functions, &note);
	/* The note is not needed, because it is reported when this file's symbols are read. */
	free(note);
	return error == -ENOMEM ? error : 0;
}

void code_functions_deinit(struct code_functions *functions)
{
	code_table_close(functions->table);
	functions->table = NULL;
}

uint64_t code_functions_find(const struct code_functions *functions, uint64_t key)
{
	uint64_t start;

	return functions->table && !code_table_function(functions->table, key, &start) ? start : 0;
}
