// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the text of a format file, and locates its fields in a record. */
#include "events/tracepoint.h"

#include "lib/file.h"
#include "lib/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMON_PREFIX "common_"
#define ELEMENTS_MAX  65536u
#define OFFSET_MAX    65535u /* perf's limit for the size of a record */

/* State of parsing a format file. */
struct format {
	char *next; /* the text that is not yet parsed; modified in place */
	const char *file;
	unsigned int line;
	struct diag *diag;
	struct tracepoint *tracepoint;
	bool has_id, has_format;
};

static int refuse(const struct format *format, const char *what)
{
	return diag_set_at(format->diag, -EINVAL, format->file, format->line, "%s", what);
}

static char *next_line(struct format *format)
{
	char *line = strsep(&format->next, "\n");

	format->line += line != NULL;
	return line;
}

/* Finds the number after "KEY:" in `parts`, which are separated by ";". */
static bool take_number(char *parts, const char *key, uint64_t max, uint64_t *number)
{
	const size_t nr_bytes = strlen(key);

	for (char *part; (part = strsep(&parts, ";"));) {
		part += strspn(part, " \t");
		if (!strncmp(part, key, nr_bytes) && part[nr_bytes] == ':')
			return !number_parse(part + nr_bytes + 1, max, number);
	}
	return false;
}

static bool numbers_of(const char *parts, uint64_t *offset, uint64_t *size, uint64_t *is_signed)
{
	const char *const keys[] = {"offset", "size", "signed"};
	const uint64_t maxima[] = {OFFSET_MAX, OFFSET_MAX, 1};
	uint64_t *const numbers[] = {offset, size, is_signed};

	for (unsigned int i = 0; i < 3; i++) {
		char copy[256];

		if ((size_t)snprintf(copy, sizeof(copy), "%s", parts) >= sizeof(copy) ||
		    !take_number(copy, keys[i], maxima[i], numbers[i]))
			return false;
	}
	return true;
}

/* ---- a field's declaration, in C notation ---- */

struct declaration {
	char *type; /* the declaration without name and brackets */
	char *name;
	char *brackets; /* the text between the brackets; NULL: no brackets */
	bool is_located, is_relative;
};

static bool take_word(char **text, const char *word)
{
	const size_t nr_bytes = strlen(word);

	if (strncmp(*text, word, nr_bytes) != 0 || !isspace((unsigned char)(*text)[nr_bytes]))
		return false;
	*text += nr_bytes + 1;
	return true;
}

static void cut_blanks(char *text)
{
	size_t nr_bytes = strlen(text);

	while (nr_bytes && isspace((unsigned char)text[nr_bytes - 1]))
		text[--nr_bytes] = '\0';
}

/* Removes a final "[...]" from `text`. */
static bool take_brackets(char *text, char **brackets)
{
	char *open = strrchr(text, '[');
	const size_t nr_bytes = strlen(text);

	*brackets = NULL;
	if (!nr_bytes || text[nr_bytes - 1] != ']')
		return true;
	if (!open)
		return false;
	text[nr_bytes - 1] = '\0';
	*open = '\0';
	*brackets = open + 1;
	cut_blanks(text);
	return true;
}

/*
 * Parses "const char * name", "char comm[16]" or "__data_loc char[] name". The brackets may
 * follow the name or the type.
 */
static bool declaration_parse(char *text, struct declaration *declaration)
{
	size_t at;

	declaration->is_relative = take_word(&text, "__rel_loc");
	declaration->is_located = declaration->is_relative || take_word(&text, "__data_loc");
	cut_blanks(text);
	if (!take_brackets(text, &declaration->brackets))
		return false;
	at = strlen(text);
	while (at && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'))
		at--;
	declaration->name = text + at;
	if (!at || !*declaration->name || isdigit((unsigned char)*declaration->name))
		return false;
	declaration->type = text;
	if (text[at - 1] == '*') { /* "void *name" */
		memmove(text + at + 1, text + at, strlen(text + at) + 1);
		declaration->name++;
	} else if (!isspace((unsigned char)text[--at])) {
		return false;
	}
	text[at] = '\0';
	cut_blanks(text);
	return !declaration->is_located || take_brackets(text, &declaration->brackets);
}

static const char *without_const(const char *type)
{
	return strncmp(type, "const ", 6) ? type : type + 6;
}

static bool is_text(const char *type)
{
	return !strcmp(without_const(type), "char");
}

/*
 * Returns the size of the C or kernel type with this name; 0: unknown. This
 * size is needed for arrays, because a format file does not contain the size of
 * an element.
 */
static uint32_t type_bytes(const char *type)
{
	static const struct {
		const char *type;
		uint32_t nr_bytes;
	} known[] = {
		{"char", 1},
		{"signed char", 1},
		{"unsigned char", 1},
		{"bool", 1},
		{"u8", 1},
		{"s8", 1},
		{"__u8", 1},
		{"uint8_t", 1},
		{"short", 2},
		{"unsigned short", 2},
		{"u16", 2},
		{"s16", 2},
		{"__u16", 2},
		{"__be16", 2},
		{"__le16", 2},
		{"uint16_t", 2},
		{"int", 4},
		{"unsigned", 4},
		{"unsigned int", 4},
		{"u32", 4},
		{"s32", 4},
		{"__u32", 4},
		{"__be32", 4},
		{"__le32", 4},
		{"uint32_t", 4},
		{"pid_t", 4},
		{"long", sizeof(long)},
		{"unsigned long", sizeof(long)},
		{"u64", 8},
		{"s64", 8},
		{"__u64", 8},
		{"__be64", 8},
		{"__le64", 8},
		{"uint64_t", 8},
		{"long long", 8},
		{"unsigned long long", 8},
	};

	type = without_const(type);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].type, type))
			return known[i].nr_bytes;
	return 0;
}

static bool is_integer_size(uint64_t nr_bytes)
{
	return nr_bytes == 1 || nr_bytes == 2 || nr_bytes == 4 || nr_bytes == 8;
}

/* ---- a field ---- */

static void found_elsewhere(struct tracepoint_field *field, const struct declaration *declaration)
{
	const uint32_t nr_bytes = type_bytes(declaration->type);

	field->is_relative = declaration->is_relative;
	field->element_bytes = nr_bytes ? nr_bytes : 1;
	field->kind = is_text(declaration->type) ? TRACEPOINT_STRING : TRACEPOINT_SEQUENCE;
}

/*
 * Describes a field whose value is stored at a fixed offset. If the number of
 * elements is the name of a macro (char comm[TASK_COMM_LEN]), this number is
 * the field's size divided by the size of the type. A structure becomes an
 * array of bytes.
 */
static void found_in_place(struct tracepoint_field *field, const struct declaration *declaration,
			   uint32_t size)
{
	uint64_t nr = 0;
	uint32_t nr_bytes = type_bytes(declaration->type);

	field->is_pointer = strchr(declaration->type, '*') != NULL;
	if (!declaration->brackets && is_integer_size(size)) {
		field->kind = TRACEPOINT_INTEGER;
		field->element_bytes = size;
		return;
	}
	if (declaration->brackets && !number_parse(declaration->brackets, ELEMENTS_MAX, &nr) &&
	    nr && size % nr == 0 && is_integer_size(size / nr))
		nr_bytes = (uint32_t)(size / nr);
	if (!declaration->brackets || !nr_bytes || size % nr_bytes)
		nr_bytes = 1;
	field->kind = is_text(declaration->type) ? TRACEPOINT_TEXT : TRACEPOINT_ARRAY;
	field->element_bytes = nr_bytes;
	field->nr_elements = size / nr_bytes;
}

static int add_field(struct format *format, const struct declaration *declaration, uint64_t offset,
		     uint64_t size, bool is_signed)
{
	struct tracepoint *tracepoint = format->tracepoint;
	struct tracepoint_field *field = &tracepoint->fields[tracepoint->nr_fields];

	if (!size) {
		tracepoint->nr_fields_left_out++;
		return 0;
	}
	if (declaration->is_located && size != sizeof(uint32_t))
		return refuse(format, "the location of a value must have 4 bytes");
	if (tracepoint->nr_fields == TRACEPOINT_NR_FIELDS_MAX)
		return refuse(format, "too many fields");
	if (tracepoint_find(tracepoint, declaration->name))
		return refuse(format, "two fields have the same name");
	*field = (struct tracepoint_field){.name = strdup(declaration->name),
					   .type = strdup(declaration->type),
					   .offset = (uint32_t)offset,
					   .is_signed = is_signed};
	if (!field->name || !field->type) {
		free(field->name);
		free(field->type);
		return -ENOMEM;
	}
	if (declaration->is_located)
		found_elsewhere(field, declaration);
	else
		found_in_place(field, declaration, (uint32_t)size);
	tracepoint->nr_fields++;
	return 0;
}

/* Parses "DECLARATION;\toffset:N;\tsize:N;\tsigned:N;". */
static int take_field(struct format *format, char *text)
{
	struct declaration declaration;
	uint64_t offset, size, is_signed;
	char *parts = text;

	(void)strsep(&parts, ";");
	if (!parts || !numbers_of(parts, &offset, &size, &is_signed))
		return refuse(
			format,
			"not a field: expected DECLARATION; offset:N; size:N; signed:0 or 1;");
	if (!declaration_parse(text, &declaration))
		return refuse(format, "unknown form of declaration");
	if (!strncmp(declaration.name, COMMON_PREFIX, strlen(COMMON_PREFIX)))
		return 0;
	return add_field(format, &declaration, offset, size, is_signed);
}

/* ---- the file ---- */

static int take_line(struct format *format, char *line)
{
	uint64_t id;

	line += strspn(line, " \t");
	if (!strncmp(line, "name: ", 6)) {
		free(format->tracepoint->name);
		format->tracepoint->name = strdup(line + 6);
		return format->tracepoint->name ? 0 : -ENOMEM;
	}
	if (!strncmp(line, "ID: ", 4)) {
		if (number_parse(line + 4, UINT32_MAX, &id))
			return refuse(format, "the ID is not a number");
		format->tracepoint->id = (uint32_t)id;
		format->has_id = true;
		return 0;
	}
	if (!strcmp(line, "format:")) {
		format->has_format = true;
		return 0;
	}
	if (!strncmp(line, "field:", 6))
		return take_field(format, line + 6);
	return *line ? refuse(format, "unknown form of line") : 0;
}

static int take_lines(struct format *format)
{
	/* "print fmt:" begins C code that prints a record. This code is ignored. */
	for (char *line; (line = next_line(format)) && strncmp(line, "print fmt:", 10) != 0;) {
		const int error = take_line(format, line);

		if (error)
			return error;
	}
	format->line = 0;
	if (!format->tracepoint->name || !format->has_id || !format->has_format)
		return refuse(format, "not the format of a tracepoint: no name, ID or fields");
	return 0;
}

static struct tracepoint *create(const char *system)
{
	struct tracepoint *tracepoint = calloc(1, sizeof(*tracepoint));

	if (!tracepoint)
		return NULL;
	tracepoint->system = strdup(system);
	tracepoint->fields = calloc(TRACEPOINT_NR_FIELDS_MAX + 1, sizeof(*tracepoint->fields));
	if (tracepoint->system && tracepoint->fields)
		return tracepoint;
	tracepoint_destroy(tracepoint);
	return NULL;
}

int tracepoint_parse(struct tracepoint **tracepoint, const char *system, const char *file,
		     const char *text, struct diag *diag)
{
	struct format format = {.file = file, .diag = diag, .tracepoint = create(system)};
	char *copy = strdup(text);
	int error = -ENOMEM;

	*tracepoint = NULL;
	format.next = copy;
	if (copy && format.tracepoint)
		error = take_lines(&format);
	free(copy);
	if (error == -ENOMEM)
		(void)diag_set(diag, error, "out of memory for a tracepoint's description");
	if (error)
		tracepoint_destroy(format.tracepoint);
	else
		*tracepoint = format.tracepoint;
	return error;
}

int tracepoint_read(struct tracepoint **tracepoint, const char *folder, const char *system,
		    const char *name, struct diag *diag)
{
	char *path, *text;
	int error;

	*tracepoint = NULL;
	if (asprintf(&path, "%s/events/%s/%s/format", folder, system, name) < 0)
		return diag_set(diag, -ENOMEM, "out of memory for a tracepoint's description");
	error = file_read_text(path, TRACEPOINT_FORMAT_BYTES_MAX, &text, NULL);
	if (error == -ENOENT)
		error = diag_set(diag, error, "this kernel has no event %s:%s", system, name);
	else if (error)
		error = diag_set_at(diag, error, path, 0, "%s", strerror(-error));
	if (!error) {
		error = tracepoint_parse(tracepoint, system, path, text, diag);
		free(text);
	}
	free(path);
	return error;
}

void tracepoint_destroy(struct tracepoint *tracepoint)
{
	if (!tracepoint)
		return;
	for (unsigned int i = 0; tracepoint->fields && i < tracepoint->nr_fields; i++) {
		free(tracepoint->fields[i].name);
		free(tracepoint->fields[i].type);
	}
	free(tracepoint->fields);
	free(tracepoint->name);
	free(tracepoint->system);
	free(tracepoint);
}

const struct tracepoint_field *tracepoint_find(const struct tracepoint *tracepoint,
					       const char *name)
{
	for (unsigned int i = 0; i < tracepoint->nr_fields; i++)
		if (!strcmp(tracepoint->fields[i].name, name))
			return &tracepoint->fields[i];
	return NULL;
}

/* ---- values ---- */

static bool is_within(uint64_t offset, uint64_t nr_bytes, size_t nr_record_bytes)
{
	return offset <= nr_record_bytes && nr_bytes <= nr_record_bytes - offset;
}

bool tracepoint_value(const struct tracepoint_field *field, const uint8_t *record,
		      size_t nr_record_bytes, const uint8_t **bytes, size_t *nr_bytes)
{
	uint32_t word, offset = field->offset, length;

	if (field->kind != TRACEPOINT_STRING && field->kind != TRACEPOINT_SEQUENCE) {
		length = field->element_bytes * (field->nr_elements ? field->nr_elements : 1);
	} else {
		if (!is_within(offset, sizeof(word), nr_record_bytes))
			return false;
		memcpy(&word, record + offset, sizeof(word));
		length = word >> 16;
		offset = (word & 0xffff) +
			 (field->is_relative ? offset + (uint32_t)sizeof(word) : 0);
	}
	if (!is_within(offset, length, nr_record_bytes))
		return false;
	*bytes = record + offset;
	*nr_bytes = field->kind == TRACEPOINT_STRING ? strnlen((const char *)*bytes, length)
						     : length - length % field->element_bytes;
	return true;
}

uint64_t tracepoint_number(const struct tracepoint_field *field, const uint8_t *bytes)
{
	const unsigned int unused = 64 - 8 * field->element_bytes;
	uint64_t number = 0;

	/* On big-endian machines the low bytes are at the end of the number. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(&number, bytes, field->element_bytes);
#else
	memcpy((uint8_t *)&number + 8 - field->element_bytes, bytes, field->element_bytes);
#endif
	if (field->is_signed && unused)
		number = (uint64_t)((int64_t)(number << unused) >> unused);
	return number;
}
