/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of the functions with the most samples, for the page: instructions,
 * and source where there are lines and their file. Bounded, since a page holds it all.
 */
#ifndef PP_PAGE_CODE_H
#define PP_PAGE_CODE_H

#include "pp/base/json_writer.h"
#include "pp/profile/profile.h"
#include "pp/profile/row_symbols.h"

#include <stddef.h>
#include <stdint.h>

struct page_instruction {
	uint64_t offset;  /* from the function's first byte */
	const char *text; /* in the pool */
};

struct page_function {
	size_t row; /* of the profile: one of its symbol's */
	struct page_instruction *instructions;
	size_t nr_instructions;
	const char *note;	   /* why there are none, in the pool; NULL */
	uint32_t file, first_line; /* of the source; file: of the profile */
	const char **lines;	   /* in the pool */
	size_t nr_lines;	   /* 0: there is none */
};

struct page_code {
	struct page_function *functions; /* the most samples first */
	size_t nr_functions;
	struct strings strings;
};

/* Of a profile with symbols. What can't be had is not there. 0 or -ENOMEM, -errno. */
int page_code_load(struct page_code *code, const struct profile *profile,
		   const struct profile_options *options);
void page_code_deinit(struct page_code *code);

/* [{"symbol":,"at":[offset,...],"text":[...],"note":,"file":,"first":,"lines":[...]},...] */
void page_code_write(const struct page_code *code, const struct row_symbols *symbols,
		     struct json_writer *json, const char *key);

#endif
