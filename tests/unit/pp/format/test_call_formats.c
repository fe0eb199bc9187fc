// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random call trees, written in every format and read back: the total, each
 * function's own samples and those with the function in their stack are the
 * same in every format. OPROF_SEED sets the seed.
 */
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/read_protobuf.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_calls.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_TREES     12
#define NR_STACKS    40
#define DEPTH_MAX    9
#define NR_FUNCTIONS 64
#define STACK_BYTES  4096
#define NR_IDS	     1024 /* bound of pprof's function and location ids */
#define NR_LINES     16

static struct make_session session;
static struct make_chains chains;
static struct make_calls calls;
static struct call_places places;
static bool with_lines;
static struct text_options text_options;
static struct calls_options options;
static uint64_t random_state;

static const struct symbol program_symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x400100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x400200, .name = "f"},
	{.start = 0x300, .nr_bytes = 0x100, .address = 0x400300, .name = "g"},
	{.start = 0x400, .nr_bytes = 0x100, .address = 0x400400, .name = "operator new(int)"},
};
/* All of the library is in symbols: "(no symbols)" occurs in the program only. */
static const struct symbol library_symbols[] = {
	{.start = 0, .nr_bytes = 0x200, .address = 0x10, .name = "memcpy"},
	{.start = 0x200, .nr_bytes = 0x1000, .address = 0x20, .name = "qsort"},
};

static const char *const files[] = {"", "/src/a.c", "/src/a.h"};
static const struct fake_range program_lines[] = {
	{.start = 0x100, .end = 0x180, .file = 1, .line = 10},
	{.start = 0x180, .end = 0x200, .file = 1, .line = 12},
	{.start = 0x200, .end = 0x240, .file = 1, .line = 20},
	{.start = 0x240,
	 .end = 0x2c0,
	 .file = 2,
	 .line = 5,
	 .inlines = {{.function = "inner", .call = {.file = 2, .line = 9}},
		     {.function = "outer", .call = {.file = 1, .line = 22}}},
	 .nr_inlines = 2},
	{.start = 0x2c0, .end = 0x300, .file = 1, .line = 21},
	{.start = 0x310, .end = 0x400, .file = 2, .line = 5}, /* included, not inlined */
};

/* Samples of a source line in any function; "" and 0: samples without a line. */
struct found_line {
	char file[64];
	uint64_t line, nr_samples;
};

/* The functions, by name, that a reader of a format finds. */
struct found {
	struct found_line lines[NR_LINES];
	size_t nr_lines;
	struct found_function {
		char name[128];
		uint64_t self, below;
	} functions[NR_FUNCTIONS];
	size_t nr_functions;
	uint64_t total, self; /* the total stated, and the sum */
};

static void setup(void)
{
	const char *seed = getenv("OPROF_SEED");

	random_state = seed ? strtoull(seed, NULL, 0) : 1;
	text_options = (struct text_options){.header = true, .demangle = DEMANGLE_NONE};
	options = (struct calls_options){.text = &text_options};
	fake_symbols_set("/bin/a", program_symbols, 4, NULL);
	fake_symbols_set("/lib/c", library_symbols, 2, NULL);
	fake_lines_set("/bin/a", program_lines, sizeof(program_lines) / sizeof(*program_lines),
		       files, 3);
	with_lines = false;
}

static void teardown(void)
{
	fake_symbols_clear();
	fake_lines_clear();
}

/* Knuth's linear congruential generator; the high bits are better. */
static unsigned int random_below(unsigned int n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)((random_state >> 33) % n);
}

/* ---- random trees ---- */

static void add_random_frame(char *frames, size_t depth)
{
	static const char *const images[] = {"/bin/a", "/lib/c", "/lib/none"};
	size_t length = strlen(frames);

	if (!depth && !random_below(8))
		strcpy(frames, random_below(2) ? "[truncated]" : "[broken]");
	else
		(void)snprintf(frames + length, STACK_BYTES - length, " %s+%x",
			       images[random_below(3)], random_below(0x600));
}

static void add_random_stack(void)
{
	const struct make_file file = {.app = random_below(3) ? "/bin/a" : "/usr/bin/b",
				       .flags = random_below(2) ? OPROF_STACK_BY_IMAGE : 0};
	size_t depth = 1 + random_below(DEPTH_MAX);
	char frames[STACK_BYTES] = "";

	for (size_t i = 0; i < depth; i++)
		add_random_frame(frames, i);
	if (depth == 1 && *frames == '[')
		strcpy(frames, "/bin/a+210");
	make_chains_add(&chains, &file, frames, 1 + random_below(1000));
}

static void begin_tree(void)
{
	make_session_init(&session);
	make_chains_init(&chains);
	calls = (struct make_calls){0};
	for (int i = 0; i < NR_STACKS; i++)
		add_random_stack();
	make_chains_live(&chains, &session, 1);
	calls.made.profile_options.symbols = calls.made.profile_options.details = with_lines;
	make_calls_init(&calls, &session, "");
	make_calls_check_sums(&calls);
	if (!with_lines)
		return;
	ck_assert_int_eq(call_places_make(&places, &calls.tree, &calls.made.profile_options), 0);
	options.places = &places;
}

static void end_tree(void)
{
	if (options.places)
		call_places_deinit(&places);
	options.places = NULL;
	make_calls_deinit(&calls);
	make_chains_deinit(&chains);
	make_session_deinit(&session);
}

/* ---- readers of the formats ---- */

static struct found_function *find(struct found *found, const char *name)
{
	size_t i = 0;

	while (i < found->nr_functions && strcmp(found->functions[i].name, name) != 0)
		i++;
	ck_assert_uint_lt(i, NR_FUNCTIONS);
	if (i == found->nr_functions) {
		found->nr_functions++;
		(void)snprintf(found->functions[i].name, sizeof(found->functions[i].name), "%s",
			       name);
	}
	return &found->functions[i];
}

static struct found_line *find_line(struct found *found, const char *file, uint64_t line)
{
	size_t i = 0;

	while (i < found->nr_lines &&
	       (found->lines[i].line != line || strcmp(found->lines[i].file, file) != 0))
		i++;
	ck_assert_uint_lt(i, NR_LINES);
	if (i == found->nr_lines) {
		found->nr_lines++;
		found->lines[i].line = line;
		(void)snprintf(found->lines[i].file, sizeof(found->lines[i].file), "%s", file);
	}
	return &found->lines[i];
}

static void sum_lines(struct found *expected)
{
	const struct profile *flat = &calls.made.profile;

	for (size_t i = 0; i < flat->nr_details; i++) {
		const struct profile_detail *detail = &flat->details[i];
		bool ours = !strcmp(flat->selection->images[detail->image].path, "/bin/a");
		const struct fake_range *range = program_lines;
		size_t nr = ours ? sizeof(program_lines) / sizeof(*program_lines) : 0;
		const struct fake_range *end = program_lines + nr;

		while (range < end && (detail->key < range->start || detail->key >= range->end))
			range++;
		find_line(expected, range < end && nr ? files[range->file] : "",
			  range < end && nr ? range->line : 0)
			->nr_samples += flat->detail_counts[i];
	}
}

static void assert_lines(struct found *found)
{
	struct found expected = {0};

	sum_lines(&expected);
	for (size_t i = 0; i < expected.nr_lines; i++) {
		const struct found_line *line = &expected.lines[i];
		uint64_t nr = find_line(found, line->file, line->line)->nr_samples;

		ck_assert_msg(nr == line->nr_samples,
			      "%s:%" PRIu64 ": %" PRIu64 " samples, not %" PRIu64, line->file,
			      line->line, nr, line->nr_samples);
	}
	ck_assert_uint_eq(found->nr_lines, expected.nr_lines);
}

/* Note one stack, outermost function first; a recursive function counts once. */
static void note_stack(struct found *found, const char *const *names, size_t nr, uint64_t number)
{
	found->self += number;
	if (nr)
		find(found, names[nr - 1])->self += number;
	for (size_t i = 0; i < nr; i++) {
		size_t j = 0;

		while (strcmp(names[j], names[i]) != 0)
			j++;
		if (j == i)
			find(found, names[i])->below += number;
	}
}

/* Compare with the call graph; name_of gives a function's name as the format writes it. */
static void assert_agrees(const struct found *found, const char *(*name_of)(uint32_t function))
{
	const struct call_tree *tree = &calls.tree;
	size_t nr = 0;

	ck_assert_uint_eq(found->self, tree->nr_samples);
	ck_assert_uint_eq(found->total, tree->nr_samples);
	for (uint32_t i = 0; i < tree->nr_functions; i++) {
		struct found_function *function;

		if (!calls.graph.below[i])
			continue;
		nr++;
		function = find((struct found *)(uintptr_t)found, name_of(i));
		ck_assert_msg(function->self == calls.graph.self[i],
			      "%s: own samples %" PRIu64 ", not %" PRIu64, function->name,
			      function->self, calls.graph.self[i]);
		ck_assert_msg(function->below == calls.graph.below[i],
			      "%s: samples %" PRIu64 ", not %" PRIu64, function->name,
			      function->below, calls.graph.below[i]);
	}
	ck_assert_uint_eq(found->nr_functions, nr);
}

static const char *name_or_image(uint32_t function)
{
	const struct call_function *of = &calls.tree.functions[function];

	if (of->name)
		return of->name;
	return !strcmp(calls.tree.images[of->image].path, "/bin/a") ? "[a]" : "[none]";
}

/* ---- folded ---- */

static void write_folded(FILE *out, void *context)
{
	struct diag diag;

	(void)context;
	ck_assert_int_eq(folded_format(out, &calls.tree, &options, &diag), 0);
}

static void read_folded(struct found *found)
{
	char *text = make_profile_text(write_folded, NULL);
	char *next = text;

	for (char *line; (line = strsep(&next, "\n")) && *line;) {
		const char *names[DEPTH_MAX + 1];
		char *number = strrchr(line, ' ');
		size_t nr = 0;

		ck_assert_ptr_nonnull(number);
		*number++ = '\0';
		for (char *name; (name = strsep(&line, ";"));)
			names[nr++] = name;
		note_stack(found, names + 1, nr - 1, strtoull(number, NULL, 10));
	}
	found->total = found->self;
	free(text);
}

START_TEST(folded_stacks_read_back_agree)
{
	for (int i = 0; i < NR_TREES; i++) {
		struct found found = {0};

		begin_tree();
		read_folded(&found);
		assert_agrees(&found, name_or_image);
		end_tree();
	}
}
END_TEST

/* ---- callgrind ---- */

/* The state of a reader: the current function and the names by number. */
struct callgrind_reader {
	struct found *found;
	char names[3][NR_FUNCTIONS][128]; /* of functions, objects and files */
	uint32_t function, callee, file;
	bool call; /* the next cost line belongs to a call */
};

/* Returns the number of "(1) name" or "(1)" and keeps the name. */
static uint32_t read_name(struct callgrind_reader *reader, int kind, const char *text)
{
	char *end;
	unsigned long number = strtoul(text + 1, &end, 10);

	ck_assert_int_eq(*text, '(');
	ck_assert_int_eq(*end, ')');
	ck_assert_uint_lt(number, NR_FUNCTIONS);
	if (end[1])
		(void)snprintf(reader->names[kind][number], 128, "%s", end + 2);
	ck_assert_str_ne(reader->names[kind][number], "");
	return (uint32_t)number;
}

static void read_cost(struct callgrind_reader *reader, const char *line)
{
	char *end;
	uint64_t number = strtoul(line, &end, 10);
	uint64_t cost = strtoull(end, NULL, 10);

	if (!with_lines || reader->call)
		ck_assert_uint_eq(number, 0);
	if (reader->call) {
		find(reader->found, reader->names[0][reader->callee])->below += cost;
	} else {
		find(reader->found, reader->names[0][reader->function])->self += cost;
		reader->found->self += cost;
		if (cost)
			find_line(reader->found, number ? reader->names[2][reader->file] : "",
				  number)
				->nr_samples += cost;
	}
	reader->call = false;
}

static void read_callgrind_line(struct callgrind_reader *reader, const char *line)
{
	if (!strncmp(line, "fn=", 3))
		reader->function = read_name(reader, 0, line + 3);
	else if (!strncmp(line, "cfn=", 4))
		reader->callee = read_name(reader, 0, line + 4);
	else if (!strncmp(line, "ob=", 3))
		(void)read_name(reader, 1, line + 3);
	else if (!strncmp(line, "cob=", 4))
		(void)read_name(reader, 1, line + 4);
	else if (*line == 'f' && line[1] && strchr("lie", line[1])) /* fl=, fi=, fe= */
		reader->file = read_name(reader, 2, line + 3);
	else if (!strncmp(line, "cfi=", 4))
		(void)read_name(reader, 2, line + 4);
	else if (!strncmp(line, "calls=", 6))
		reader->call = true;
	else if (!strncmp(line, "totals: ", 8))
		reader->found->total = strtoull(line + 8, NULL, 10);
	else if (*line >= '0' && *line <= '9')
		read_cost(reader, line);
}

static void write_callgrind(FILE *out, void *context)
{
	struct diag diag;

	(void)context;
	ck_assert_int_eq(callgrind_format(out, &calls.graph, &options, &diag), 0);
}

/* Applications stand for the callers of outermost functions; the graph does not have them. */
static void drop_apps(struct found *found)
{
	static const char *const apps[] = {"[a]", "[b]"};

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < found->nr_functions; j++) {
			if (strcmp(found->functions[j].name, apps[i]) != 0)
				continue;
			ck_assert_uint_eq(found->functions[j].self, 0);
			found->functions[j] = found->functions[--found->nr_functions];
		}
}

static const char *name_as_text(uint32_t function)
{
	const struct call_function *of = &calls.tree.functions[function];
	const struct call_image *image;

	if (of->name)
		return of->name;
	image = &calls.tree.images[of->image];
	return image->has_symbols ? "(no symbols)" : image->path;
}

static void read_callgrind(struct found *found)
{
	static struct callgrind_reader reader;
	char *text, *next;

	reader = (struct callgrind_reader){.found = found};
	next = text = make_profile_text(write_callgrind, NULL);
	for (char *line; (line = strsep(&next, "\n"));)
		read_callgrind_line(&reader, line);
	free(text);
}

static void check_callgrind(void)
{
	for (int i = 0; i < NR_TREES; i++) {
		struct found found = {0};

		begin_tree();
		read_callgrind(&found);
		drop_apps(&found);
		assert_agrees(&found, name_as_text);
		if (with_lines)
			assert_lines(&found);
		end_tree();
	}
}

START_TEST(callgrind_read_back_agrees)
{
	check_callgrind();
}
END_TEST

START_TEST(lines_of_callgrind_are_those_of_the_addresses)
{
	with_lines = true;
	check_callgrind();
}
END_TEST

/* ---- pprof ---- */

#define PPROF_BYTES (4u << 20)

/* The parts of profile.proto that hold samples. */
struct pprof_reader {
	const char *texts[1024];
	size_t lengths[1024];
	size_t nr_texts;
	/* By id. Of a location's lines: the innermost, whose function is leaf. */
	uint64_t function_name[NR_IDS], function_file[NR_IDS];
	uint64_t location_function[NR_IDS], location_leaf[NR_IDS], location_line[NR_IDS];
	uint64_t location_frames[NR_IDS], location_mapping[NR_IDS], mapping_name[NR_IDS];
	uint64_t mapping_has[NR_IDS]; /* one bit per field number */
	char names[NR_IDS][128];
};

static void read_function(struct pprof_reader *reader, struct message message)
{
	struct field field;
	uint64_t id = 0;

	while (read_protobuf_field(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		ck_assert_uint_lt(id, NR_IDS);
		if (field.number == 2)
			reader->function_name[id] = field.value;
		if (field.number == 4)
			reader->function_file[id] = field.value;
	}
	ck_assert_uint_ne(id, 0);
}

static void read_mapping(struct pprof_reader *reader, struct message message)
{
	uint64_t start = 0, limit = 0, id = 0;
	struct field field;

	while (read_protobuf_field(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		ck_assert_uint_lt(id, NR_IDS);
		if (field.number == 2)
			start = field.value;
		if (field.number == 3)
			limit = field.value;
		if (field.number == 5)
			reader->mapping_name[id] = field.value;
		if (field.number >= 7)
			reader->mapping_has[id] |= field.value << field.number;
	}
	ck_assert_uint_le(start, limit);
	ck_assert_uint_ne(id, 0);
}

static void read_line(struct pprof_reader *reader, uint64_t id, struct message message)
{
	uint64_t function = 0, number = 0;
	struct field field;

	while (read_protobuf_field(&message, &field)) {
		if (field.number == 1)
			function = field.value;
		if (field.number == 2)
			number = field.value;
	}
	ck_assert_uint_ne(function, 0);
	if (!reader->location_frames[id]++) {
		reader->location_leaf[id] = function;
		reader->location_line[id] = number;
	}
	reader->location_function[id] = function;
}

static void read_location(struct pprof_reader *reader, struct message message)
{
	struct field field;
	uint64_t id = 0;

	while (read_protobuf_field(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		ck_assert_uint_lt(id, NR_IDS);
		if (field.number == 2)
			reader->location_mapping[id] = field.value;
		if (field.number == 4)
			read_line(reader, id, field.message);
	}
	ck_assert_uint_ne(id, 0);
}

static void read_tables(struct pprof_reader *reader, struct message message)
{
	struct field field;

	while (read_protobuf_field(&message, &field)) {
		if (field.number == 3)
			read_mapping(reader, field.message);
		else if (field.number == 4)
			read_location(reader, field.message);
		else if (field.number == 5)
			read_function(reader, field.message);
		if (field.number != 6)
			continue;
		ck_assert_uint_lt(reader->nr_texts, 1024);
		reader->texts[reader->nr_texts] = (const char *)field.message.at;
		reader->lengths[reader->nr_texts++] = field.value;
	}
	ck_assert_uint_eq(reader->lengths[0], 0);
}

/* As pprof shows it: a location without a function has its mapping's name. */
static const char *location_name(struct pprof_reader *reader, uint64_t id)
{
	uint64_t function = reader->location_function[id];
	uint64_t text = function ? reader->function_name[function]
				 : reader->mapping_name[reader->location_mapping[id]];

	ck_assert_uint_lt(text, reader->nr_texts);
	ck_assert_uint_ne(text, 0);
	(void)snprintf(reader->names[id], sizeof(reader->names[id]), "%.*s",
		       (int)reader->lengths[text], reader->texts[text]);
	return reader->names[id];
}

/* A sample ended at its first location; the others are its callers. */
static void note_leaf(struct pprof_reader *reader, uint64_t id, struct found *found, uint64_t nr)
{
	uint64_t file = reader->function_file[reader->location_leaf[id]];
	char name[64];

	(void)snprintf(name, sizeof(name), "%.*s",
		       reader->location_line[id] ? (int)reader->lengths[file] : 0,
		       reader->texts[file]);
	find_line(found, name, reader->location_line[id])->nr_samples += nr;
}

static void read_sample(struct pprof_reader *reader, struct message message, struct found *found)
{
	const char *names[DEPTH_MAX + 1];
	const char *outer[DEPTH_MAX + 1];
	struct field field;
	size_t nr = 0;
	uint64_t nr_samples = 0, leaf = 0;
	bool labelled = false;

	while (read_protobuf_field(&message, &field)) {
		while (field.number == 1 && field.message.at != field.message.end) {
			uint64_t id = read_protobuf_number(&field.message);

			leaf = leaf ? leaf : id;
			names[nr++] = location_name(reader, id);
		}
		if (field.number == 2) {
			nr_samples = read_protobuf_number(&field.message);
			/* The second value is in the event's unit: nanoseconds of cpu-clock. */
			ck_assert_uint_eq(read_protobuf_number(&field.message),
					  nr_samples * 1000000);
			ck_assert_ptr_eq(field.message.at, field.message.end);
		}
		labelled |= field.number == 3;
	}
	ck_assert(labelled);
	for (size_t i = 0; i < nr; i++)
		outer[i] = names[nr - 1 - i];
	note_stack(found, outer, nr, nr_samples);
	note_leaf(reader, leaf, found, nr_samples);
}

static size_t write_pprof(uint8_t *bytes)
{
	char *packed = NULL;
	size_t nr_packed, nr_bytes;
	FILE *out = open_memstream(&packed, &nr_packed);
	struct diag diag;

	ck_assert_int_eq(pprof_format(out, &calls.tree, &options, &diag), 0);
	ck_assert_int_eq(fclose(out), 0);
	nr_bytes = read_protobuf_unpack(packed, nr_packed, bytes, PPROF_BYTES);
	free(packed);
	return nr_bytes;
}

static const char *name_or_path(uint32_t function)
{
	const struct call_function *of = &calls.tree.functions[function];

	return of->name ? of->name : calls.tree.images[of->image].path;
}

static struct pprof_reader pprof_reader;

static void read_pprof(struct found *found)
{
	static uint8_t bytes[PPROF_BYTES];
	struct message whole = {.at = bytes, .end = bytes + write_pprof(bytes)};
	struct field field;

	pprof_reader = (struct pprof_reader){0};
	read_tables(&pprof_reader, whole);
	while (read_protobuf_field(&whole, &field))
		if (field.number == 2)
			read_sample(&pprof_reader, field.message, found);
	found->total = found->self;
}

/* The mappings have lines for the program, symbols for the library, and nothing for the third. */
static void assert_mappings(void)
{
	size_t nr_of[16] = {0};

	for (size_t i = 1; i < NR_IDS; i++)
		if (pprof_reader.mapping_name[i])
			nr_of[pprof_reader.mapping_has[i] >> 7 & 15]++;
	ck_assert(nr_of[15] == 1 && nr_of[1] == 1 && nr_of[0] == 1);
}

static void check_pprof(void)
{
	uint64_t frames_max = 0;

	for (int i = 0; i < NR_TREES; i++) {
		struct found found = {0};

		begin_tree();
		read_pprof(&found);
		assert_agrees(&found, name_or_path);
		if (with_lines) {
			assert_lines(&found);
			assert_mappings();
		}
		for (size_t j = 0; j < NR_IDS; j++)
			if (pprof_reader.location_frames[j] > frames_max)
				frames_max = pprof_reader.location_frames[j];
		end_tree();
	}
	ck_assert_uint_eq(frames_max, with_lines ? 3 : 1);
}

START_TEST(pprof_read_back_agrees)
{
	check_pprof();
}
END_TEST

START_TEST(lines_of_pprof_are_those_of_the_addresses)
{
	with_lines = true;
	check_pprof();
}
END_TEST

/* ---- text ---- */

static void write_callgraph(FILE *out, void *context)
{
	(void)context;
	ck_assert_int_eq(text_format_callgraph(out, &calls.graph, &options), 0);
}

/* Lines without indentation are the functions; their own samples add up to the total. */
START_TEST(call_graphs_read_back_agree)
{
	text_options.header = false;
	for (int i = 0; i < NR_TREES; i++) {
		char *text, *next;
		uint64_t sum = 0;

		begin_tree();
		next = text = make_profile_text(write_callgraph, NULL);
		for (char *line; (line = strsep(&next, "\n"));)
			if (*line != ' ' && *line != '-')
				sum += strtoull(line, NULL, 10);
		free(text);
		ck_assert_uint_eq(sum, calls.tree.nr_samples);
		end_tree();
	}
}
END_TEST

static void write_stacks(FILE *out, void *context)
{
	(void)context;
	ck_assert_int_eq(text_format_stacks(out, &calls.tree, &options), 0);
}

/* In the tree, each root has all of its samples, and each node has one line. */
START_TEST(trees_of_stacks_read_back_agree)
{
	text_options.header = false;
	for (int i = 0; i < NR_TREES; i++) {
		uint64_t sum = 0, all = 0;
		size_t nr_lines = 0;
		char *text, *next;

		begin_tree();
		next = text = make_profile_text(write_stacks, NULL);
		for (char *line; (line = strsep(&next, "\n")) && *line; nr_lines++)
			sum += strtoull(line, NULL, 10);
		free(text);
		for (size_t j = 0; j < calls.tree.nr_nodes; j++)
			all += calls.tree.below[j];
		ck_assert_uint_eq(sum, all);
		ck_assert_uint_eq(nr_lines, calls.tree.nr_nodes);
		end_tree();
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("call_formats");
	TCase *tests = tcase_create("call_formats");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, folded_stacks_read_back_agree);
	tcase_add_test(tests, callgrind_read_back_agrees);
	tcase_add_test(tests, pprof_read_back_agrees);
	tcase_add_test(tests, lines_of_callgrind_are_those_of_the_addresses);
	tcase_add_test(tests, lines_of_pprof_are_those_of_the_addresses);
	tcase_add_test(tests, call_graphs_read_back_agree);
	tcase_add_test(tests, trees_of_stacks_read_back_agree);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
