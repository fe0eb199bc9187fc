// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/code_bare.h"

#include "unwind/code_gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX	   1024u
#define FUNCTION_BYTES_MAX 16384u

struct bare_function {
	uint64_t start, end; /* keys */
};

/* Instructions that call a function or move the stack pointer. */
static const struct {
	uint32_t mask, value;
} moves[] = {
	{0xfc000000, 0x94000000}, /* bl */
	{0xfefff000, 0xd63f0000}, /* blr, blraa, ... */
	{0xff80001f, 0x9100001f}, /* add sp, ..., #n */
	{0xff80001f, 0xd100001f}, /* sub sp, ..., #n */
	{0xffe0001f, 0x8b20001f}, /* add sp, ..., register */
	{0xffe0001f, 0xcb20001f}, /* sub sp, ..., register */
	{0x3a8003e0, 0x288003e0}, /* stp, ldp ..., [sp], #n and [sp, #n]! */
	{0x3b2007e0, 0x380007e0}, /* str, ldr ..., [sp], #n and [sp, #n]! */
};

/*
 * Returns whether the function contains none of these instructions, so that its return address
 * stays in x30, and the stack pointer does not change.
 */
static bool is_plain(struct code_elf *elf, const struct bare_function *function)
{
	const size_t nr_bytes = (size_t)(function->end - function->start);
	const uint8_t *code = code_elf_peek(elf, function->start, nr_bytes);
	uint32_t word;

	if (!code)
		return false;
	for (size_t at = 0; at + sizeof(word) <= nr_bytes; at += sizeof(word)) {
		memcpy(&word, code + at, sizeof(word));
		for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
			if ((word & moves[i].mask) == moves[i].value)
				return false;
	}
	return true;
}

/* ---- functions ---- */

static int compare(const void *a, const void *b)
{
	const struct bare_function *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

static bool take_symbol(const struct code_elf *elf, const Elf64_Sym *symbol,
			struct bare_function *function)
{
	uint64_t last;

	return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size &&
	       symbol->st_size <= FUNCTION_BYTES_MAX &&
	       code_elf_key(elf, symbol->st_value, &function->start) &&
	       code_elf_key(elf, symbol->st_value + symbol->st_size - 1, &last) &&
	       (function->end = last + 1) > function->start;
}

/*
 * Stores the functions of .dynsym, sorted by start, in functions[FUNCTIONS_MAX]. Returns their
 * number or -errno.
 */
static int read_functions(const struct code_elf *elf, struct bare_function *functions)
{
	size_t index = 0, nr = 0, nr_symbols;
	const Elf64_Shdr *shdr = code_elf_section(elf, ".dynsym", &index);
	uint8_t *bytes;
	Elf64_Sym symbol;
	int error;

	if (!shdr)
		return 0;
	nr_symbols = (size_t)(shdr->sh_size / sizeof(symbol));
	if (nr_symbols > FUNCTIONS_MAX)
		return -EFBIG;
	error = code_elf_read(elf, shdr->sh_offset, shdr->sh_size, &bytes);
	if (error)
		return error;
	for (size_t i = 0; i < nr_symbols; i++) {
		memcpy(&symbol, bytes + i * sizeof(symbol), sizeof(symbol));
		nr += take_symbol(elf, &symbol, &functions[nr]);
	}
	free(bytes);
	qsort(functions, nr, sizeof(*functions), compare);
	return (int)nr;
}

/* ---- rows ---- */

static int add_function(struct code_builder *builder, struct code_elf *elf,
			const struct bare_function *function)
{
	static const struct code_row plain = {.cfa = CODE_CFA_SP};
	int error;

	if (!is_plain(elf, function) ||
	    code_gaps_has_trampoline(elf, function->start, function->end))
		return code_gaps_add(builder, elf, function->start, function->end);
	error = code_builder_add(builder, function->start, &plain, true);
	return error ? error : code_builder_add(builder, function->end, NULL, false);
}

static int add_code(struct code_builder *builder, struct code_elf *elf,
		    const struct code_elf_code *code, const struct bare_function *functions,
		    size_t nr)
{
	uint64_t at = code->start;
	int error = 0;

	for (size_t i = 0; i < nr && !error; i++) {
		/*
		 * If functions share code (for example if one function has two names), only the
		 * first is added.
		 */
		if (functions[i].start < at || functions[i].end > code->end)
			continue;
		error = code_gaps_add(builder, elf, at, functions[i].start);
		if (!error)
			error = add_function(builder, elf, &functions[i]);
		at = functions[i].end;
	}
	if (!error)
		error = code_gaps_add(builder, elf, at, code->end);
	return error ? error : code_builder_add(builder, code->end, NULL, false);
}

int code_bare_add(struct code_builder *builder, struct code_elf *elf)
{
	struct bare_function *functions = calloc(FUNCTIONS_MAX + 1, sizeof(*functions));
	int error = 0, nr;

	if (!functions)
		return -ENOMEM;
	nr = read_functions(elf, functions);
	for (size_t i = 0; i < elf->nr_codes && nr >= 0 && !error; i++)
		error = add_code(builder, elf, &elf->codes[i], functions, (size_t)nr);
	free(functions);
	if (nr < 0)
		return nr;
	return error ? error : elf->peek_error;
}
