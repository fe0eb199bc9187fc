// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses names of sample files. A parsed name is formatted again, and refused if the result
 * differs from the text. Thus every sample file has exactly one valid name.
 */
#include "libdb/sample_name.h"

#include "libdb/sample_name_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The state of the parser. The part of a name that remains to be parsed ends at the slash before
 * the last component.
 */
struct name_parser {
	const char *next;
	const char *end;
	const char *text; /* the whole name, for diag */
	struct diag *diag;
};

struct name_piece {
	const char *bytes;
	size_t nr_bytes;
};

static int refuse(const struct name_parser *parser, const char *what, struct name_piece piece)
{
	return diag_set_at(parser->diag, -EINVAL, parser->text, 0, "%s: \"%.*s\"", what,
			   piece.nr_bytes > 300 ? 300 : (int)piece.nr_bytes, piece.bytes);
}

static bool piece_is(struct name_piece piece, const char *text)
{
	return piece.nr_bytes == strlen(text) && memcmp(piece.bytes, text, piece.nr_bytes) == 0;
}

static bool piece_begins(struct name_piece piece, const char *text)
{
	return piece.nr_bytes >= strlen(text) && memcmp(piece.bytes, text, strlen(text)) == 0;
}

static bool at_end(const struct name_parser *parser)
{
	return parser->next >= parser->end;
}

/*
 * Returns the next component without moving the parser. At the end, returns a component of 0
 * bytes.
 */
static struct name_piece peek_component(const struct name_parser *parser)
{
	struct name_piece piece = {parser->next, 0};

	while (piece.bytes + piece.nr_bytes < parser->end && piece.bytes[piece.nr_bytes] != '/')
		piece.nr_bytes++;
	return piece;
}

static struct name_piece take_component(struct name_parser *parser)
{
	struct name_piece piece = peek_component(parser);

	parser->next = piece.bytes + piece.nr_bytes;
	if (!at_end(parser))
		parser->next++;
	return piece;
}

/* ---- escapes ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Decodes the escapes of piece and appends the result to text[room], whose first *used bytes are
 * in use.
 */
static int unescape(const struct name_parser *parser, struct name_piece piece, char *text,
		    size_t room, size_t *used)
{
	const size_t nr_mark = sample_component_is_hashed(piece.bytes, piece.nr_bytes)
				       ? SAMPLE_HASH_MARK_BYTES
				       : 0;
	const size_t nr_plain = piece.nr_bytes - nr_mark;

	/* This check leaves room for the mark and the NUL. */
	if (piece.nr_bytes >= room - *used)
		return refuse(parser, "too long", piece);
	for (size_t i = 0; i < nr_plain; i++) {
		char byte = piece.bytes[i];

		if (byte == '%') {
			int high = i + 2 < nr_plain ? hex_digit(piece.bytes[i + 1]) : -1;
			int low = i + 2 < nr_plain ? hex_digit(piece.bytes[i + 2]) : -1;

			if (high < 0 || low < 0 || !(high | low))
				return refuse(parser, "invalid escape in", piece);
			byte = (char)(high << 4 | low);
			i += 2;
		}
		text[(*used)++] = byte;
	}
	memcpy(text + *used, piece.bytes + nr_plain, nr_mark);
	*used += nr_mark;
	text[*used] = '\0';
	return 0;
}

/* ---- fields ---- */

/* Returns the field before the next '.' of *rest, and moves the start of *rest after that '.'. */
static struct name_piece take_field(struct name_piece *rest)
{
	struct name_piece field = {rest->bytes, 0};

	while (field.nr_bytes < rest->nr_bytes && field.bytes[field.nr_bytes] != '.')
		field.nr_bytes++;
	rest->bytes += field.nr_bytes;
	rest->nr_bytes -= field.nr_bytes;
	if (rest->nr_bytes) {
		rest->bytes++;
		rest->nr_bytes--;
	}
	return field;
}

/*
 * Parses the whole piece as a number in this base. strtoull() also accepts other spellings;
 * sample_name_parse refuses them later.
 */
static int parse_digits(const struct name_parser *parser, struct name_piece piece, int base,
			uint64_t max, const char *what, uint64_t *value)
{
	char text[32], *end;
	unsigned long long parsed;

	if (!piece.nr_bytes || piece.nr_bytes >= sizeof(text) || piece.bytes[0] == '-')
		return refuse(parser, what, piece);
	memcpy(text, piece.bytes, piece.nr_bytes);
	text[piece.nr_bytes] = '\0';
	errno = 0;
	parsed = strtoull(text, &end, base);
	if (errno || *end || parsed > max)
		return refuse(parser, what, piece);
	*value = parsed;
	return 0;
}

static int parse_number(const struct name_parser *parser, struct name_piece piece, const char *what,
			int64_t *number)
{
	uint64_t value;
	int error;

	if (piece_is(piece, "all")) {
		*number = SAMPLE_NAME_ALL;
		return 0;
	}
	error = parse_digits(parser, piece, 10, INT64_MAX, what, &value);
	if (!error)
		*number = (int64_t)value;
	return error;
}

static int parse_period(const struct name_parser *parser, struct name_piece piece,
			struct sample_name *name)
{
	name->frequency =
		piece.nr_bytes > 2 && memcmp(piece.bytes + piece.nr_bytes - 2, "Hz", 2) == 0;
	if (name->frequency)
		piece.nr_bytes -= 2;
	return parse_digits(parser, piece, 10, UINT64_MAX, "invalid count", &name->period_or_hz);
}

static int parse_numbers(const struct name_parser *parser, struct name_piece rest,
			 struct sample_name *name)
{
	uint64_t unit_mask = 0;
	int error = parse_period(parser, take_field(&rest), name);

	if (!error)
		error = parse_digits(parser, take_field(&rest), 10, UINT32_MAX, "invalid unit mask",
				     &unit_mask);
	name->unit_mask = (uint32_t)unit_mask;
	if (!error)
		error = parse_number(parser, take_field(&rest), "invalid tgid", &name->tgid);
	if (!error)
		error = parse_number(parser, take_field(&rest), "invalid tid", &name->tid);
	if (!error)
		error = parse_number(parser, take_field(&rest), "invalid CPU", &name->cpu);
	if (!error)
		error = parse_number(parser, take_field(&rest), "invalid cgroup", &name->cgroup);
	if (!error)
		error = parse_digits(parser, take_field(&rest), 16, UINT64_MAX, "invalid identity",
				     &name->identity);
	return error;
}

static int parse_fields(const struct name_parser *parser, struct name_piece rest,
			struct sample_name *name)
{
	unsigned int nr_fields = 1;
	size_t used = 0;
	int error;

	for (size_t i = 0; i < rest.nr_bytes; i++)
		nr_fields += rest.bytes[i] == '.';
	if (nr_fields != SAMPLE_NR_FIELDS)
		return diag_set_at(parser->diag, -EINVAL, parser->text, 0,
				   "the last part has %u fields instead of %d: \"%.*s\"", nr_fields,
				   SAMPLE_NR_FIELDS, (int)rest.nr_bytes, rest.bytes);
	error = unescape(parser, take_field(&rest), name->event, sizeof(name->event), &used);
	if (!error && !used)
		error = refuse(parser, "no event before", rest);
	return error ? error : parse_numbers(parser, rest, name);
}

/* ---- the two paths ---- */

/* Parses components up to the end, or up to a component that begins with '{'. */
static int parse_root_path(struct name_parser *parser, struct sample_path *path)
{
	size_t used = 0;

	while (!at_end(parser) && *parser->next != '{') {
		struct name_piece piece = take_component(parser);
		int error;

		if (used + 1 >= sizeof(path->path))
			return refuse(parser, "too long", piece);
		path->path[used++] = '/';
		path->hashed |= sample_component_is_hashed(piece.bytes, piece.nr_bytes);
		error = unescape(parser, piece, path->path, sizeof(path->path), &used);
		if (error)
			return error;
	}
	return used ? 0 : refuse(parser, "no path after", (struct name_piece){SAMPLE_ROOT, 6});
}

static int parse_name(struct name_parser *parser, struct name_piece piece, struct sample_path *path)
{
	size_t used = 0;

	path->hashed = sample_component_is_hashed(piece.bytes, piece.nr_bytes);
	return unescape(parser, piece, path->path, sizeof(path->path), &used);
}

static int parse_anon(struct name_parser *parser, struct name_piece first, struct sample_path *path)
{
	const size_t nr_before = strlen(SAMPLE_ANON);
	struct name_piece region = take_component(parser);
	struct name_piece name = {first.bytes + nr_before, first.nr_bytes - nr_before - 1};
	int error;

	if (first.bytes[first.nr_bytes - 1] != '}' || first.nr_bytes <= nr_before)
		return refuse(parser, "no '}' ends", first);
	error = parse_name(parser, name, path);
	if (!error)
		error = parse_number(parser, take_field(&region),
				     "invalid tgid of an anonymous region", &path->tgid);
	if (!error)
		error = parse_digits(parser, take_field(&region), 16, UINT64_MAX,
				     "invalid start of an anonymous region", &path->start);
	if (!error)
		error = parse_digits(parser, region, 16, UINT64_MAX,
				     "invalid end of an anonymous region", &path->end);
	return error;
}

static int parse_path(struct name_parser *parser, struct sample_path *path)
{
	struct name_piece first = take_component(parser);

	path->path[0] = '\0';
	path->tgid = 0;
	path->start = 0;
	path->end = 0;
	path->hashed = false;
	if (piece_is(first, SAMPLE_ROOT)) {
		path->kind = SAMPLE_PATH_ROOT;
		return parse_root_path(parser, path);
	}
	if (piece_is(first, SAMPLE_KERN)) {
		path->kind = SAMPLE_PATH_KERN;
		return parse_name(parser, take_component(parser), path);
	}
	if (piece_begins(first, SAMPLE_ANON)) {
		path->kind = SAMPLE_PATH_ANON;
		return parse_anon(parser, first, path);
	}
	return refuse(parser, "expected {root}, {kern} or {anon:...}, found", first);
}

/* ---- entry points ---- */

static int parse_parts(struct name_parser *parser, struct name_piece last, struct sample_name *name)
{
	struct name_piece between;
	int error = parse_path(parser, &name->app);

	if (error)
		return error;
	between = take_component(parser);
	if (!piece_is(between, SAMPLE_DEP))
		return refuse(parser, "expected {dep}, found", between);
	error = parse_path(parser, &name->image);
	if (error)
		return error;
	if (!at_end(parser))
		return refuse(parser, "one part too many", peek_component(parser));
	return parse_fields(parser, last, name);
}

int sample_name_parse(const char *text, struct sample_name *name, struct diag *diag)
{
	char written[2 * PATH_MAX];
	const char *slash = strrchr(text, '/');
	struct name_parser parser = {text, slash, text, diag};
	struct name_piece last;
	int error;

	if (!slash)
		return diag_set_at(diag, -EINVAL, text, 0,
				   "not a sample file's name: it has only one part");
	last = (struct name_piece){slash + 1, strlen(slash + 1)};
	error = parse_parts(&parser, last, name);
	if (error)
		return error;
	error = sample_name_format(name, written, sizeof(written));
	if (error || strcmp(written, text) != 0)
		return diag_set_at(diag, -EINVAL, text, 0,
				   "not in the form of a sample file's name");
	return 0;
}
