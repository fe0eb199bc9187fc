// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes samples in pprof's format (pprof_writer.h). */
#include "lib/array.h"
#include "lib/saturate.h"
#include "pp/calls/call_names.h"
#include "pp/calls/call_places.h"
#include "pp/calls/call_spread.h"
#include "pp/format/format_calls.h"
#include "pp/format/format_rows.h"
#include "pp/format/pprof_code.h"
#include "pp/format/pprof_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_TEXT = 2 };

#define NO_CODE	      UINT32_MAX
#define COMMENT_BYTES 512

/* The samples of the current stack, divided among places. */
struct pprof_spread {
	struct call_spread *columns;
	/* range in call_places.places: the places of the function and application */
	size_t first, nr_places;
	size_t column; /* the column that is being divided */
	/* nr_columns numbers for each place, and nr_columns more for samples of no place */
	uint64_t *counts, *shares;
	size_t *touched, nr_touched; /* places with samples */
	size_t room;
};

struct pprof {
	const struct call_tree *tree;
	const struct profile *profile;
	const struct call_places *places; /* NULL: no line is known */
	struct pprof_spread spread;
	/*
	 * roots: the root of each node, or CALL_PLACE_ANY; ends: the nodes that have samples of
	 * their own
	 */
	uint32_t *roots, *ends;
	struct call_names names;
	struct pprof_writer *writer;
	struct pprof_code code;
	uint64_t *ids, *values; /* location ids and values of the current sample */
	size_t ids_room;
};

/* ---- sample types ---- */

static const struct profile_class *class_of(const struct pprof *pprof, size_t class)
{
	return &pprof->profile->selection->classes.classes[class];
}

/* Returns whether samples have a value in addition to their number. */
static bool has_weight(const struct profile_class *class)
{
	return class->measure != MEASURE_SAMPLES || !class->key.frequency;
}

static const char *unit_of(const struct profile_class *class)
{
	static const char *const clocks[] = {"cpu-clock", "task-clock"};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(class->key.event, clocks[i]))
			return "nanoseconds";
	return class->measure == MEASURE_TIME ? "nanoseconds" : "count";
}

static void write_type(struct pprof *pprof, enum profile_field field, const char *type,
		       const char *unit)
{
	protobuf_number(&pprof->writer->message, VALUE_TYPE_TYPE,
			pprof_number_text(pprof->writer, type));
	protobuf_number(&pprof->writer->message, VALUE_TYPE_UNIT,
			pprof_number_text(pprof->writer, unit));
	pprof_write_message(pprof->writer, field);
}

/* Writes a sample type. If there are several classes, its name includes the class. */
static void write_class_type(struct pprof *pprof, const struct profile_class *class,
			     const char *what, const char *unit)
{
	char *name = NULL;

	if (pprof->profile->nr_classes == 1) {
		write_type(pprof, PROFILE_SAMPLE_TYPE, what, unit);
		return;
	}
	if (asprintf(&name, "%s/%s", class->name, what) < 0) {
		pprof->writer->failed = true;
		return;
	}
	write_type(pprof, PROFILE_SAMPLE_TYPE, name, unit);
	free(name);
}

static void write_types(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->profile->nr_classes; i++) {
		const struct profile_class *class = class_of(pprof, i);

		write_class_type(pprof, class, "samples", "count");
		if (has_weight(class))
			write_class_type(pprof, class, class->key.event, unit_of(class));
	}
}

static void write_period(struct pprof *pprof)
{
	const struct profile_class *class = class_of(pprof, 0);

	if (class->key.frequency)
		return;
	write_type(pprof, PROFILE_PERIOD_TYPE, class->key.event, unit_of(class));
	pprof_write_number(pprof->writer, PROFILE_PERIOD, class->key.period_or_hz);
}

/* ---- samples ---- */

static uint64_t weight_of(const struct profile_class *class, uint64_t nr_samples, uint64_t share)
{
	uint64_t weight;

	if (class->measure != MEASURE_SAMPLES)
		return share;
	return __builtin_mul_overflow(nr_samples, class->key.period_or_hz, &weight) ? UINT64_MAX
										    : weight;
}

/* Returns the number limited to the range of pprof's values, which are signed. */
static uint64_t as_value(uint64_t number)
{
	return number > INT64_MAX ? INT64_MAX : number;
}

static size_t make_values(struct pprof *pprof, const uint64_t *counts, const uint64_t *shares)
{
	size_t nr = 0;

	for (size_t i = 0; i < pprof->profile->nr_classes; i++) {
		const struct profile_class *class = class_of(pprof, i);

		pprof->values[nr++] = as_value(counts[i]);
		if (has_weight(class))
			pprof->values[nr++] = as_value(weight_of(class, counts[i], shares[i]));
	}
	return nr;
}

/*
 * Collects the location ids of a node's stack, leaf first. Sets *app to the index of the
 * application.
 */
static size_t make_ids(struct pprof *pprof, uint32_t node, uint32_t *app)
{
	const struct call_tree *tree = pprof->tree;
	size_t nr = 0;

	for (; node >= tree->nr_apps; node = tree->nodes[node].parent) {
		if (array_reserve(&pprof->ids, &pprof->ids_room, nr, 1)) {
			pprof->writer->failed = true;
			return 0;
		}
		pprof->ids[nr++] = pprof_code_function(&pprof->code, tree->nodes[node].function);
	}
	*app = tree->nodes[node].function;
	return nr;
}

/*
 * Writes one sample of the profile. code: the address at which the samples were taken; NO_CODE:
 * only the function is known.
 */
static void write_sample(struct pprof *pprof, uint32_t node, uint32_t code, const uint64_t *counts,
			 const uint64_t *shares)
{
	uint32_t app = 0;
	size_t nr = make_ids(pprof, node, &app);

	if (code != NO_CODE && nr)
		pprof->ids[0] = pprof_code_place(&pprof->code, code);
	protobuf_numbers(&pprof->writer->message, SAMPLE_LOCATION_ID, pprof->ids, nr);
	nr = make_values(pprof, counts, shares);
	protobuf_numbers(&pprof->writer->message, SAMPLE_VALUE, pprof->values, nr);
	protobuf_number(&pprof->writer->part, LABEL_KEY,
			pprof_number_text(pprof->writer, "application"));
	protobuf_number(&pprof->writer->part, LABEL_TEXT,
			pprof_number_text(pprof->writer, pprof->tree->apps[app]));
	pprof_write_part(pprof->writer, SAMPLE_LABEL);
	pprof_write_message(pprof->writer, PROFILE_SAMPLE);
}

/* ---- samples with addresses ---- */

static void give_part(void *context, size_t place, uint64_t part)
{
	struct pprof *pprof = context;
	struct pprof_spread *spread = &pprof->spread;
	uint64_t *counts = spread->counts + place * pprof->tree->nr_columns;
	bool known = false;

	for (size_t i = 0; i < pprof->tree->nr_columns; i++)
		known |= counts[i] != 0;
	if (!known)
		spread->touched[spread->nr_touched++] = place;
	counts[spread->column] += part;
}

/* Returns the average share of a sample at a place. */
static double share_each(const struct pprof *pprof, uint32_t node, size_t place, size_t column)
{
	const struct pprof_spread *spread = &pprof->spread;
	size_t at = (spread->first + place) * pprof->tree->nr_columns + column;
	uint64_t nr_samples = call_tree_self(pprof->tree, node)[column];
	uint64_t share = call_tree_self_shares(pprof->tree, node)[column];

	if (place < spread->nr_places && pprof->places->counts[at]) {
		nr_samples = pprof->places->counts[at];
		share = pprof->places->shares[at];
	}
	return nr_samples ? (double)share / (double)nr_samples : 0;
}

/*
 * Divides a stack's share among its places. The part of a place is proportional to the number of
 * samples that the place got, multiplied by the average share of a sample at this place.
 */
static void spread_shares(struct pprof *pprof, uint32_t node, size_t column)
{
	struct pprof_spread *spread = &pprof->spread;
	size_t nr = pprof->tree->nr_columns;
	uint64_t share = call_tree_self_shares(pprof->tree, node)[column];
	uint64_t given = 0;
	double all = 0, sum = 0;

	for (size_t i = 0; i < spread->nr_touched; i++)
		all += (double)spread->counts[spread->touched[i] * nr + column] *
		       share_each(pprof, node, spread->touched[i], column);
	for (size_t i = 0; i < spread->nr_touched; i++) {
		size_t place = spread->touched[i];
		double part, until;

		sum += (double)spread->counts[place * nr + column] *
		       share_each(pprof, node, place, column);
		part = all > 0 ? sum / all : 1;
		until = part * (double)share;
		spread->shares[place * nr + column] = 0;
		if (i + 1 == spread->nr_touched || until >= (double)share)
			spread->shares[place * nr + column] = share - given;
		else if ((uint64_t)until > given)
			spread->shares[place * nr + column] = (uint64_t)until - given;
		given += spread->shares[place * nr + column];
	}
}

static void write_spread(struct pprof *pprof, uint32_t node)
{
	struct pprof_spread *spread = &pprof->spread;
	size_t nr = pprof->tree->nr_columns;

	spread->nr_touched = 0;
	for (size_t i = 0; i < nr; i++) {
		spread->column = i;
		call_spread_take(&spread->columns[i], call_tree_self(pprof->tree, node)[i],
				 give_part, pprof);
	}
	for (size_t i = 0; i < nr; i++)
		spread_shares(pprof, node, i);
	for (size_t i = 0; i < spread->nr_touched; i++) {
		size_t place = spread->touched[i];
		uint32_t code = place == spread->nr_places
					? NO_CODE
					: pprof->places->places[spread->first + place].code;

		write_sample(pprof, node, code, spread->counts + place * nr,
			     spread->shares + place * nr);
		memset(spread->counts + place * nr, 0, nr * sizeof(*spread->counts));
	}
}

/*
 * Makes room for nr_places places, and for one more entry with the samples of no place. Returns
 * false if out of memory.
 */
static bool make_room(struct pprof *pprof, size_t nr_places)
{
	struct pprof_spread *spread = &pprof->spread;
	size_t nr = pprof->tree->nr_columns;

	if (nr_places + 1 <= spread->room)
		return true;
	free(spread->counts);
	free(spread->shares);
	free(spread->touched);
	spread->room = 2 * nr_places + 64;
	spread->counts = calloc(spread->room, nr * sizeof(*spread->counts));
	spread->shares = calloc(spread->room, nr * sizeof(*spread->shares));
	spread->touched = calloc(spread->room, sizeof(*spread->touched));
	return spread->counts && spread->shares && spread->touched;
}

static int begin_spread(struct pprof *pprof, const uint32_t *ends, size_t nr_ends, size_t column)
{
	const struct pprof_spread *spread = &pprof->spread;
	struct call_spread *of = &spread->columns[column];
	size_t nr = pprof->tree->nr_columns;
	uint64_t all = 0;
	int error;

	for (size_t i = 0; i < nr_ends; i++)
		saturate_add(&all, call_tree_self(pprof->tree, ends[i])[column]);
	error = call_spread_init(of, pprof->places->counts + spread->first * nr + column,
				 spread->nr_places, nr, all);
	if (error)
		return error;
	for (size_t i = 0; i < nr_ends; i++)
		call_spread_count(of, call_tree_self(pprof->tree, ends[i])[column]);
	call_spread_begin(of);
	return 0;
}

/* Writes the stacks of the nodes `ends`. same_end() must be true for any two of them. */
static void write_ends(struct pprof *pprof, const uint32_t *ends, size_t nr_ends)
{
	struct pprof_spread *spread = &pprof->spread;
	const struct call_tree *tree = pprof->tree;

	pprof->writer->failed |= !make_room(pprof, spread->nr_places);
	for (size_t i = 0; spread->nr_places && i < tree->nr_columns && !pprof->writer->failed; i++)
		pprof->writer->failed |= begin_spread(pprof, ends, nr_ends, i) != 0;
	for (size_t i = 0; i < nr_ends && !pprof->writer->failed; i++) {
		if (spread->nr_places)
			write_spread(pprof, ends[i]);
		else
			write_sample(pprof, ends[i], NO_CODE, call_tree_self(tree, ends[i]),
				     call_tree_self_shares(tree, ends[i]));
	}
	for (size_t i = 0; i < tree->nr_columns; i++)
		call_spread_deinit(&spread->columns[i]);
}

static int compare_ends(const void *a, const void *b, void *context)
{
	const struct pprof *pprof = context;
	const struct call_node *nodes = pprof->tree->nodes;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;

	if (nodes[left].function != nodes[right].function)
		return nodes[left].function < nodes[right].function ? -1 : 1;
	if (pprof->roots[left] != pprof->roots[right])
		return pprof->roots[left] < pprof->roots[right] ? -1 : 1;
	return left < right ? -1 : left > right;
}

static bool same_end(const struct pprof *pprof, uint32_t a, uint32_t b)
{
	return pprof->tree->nodes[a].function == pprof->tree->nodes[b].function &&
	       pprof->roots[a] == pprof->roots[b];
}

/*
 * Finds the places of a node's function and application. Nodes and places are sorted in the same
 * way, so spread->first only moves forward.
 */
static void find_places(struct pprof *pprof, uint32_t node)
{
	const struct call_places *places = pprof->places;
	uint32_t function = pprof->tree->nodes[node].function;
	struct pprof_spread *spread = &pprof->spread;
	size_t end;

	spread->nr_places = 0;
	if (!places || node < pprof->tree->nr_apps)
		return;
	end = places->first[function + 1];
	if (spread->first < places->first[function])
		spread->first = places->first[function];
	while (spread->first < end && places->places[spread->first].app < pprof->roots[node])
		spread->first++;
	while (spread->first + spread->nr_places < end &&
	       places->places[spread->first + spread->nr_places].app == pprof->roots[node])
		spread->nr_places++;
}

/*
 * If a function's places count all applications together, changes the roots of the function's nodes
 * to CALL_PLACE_ANY. The places are then divided among the function's stacks in all applications.
 */
static void share_ends(struct pprof *pprof, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint32_t node = pprof->ends[i];

		if (node >= pprof->tree->nr_apps &&
		    pprof->places->is_shared[pprof->tree->nodes[node].function])
			pprof->roots[node] = CALL_PLACE_ANY;
	}
}

/*
 * Lists the nodes that have samples of their own. If there are places, sorts the nodes by function,
 * then application.
 */
static size_t list_ends(struct pprof *pprof)
{
	const struct call_tree *tree = pprof->tree;
	size_t nr = 0;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		bool any = false;

		pprof->roots[i] = i < tree->nr_apps ? i : pprof->roots[tree->nodes[i].parent];
		for (size_t j = 0; j < tree->nr_columns; j++)
			any |= call_tree_self(tree, i)[j] != 0;
		if (any)
			pprof->ends[nr++] = i;
	}
	if (pprof->places) {
		share_ends(pprof, nr);
		qsort_r(pprof->ends, nr, sizeof(*pprof->ends), compare_ends, pprof);
	}
	return nr;
}

static void write_samples(struct pprof *pprof)
{
	size_t nr = list_ends(pprof);
	size_t begin = 0;

	for (size_t i = 1; i <= nr && !pprof->writer->failed; i++) {
		if (i < nr && same_end(pprof, pprof->ends[begin], pprof->ends[i]))
			continue;
		find_places(pprof, pprof->ends[begin]);
		write_ends(pprof, pprof->ends + begin, i - begin);
		begin = i;
	}
}

/* ---- comments in the profile ---- */

static void write_comment(struct pprof *pprof, const char *text)
{
	pprof_write_number(pprof->writer, PROFILE_COMMENT, pprof_number_text(pprof->writer, text));
}

static void write_number_comment(struct pprof *pprof, uint64_t number, const char *text)
{
	char comment[COMMENT_BYTES];

	if (!number)
		return;
	(void)snprintf(comment, sizeof(comment), "%" PRIu64 " %s", number, text);
	write_comment(pprof, comment);
}

static void write_losses(struct pprof *pprof)
{
	const struct counters *counters = &pprof->profile->selection->sides[0].counters;

	for (size_t i = 0; i < counters->nr_entries; i++) {
		const char *name = counters->entries[i].name;

		if (!strncmp(name, "lost_", 5))
			write_number_comment(pprof, counters->entries[i].value, name);
	}
}

static void write_comments(struct pprof *pprof)
{
	const struct call_tree *tree = pprof->tree;
	const struct selection *selection = pprof->profile->selection;
	char comment[COMMENT_BYTES];

	write_comment(pprof, "oprof " OPROF_VERSION);
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		(void)snprintf(comment, sizeof(comment), "session %s", selection->sessions[i].name);
		write_comment(pprof, comment);
	}
	write_losses(pprof);
	write_number_comment(pprof, tree->nr_missing, "samples without a stack are left out");
	write_number_comment(pprof, tree->nr_truncated, "samples with truncated stacks");
	write_number_comment(pprof, tree->nr_broken, "samples with broken stacks");
	write_number_comment(pprof, tree->nr_folded, "samples folded into [other]");
}

static void write_all(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;

	write_types(pprof);
	write_samples(pprof);
	pprof_code_write(&pprof->code);
	if (profile->start_ns > 0)
		pprof_write_number(pprof->writer, PROFILE_TIME_NANOS, (uint64_t)profile->start_ns);
	if (profile->sides[0].nr_ns > 0)
		pprof_write_number(pprof->writer, PROFILE_DURATION_NANOS,
				   (uint64_t)profile->sides[0].nr_ns);
	write_period(pprof);
	write_comments(pprof);
	pprof_write_texts(pprof->writer);
}

static int make_memory(struct pprof *pprof, const struct calls_options *options)
{
	const struct call_tree *tree = pprof->tree;
	int error = call_names_make(&pprof->names, tree, options->text->demangle);

	pprof->values = calloc(2 * tree->nr_columns + 1, sizeof(*pprof->values));
	pprof->roots = calloc(tree->nr_nodes + 1, sizeof(*pprof->roots));
	pprof->ends = calloc(tree->nr_nodes + 1, sizeof(*pprof->ends));
	pprof->spread.columns = calloc(tree->nr_columns + 1, sizeof(*pprof->spread.columns));
	if (error || !pprof->values || !pprof->roots || !pprof->ends || !pprof->spread.columns)
		return -ENOMEM;
	return pprof_code_init(&pprof->code, pprof->writer, tree, &pprof->names, options);
}

int pprof_format(FILE *out, const struct call_tree *tree, const struct calls_options *options,
		 struct diag *diag)
{
	struct pprof_writer writer;
	struct pprof pprof = {.tree = tree,
			      .profile = tree->profile,
			      .places = options->places,
			      .writer = &writer};
	int error;

	if (tree->profile->selection->nr_sides > 1)
		return diag_set(diag, -EINVAL,
				"pprof's format cannot contain two sides; write one side at a "
				"time, and compare with pprof -base");
	error = pprof_writer_init(&writer, out);
	if (!error)
		error = make_memory(&pprof, options);
	if (!error) {
		write_all(&pprof);
		error = pprof_writer_end(&writer);
	}
	pprof_code_deinit(&pprof.code);
	pprof_writer_deinit(&writer);
	call_names_deinit(&pprof.names);
	free(pprof.ids);
	free(pprof.values);
	free(pprof.roots);
	free(pprof.ends);
	free(pprof.spread.columns);
	free(pprof.spread.counts);
	free(pprof.spread.shares);
	free(pprof.spread.touched);
	return error;
}
