/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of the functions with the most samples, for the page: instructions, and
 * source lines if line information and the source file are available. The
 * amount of code is limited, because the page contains all of this code.
 */
#ifndef PP_PAGE_CODE_H
#define PP_PAGE_CODE_H

#include "pp/base/json_writer.h"
#include "pp/profile/profile.h"
#include "pp/profile/row_symbols.h"

#include <stddef.h>
#include <stdint.h>

struct page_instruction {
	uint64_t offset;  /* offset from the function's first byte */
	const char *text; /* in the pool */
};

struct page_function {
	size_t row; /* a row of the function's symbol in the profile */
	struct page_instruction *instructions;
	size_t nr_instructions;
	const char *note; /* reason why there are no instructions, in the pool; or NULL */
	/* file: index in the profile's files; first_line: line number of lines[0] */
	uint32_t file, first_line;
	const char **lines; /* in the pool */
	size_t nr_lines;    /* 0: no source */
};

struct page_code {
	struct page_function *functions; /* sorted by samples, most first */
	size_t nr_functions;
	struct strings strings;
};

/* profile must have symbols. Code that is not available is omitted. Returns 0 or -errno. */
int page_code_load(struct page_code *code, const struct profile *profile,
		   const struct profile_options *options);
void page_code_deinit(struct page_code *code);

/* Writes [{"symbol":,"at":[offset,...],"text":[...],"note":,"file":,"first":,"lines":[...]},...] */
void page_code_write(const struct page_code *code, const struct row_symbols *symbols,
		     struct json_writer *json, const char *key);

#endif
