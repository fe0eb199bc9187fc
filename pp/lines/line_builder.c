// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/line_builder.h"

#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>

/* ---- code sections ---- */

static int code_order(const void *left, const void *right)
{
	const struct line_code *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static void add_code(struct line_builder *builder, const struct symbol_file *image,
		     const struct symbol_section *section, uint64_t bias)
{
	struct listed_symbol symbol;
	uint64_t start = section->start;

	if (image->by_address && start < image->key_address)
		start = image->key_address; /* addresses below key_address have no key */
	if (start >= section->end || !symbol_file_place(image, start, section->end, &symbol))
		return;
	builder->code[builder->nr_code++] =
		(struct line_code){.start = start - bias,
				   .end = start - bias + (symbol.limit - symbol.start),
				   .key = symbol.start};
}

/* Lists the executable sections. If the file has no sections, lists all segments. */
static int list_code(struct line_builder *builder, const struct symbol_file *image, uint64_t bias)
{
	builder->code = calloc(image->nr_sections + image->nr_segments + 1, sizeof(*builder->code));
	if (!builder->code)
		return -ENOMEM;
	for (size_t i = 1; i < image->nr_sections; i++)
		if (image->sections[i].executable)
			add_code(builder, image, &image->sections[i], bias);
	for (size_t i = 0; !image->nr_sections && i < image->nr_segments; i++)
		add_code(builder, image,
			 &(struct symbol_section){.start = image->segments[i].start,
						  .end = image->segments[i].end},
			 bias);
	qsort(builder->code, builder->nr_code, sizeof(*builder->code), code_order);
	return 0;
}

static const struct line_code *find_code(struct line_builder *builder, uint64_t address)
{
	const struct line_code *last = builder->last;
	size_t low = 0, high = builder->nr_code;

	if (last && address >= last->start && address < last->end)
		return last;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (builder->code[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == builder->nr_code || address < builder->code[low].start)
		return NULL;
	builder->last = &builder->code[low];
	return builder->last;
}

bool line_builder_has_code(struct line_builder *builder, uint64_t address)
{
	return find_code(builder, address) != NULL;
}

/* ---- texts ---- */

static uint64_t hash_text(const char *text, size_t nr_bytes)
{
	uint64_t hash = nr_bytes;

	for (; nr_bytes >= sizeof(uint64_t); nr_bytes -= sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
		text += sizeof(word);
	}
	for (; nr_bytes; nr_bytes--)
		hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static bool same_text(uint32_t offset, const void *key, void *context)
{
	const struct line_texts *texts = context;

	return !strcmp(texts->bytes + offset, key);
}

static int texts_append(struct line_texts *texts, const char *text, size_t nr_bytes,
			uint32_t *offset)
{
	if (texts->nr_bytes + nr_bytes + 1 > LINE_WIRE_MAX_BYTES)
		return -EFBIG;
	if (array_reserve(&texts->bytes, &texts->room, texts->nr_bytes, nr_bytes + 1))
		return -ENOMEM;
	*offset = (uint32_t)texts->nr_bytes;
	memcpy(texts->bytes + texts->nr_bytes, text, nr_bytes);
	texts->bytes[texts->nr_bytes + nr_bytes] = '\0';
	texts->nr_bytes += nr_bytes + 1;
	return 0;
}

int line_builder_text(struct line_builder *builder, const char *text, uint32_t *offset)
{
	struct line_texts *texts = &builder->texts;
	size_t nr_bytes = strlen(text);
	uint64_t hash = hash_text(text, nr_bytes);
	int error;

	*offset = nr_bytes ? index_table_find(&texts->table, hash, same_text, text, texts) : 0;
	if (*offset != INDEX_TABLE_NONE)
		return 0;
	error = texts_append(texts, text, nr_bytes, offset);
	return error ? error : index_table_put(&texts->table, hash, *offset);
}

/* ---- files ---- */

static int add_file(struct line_builder *builder, uint32_t text)
{
	if (array_reserve(&builder->files, &builder->room_files, builder->nr_files, 1))
		return -ENOMEM;
	builder->files[builder->nr_files++] = text;
	return 0;
}

static bool same_file(uint32_t number, const void *key, void *context)
{
	const struct line_builder *builder = context;

	return builder->files[number] == *(const uint32_t *)key;
}

int line_builder_file(struct line_builder *builder, const char *path, uint32_t *number)
{
	uint32_t text;
	uint64_t hash;
	int error = line_builder_text(builder, path, &text);

	*number = 0;
	if (error || !text)
		return error;
	hash = index_table_hash(0, text);
	*number = index_table_find(&builder->file_table, hash, same_file, &text, builder);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	*number = (uint32_t)builder->nr_files;
	error = add_file(builder, text);
	return error ? error : index_table_put(&builder->file_table, hash, *number);
}

/* ---- inlined functions ---- */

int line_builder_node(struct line_builder *builder, const struct line_wire_node *node,
		      uint32_t *number)
{
	if (array_reserve(&builder->nodes, &builder->room_nodes, builder->nr_nodes, 1))
		return -ENOMEM;
	*number = (uint32_t)builder->nr_nodes;
	builder->nodes[builder->nr_nodes++] = *node;
	return 0;
}

int line_builder_inlined(struct line_builder *builder, uint32_t node, uint64_t begin, uint64_t end)
{
	const struct line_code *code = find_code(builder, begin);

	if (!code || begin >= end)
		return 0;
	if (end > code->end)
		end = code->end;
	if (array_reserve(&builder->inlined, &builder->room_inlined, builder->nr_inlined, 1))
		return -ENOMEM;
	builder->inlined[builder->nr_inlined++] =
		(struct line_inlined){.start = code->key + (begin - code->start),
				      .end = code->key + (end - code->start),
				      .node = node};
	return 0;
}

/* ---- init, deinit ---- */

int line_builder_init(struct line_builder *builder, const struct symbol_file *image, uint64_t bias)
{
	const struct line_wire_node none = {.function = 0};
	uint32_t number;
	int error;

	*builder = (struct line_builder){.code = NULL};
	error = list_code(builder, image, bias);
	if (!error)
		error = texts_append(&builder->texts, "", 0, &number);
	if (!error)
		error = line_builder_node(builder, &none, &number);
	if (!error)
		error = add_file(builder, 0);
	if (error)
		line_builder_deinit(builder);
	return error;
}

void line_builder_deinit(struct line_builder *builder)
{
	free(builder->code);
	dwarf_rows_deinit(&builder->rows);
	free(builder->inlined);
	free(builder->nodes);
	free(builder->files);
	index_table_deinit(&builder->file_table);
	free(builder->texts.bytes);
	index_table_deinit(&builder->texts.table);
	free(builder->ranges);
	*builder = (struct line_builder){.code = NULL};
}
