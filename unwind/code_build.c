// SPDX-License-Identifier: GPL-2.0-or-later
/* Builds the code table of an ELF file. */
#include "unwind/code_bare.h"
#include "unwind/code_builder.h"
#include "unwind/code_elf.h"
#include "unwind/code_frames.h"
#include "unwind/code_gaps.h"
#include "unwind/code_rows.h"
#include "unwind/code_table.h"

#include <errno.h>
#include <string.h>

/*
 * Adds one range of code: the functions in it, beginning with functions[*next], and the gaps
 * between them.
 */
static int add_code(struct code_builder *builder, struct code_elf *elf,
		    const struct code_frames *frames, const struct code_elf_code *code,
		    size_t *next)
{
	uint64_t at = code->start;
	int error = 0;

	for (; !error && *next < frames->nr_functions; (*next)++) {
		const struct code_frames_function *function = &frames->functions[*next];

		if (function->start >= code->end)
			break;
		error = code_gaps_add(builder, elf, at, function->start);
		if (!error)
			error = code_rows_add(builder, frames, function);
		at = function->end;
	}
	if (!error)
		error = code_gaps_add(builder, elf, at, code->end);
	return error ? error : code_builder_add(builder, code->end, NULL, false);
}

static int add_all(struct code_builder *builder, struct code_elf *elf,
		   const struct code_frames *frames, struct diag *diag)
{
	size_t next = 0;
	int error = 0;

	for (size_t i = 0; i < elf->nr_codes && !error; i++)
		error = add_code(builder, elf, frames, &elf->codes[i], &next);
	if (!error)
		error = elf->peek_error;
	builder->nr_functions_lost = frames->nr_lost;
	if (!error && !builder->nr_functions)
		return diag_set(diag, -ENODATA, "its unwind tables describe no function");
	if (error == -EFBIG)
		return diag_set(diag, error, "it is too large for a code table");
	return error ? diag_set(diag, error, "%s", strerror(-error)) : 0;
}

static int add_by_tables(struct code_builder *builder, struct code_elf *elf, struct diag *diag)
{
	struct code_frames frames;
	int error = code_frames_init(&frames, elf, diag);

	if (!error)
		error = add_all(builder, elf, &frames, diag);
	code_frames_deinit(&frames);
	return error;
}

static int add_vdso(struct code_builder *builder, struct code_elf *elf, struct diag *diag)
{
	int error = add_by_tables(builder, elf, diag);

	if (error != -ENODATA || elf->machine != CODE_AARCH64)
		return error;
	diag_clear(diag);
	error = code_bare_add(builder, elf);
	if (!error && !builder->nr_functions)
		return diag_set(diag, -ENODATA, "it has no functions");
	return error ? diag_set(diag, error, "%s", strerror(-error)) : 0;
}

typedef int add_fn(struct code_builder *builder, struct code_elf *elf, struct diag *diag);

static int build(struct code_builder *builder, struct code_elf *elf, add_fn *add, int to,
		 uint64_t max_bytes, struct diag *diag)
{
	int error = add(builder, elf, diag);

	if (error)
		return error;
	error = code_builder_write(builder, to, max_bytes);
	if (error == -EFBIG)
		return diag_set(diag, error, "its code table is larger than %llu bytes",
				(unsigned long long)max_bytes);
	return error ? diag_set(diag, error, "its code table cannot be written: %s",
				strerror(-error))
		     : 0;
}

static int build_file(int from, add_fn *add, int to, uint64_t max_bytes, struct diag *diag)
{
	struct code_builder builder;
	struct code_elf elf;
	int error = code_elf_init(&elf, from, diag);

	if (!error) {
		error = code_builder_init(&builder, elf.machine);
		error = error ? diag_set(diag, error, "out of memory")
			      : build(&builder, &elf, add, to, max_bytes, diag);
		code_builder_deinit(&builder);
	}
	code_elf_deinit(&elf);
	return error;
}

int code_table_build(int from, int to, uint64_t max_bytes, struct diag *diag)
{
	return build_file(from, add_by_tables, to, max_bytes, diag);
}

int code_table_build_vdso(int from, int to, uint64_t max_bytes, struct diag *diag)
{
	return build_file(from, add_vdso, to, max_bytes, diag);
}
