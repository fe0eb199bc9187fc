// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/calls/call_names.h"
#include "pp/format/format_document.h"
#include "pp/format/format_text.h"
#include "pp/format/row_groups.h"
#include "pp/profile/row_symbols.h"
#include "pp/base/xml_writer.h"

#include <stddef.h>
#include <string.h>

#define XML_SCHEMA_VERSION "3.1"

struct xml_report {
	struct xml_writer xml;
	const struct profile *profile;
	const struct document_options *options;
	struct row_groups groups;
	struct row_symbols symbols; /* empty if the profile has no symbols */
};

/* The columns that an element shows: all columns, or those of one thread. */
struct column_range {
	size_t first, step; /* indexes of the columns: first, first + step, first + 2 x step ... */
};

/* ---- head of the document ---- */

static bool is_of_threads(const struct profile *profile)
{
	enum class_axis axis = profile->selection->classes.axis;

	return axis == AXIS_TGID || axis == AXIS_TID;
}

static void write_options(struct xml_report *report)
{
	static const char *const modes[] = {
		[DEMANGLE_NONE] = "none", [DEMANGLE_NORMAL] = "normal", [DEMANGLE_SMART] = "smart"};
	const struct profile *profile = report->profile;
	struct xml_writer *xml = &report->xml;

	xml_begin(xml, "options");
	xml_attribute(xml, "session", profile->selection->sessions[0].name);
	xml_attribute(xml, "symbols", profile->with_symbols ? "true" : "false");
	xml_attribute(xml, "details", profile->details ? "true" : "false");
	xml_attribute(xml, "debuginfo", profile->row_lines ? "true" : "false");
	xml_attribute(xml, "callgraph", report->options->graph ? "true" : "false");
	xml_attribute(xml, "demangle", modes[report->options->demangle]);
	xml_end(xml);
}

static void write_event(struct xml_report *report, size_t id, const struct class_key *key)
{
	struct xml_writer *xml = &report->xml;
	char count[32];

	if (text_event_is_timer(report->profile->selection, key)) {
		xml_begin(xml, "timersetup");
		xml_attribute_number(xml, "id", id);
		xml_attribute_number(xml, "rtcinterrupts", key->period_or_hz);
		xml_end(xml);
		return;
	}
	class_key_show_count(key, count, sizeof(count));
	xml_begin(xml, "eventsetup");
	xml_attribute_number(xml, "id", id);
	xml_attribute(xml, "eventname", key->event);
	xml_attribute_hex(xml, "unitmask", key->unit_mask);
	xml_attribute(xml, "setupcount", count);
	xml_end(xml);
}

static void write_setup(struct xml_report *report)
{
	const struct classes *classes = &report->profile->selection->classes;

	xml_begin(&report->xml, "setup");
	for (size_t i = 0; i < classes->nr_classes; i++)
		if (!i || classes->axis == AXIS_EVENT)
			write_event(report, i, &classes->classes[i].key);
	xml_end(&report->xml);
}

static void write_axis(struct xml_writer *xml, const char *name, int64_t number)
{
	if (number >= 0)
		xml_attribute_number(xml, name, (uint64_t)number);
}

static void write_column_name(struct xml_writer *xml, const char *attribute, size_t column)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "c%zu", column);
	xml_attribute(xml, attribute, name);
}

static void write_class(struct xml_report *report, size_t column)
{
	const struct profile *profile = report->profile;
	const struct classes *classes = &profile->selection->classes;
	size_t number = column % profile->nr_classes;
	const struct profile_class *class = &classes->classes[number];
	struct xml_writer *xml = &report->xml;

	xml_begin(xml, "class");
	write_column_name(xml, "name", column);
	xml_attribute_number(xml, "event", classes->axis == AXIS_EVENT ? number : 0);
	xml_attribute(xml, "title", class->name);
	write_axis(xml, "cpu", class->key.cpu);
	write_axis(xml, "processid", class->key.tgid);
	write_axis(xml, "threadid", class->key.tid);
	if (class->key.cgroup && *class->key.cgroup)
		xml_attribute(xml, "cgroup", class->key.cgroup);
	if (profile->selection->nr_sides > 1)
		xml_attribute(xml, "side", column < profile->nr_classes ? "before" : "after");
	xml_attribute(xml, "unit", class->measure == MEASURE_TIME ? "ns" : "samples");
	xml_end(xml);
}

static void write_classes(struct xml_report *report)
{
	xml_begin(&report->xml, "classes");
	for (size_t i = 0; i < report->profile->nr_columns; i++)
		write_class(report, i);
	xml_end(&report->xml);
}

/* ---- counts ---- */

static bool has_counts(const struct profile *profile, const struct column_range *range,
		       const uint64_t *counts, const uint64_t *shares)
{
	for (size_t i = range->first; i < profile->nr_columns; i += range->step)
		if (row_groups_number(profile, i, counts, shares))
			return true;
	return false;
}

static void write_counts(struct xml_report *report, const struct column_range *range,
			 const uint64_t *counts, const uint64_t *shares)
{
	for (size_t i = range->first; i < report->profile->nr_columns; i += range->step) {
		uint64_t number = row_groups_number(report->profile, i, counts, shares);

		if (!number)
			continue;
		xml_begin(&report->xml, "count");
		write_column_name(&report->xml, "class", i);
		xml_number(&report->xml, number);
		xml_end(&report->xml);
	}
}

static void write_symbol(struct xml_report *report, const struct column_range *range, size_t row)
{
	const struct profile *profile = report->profile;
	const uint64_t *counts = profile_counts(profile, row);
	const uint64_t *shares = profile_shares(profile, row);
	struct xml_writer *xml = &report->xml;

	if (!has_counts(profile, range, counts, shares))
		return;
	xml_begin(xml, "symbol");
	xml_attribute_number(xml, "idref", report->symbols.symbol_of[row]);
	if (profile->details) {
		xml_attribute_number(xml, "detaillo", profile->first_detail[row]);
		xml_attribute_number(xml, "detailhi", profile->first_detail[row + 1] - 1);
	}
	write_counts(report, range, counts, shares);
	xml_end(xml);
}

static void write_symbols(struct xml_report *report, const struct column_range *range,
			  const struct row_image *image)
{
	if (!report->profile->with_symbols)
		return;
	for (size_t i = image->first; i < image->first + image->nr; i++)
		write_symbol(report, range, report->groups.rows[i]);
}

static const char *image_path(const struct xml_report *report, const struct row_image *image)
{
	return report->profile->selection->images[image->image].path;
}

static void write_module(struct xml_report *report, const struct column_range *range,
			 const struct row_image *image)
{
	if (!has_counts(report->profile, range, image->counts, image->shares))
		return;
	xml_begin(&report->xml, "module");
	xml_attribute(&report->xml, "name", image_path(report, image));
	write_counts(report, range, image->counts, image->shares);
	write_symbols(report, range, image);
	xml_end(&report->xml);
}

/* ---- applications ---- */

/*
 * Writes an application. Its own image has no module element: the symbols are directly in the
 * binary element.
 */
static void write_binary(struct xml_report *report, const struct row_app *app)
{
	const struct column_range all = {.step = 1};
	const char *path = report->profile->selection->apps[app->app];
	const struct row_image *images = report->groups.images + app->first;

	xml_begin(&report->xml, "binary");
	xml_attribute(&report->xml, "name", path);
	write_counts(report, &all, app->counts, app->shares);
	for (size_t i = 0; i < app->nr; i++)
		if (!strcmp(image_path(report, &images[i]), path))
			write_symbols(report, &all, &images[i]);
	for (size_t i = 0; i < app->nr; i++)
		if (strcmp(image_path(report, &images[i]), path) != 0)
			write_module(report, &all, &images[i]);
	xml_end(&report->xml);
}

/* ---- processes and threads ---- */

static const struct class_key *key_of(const struct xml_report *report, size_t class)
{
	return &report->profile->selection->classes.classes[class].key;
}

/* Writes a thread. If samples are not separated by thread, the thread has the process's number. */
static void write_thread(struct xml_report *report, size_t class)
{
	const struct profile *profile = report->profile;
	const struct class_key *key = key_of(report, class);
	const struct column_range range = {.first = class, .step = profile->nr_classes};
	const struct row_groups *groups = &report->groups;

	xml_begin(&report->xml, "thread");
	write_axis(&report->xml, "threadid", key->tid < 0 ? key->tgid : key->tid);
	write_counts(report, &range, profile->totals, profile->share_totals);
	for (size_t i = 0; i < groups->nr_images; i++)
		write_module(report, &range, &groups->images[i]);
	xml_end(&report->xml);
}

static int64_t process_of(const struct class_key *key)
{
	return key->tgid < 0 ? key->tid : key->tgid;
}

/* Writes the counts of a process, then its threads. */
static void write_process(struct xml_report *report, size_t first)
{
	const struct profile *profile = report->profile;
	int64_t process = process_of(key_of(report, first));

	xml_begin(&report->xml, "process");
	write_axis(&report->xml, "procid", process);
	for (size_t i = first; i < profile->nr_classes; i++) {
		const struct column_range range = {.first = i, .step = profile->nr_classes};

		if (process_of(key_of(report, i)) == process)
			write_counts(report, &range, profile->totals, profile->share_totals);
	}
	for (size_t i = first; i < profile->nr_classes; i++)
		if (process_of(key_of(report, i)) == process)
			write_thread(report, i);
	xml_end(&report->xml);
}

static void write_processes(struct xml_report *report)
{
	for (size_t i = 0; i < report->profile->nr_classes; i++) {
		size_t first = 0;

		while (process_of(key_of(report, first)) != process_of(key_of(report, i)))
			first++;
		if (first == i)
			write_process(report, i);
	}
}

/* ---- call graph ---- */

/* Writes the function at the other end of an arc, with the samples of the arc. */
static void write_arc(struct xml_report *report, uint32_t arc, uint32_t function)
{
	const struct column_range all = {.step = 1};
	const struct call_graph *graph = report->options->graph;
	size_t first = (size_t)arc * report->profile->nr_columns;

	xml_begin(&report->xml, "symbol");
	xml_attribute_number(&report->xml, "idref", function);
	write_counts(report, &all, graph->arc_counts + first, graph->arc_shares + first);
	xml_end(&report->xml);
}

static void write_callers(struct xml_report *report, size_t function)
{
	const struct call_graph *graph = report->options->graph;
	size_t end = graph->first_by_callee[function + 1];

	xml_begin(&report->xml, "callers");
	for (size_t i = graph->first_by_callee[function]; i < end; i++)
		write_arc(report, graph->by_callee[i], graph->arcs[graph->by_callee[i]].caller);
	xml_end(&report->xml);
}

static void write_callees(struct xml_report *report, size_t function)
{
	const struct call_graph *graph = report->options->graph;
	size_t end = graph->first_by_caller[function + 1];

	xml_begin(&report->xml, "callees");
	for (size_t i = graph->first_by_caller[function]; i < end; i++)
		write_arc(report, graph->by_caller[i], graph->arcs[graph->by_caller[i]].callee);
	xml_end(&report->xml);
}

static bool calls_itself(const struct call_graph *graph, size_t function)
{
	for (size_t i = graph->first_by_caller[function]; i < graph->first_by_caller[function + 1];
	     i++)
		if (graph->arcs[graph->by_caller[i]].callee == function)
			return true;
	return false;
}

/* Writes a function with the samples taken in it, its callers and its callees. */
static void write_called(struct xml_report *report, size_t function)
{
	const struct column_range all = {.step = 1};
	const struct call_graph *graph = report->options->graph;
	size_t first = function * report->profile->nr_columns;

	if (!has_counts(report->profile, &all, graph->below + first, graph->below_shares + first))
		return;
	xml_begin(&report->xml, "symbol");
	xml_attribute_number(&report->xml, "idref", function);
	if (calls_itself(graph, function))
		xml_attribute(&report->xml, "self", "true");
	write_counts(report, &all, graph->self + first, graph->self_shares + first);
	write_callers(report, function);
	write_callees(report, function);
	xml_end(&report->xml);
}

/*
 * Writes the functions of an image as a binary element. Marks are in a binary element whose name is
 * "".
 */
static void write_called_image(struct xml_report *report, uint32_t image)
{
	const struct call_tree *tree = report->options->graph->tree;

	xml_begin(&report->xml, "binary");
	xml_attribute(&report->xml, "name",
		      image == CALL_IMAGE_NONE ? "" : tree->images[image].path);
	for (size_t i = 0; i < tree->nr_functions; i++)
		if (tree->functions[i].image == image)
			write_called(report, i);
	xml_end(&report->xml);
}

static void write_graph(struct xml_report *report)
{
	const struct call_tree *tree = report->options->graph->tree;

	for (size_t i = 0; i < tree->nr_images; i++)
		write_called_image(report, (uint32_t)i);
	write_called_image(report, CALL_IMAGE_NONE);
}

static void write_graph_symbols(struct xml_report *report, const struct call_names *names)
{
	const struct call_tree *tree = report->options->graph->tree;

	xml_begin(&report->xml, "symboltable");
	for (size_t i = 0; i < names->nr_names; i++) {
		const struct call_function *function = &tree->functions[i];

		xml_begin(&report->xml, "symboldata");
		xml_attribute_number(&report->xml, "id", i);
		xml_attribute(&report->xml, "name", names->names[i]);
		if (function->name && function->image != CALL_IMAGE_NONE)
			xml_attribute_hex(&report->xml, "startingaddr", function->address);
		if (function->nr_bytes)
			xml_attribute_number(&report->xml, "codelength",
					     function->nr_bytes < UINT32_MAX ? function->nr_bytes
									     : UINT32_MAX);
		xml_end(&report->xml);
	}
	xml_end(&report->xml);
}

/* ---- tables ---- */

static void write_line(struct xml_report *report, const struct line_place *places, size_t index)
{
	if (!places || !places[index].line)
		return;
	xml_attribute(&report->xml, "file", report->profile->files[places[index].file]);
	xml_attribute_number(&report->xml, "line", places[index].line);
}

static void write_symboldata(struct xml_report *report, size_t id)
{
	const struct profile *profile = report->profile;
	const struct row_symbol *symbol = &report->symbols.symbols[id];
	size_t row_number = report->symbols.rows[symbol->first];
	const struct profile_row *row = &profile->rows[row_number];

	xml_begin(&report->xml, "symboldata");
	xml_attribute_number(&report->xml, "id", id);
	xml_attribute(&report->xml, "name", symbol->shown);
	write_line(report, profile->row_lines, row_number);
	if (profile_row_is_inlined(row)) {
		xml_attribute(&report->xml, "inlined", "true");
	} else if (row->name) {
		xml_attribute_hex(&report->xml, "startingaddr", row->address);
		xml_attribute_number(&report->xml, "codelength", row->nr_bytes);
	}
	xml_end(&report->xml);
}

static void write_detail(struct xml_report *report, size_t detail)
{
	const struct column_range all = {.step = 1};
	const struct profile *profile = report->profile;
	size_t first = detail * profile->nr_columns;

	xml_begin(&report->xml, "detaildata");
	xml_attribute_number(&report->xml, "id", detail);
	xml_attribute_hex(&report->xml, "vmaoffset", profile->details[detail].address);
	write_line(report, profile->detail_lines, detail);
	write_counts(report, &all, profile->detail_counts + first, profile->detail_shares + first);
	xml_end(&report->xml);
}

static void write_symboldetails(struct xml_report *report, size_t id)
{
	const struct row_symbol *symbol = &report->symbols.symbols[id];
	const size_t *first_detail = report->profile->first_detail;

	xml_begin(&report->xml, "symboldetails");
	xml_attribute_number(&report->xml, "id", id);
	for (size_t i = symbol->first; i < symbol->first + symbol->nr; i++) {
		size_t row = report->symbols.rows[i];

		for (size_t j = first_detail[row]; j < first_detail[row + 1]; j++)
			write_detail(report, j);
	}
	xml_end(&report->xml);
}

/* Writes the bytes of a symbol's code. Writes nothing if the code is not available. */
static void write_bytes(struct xml_report *report, size_t id)
{
	size_t row = report->symbols.rows[report->symbols.symbols[id].first];
	const uint8_t *bytes = report->options->code->rows[row];

	if (!bytes)
		return;
	xml_begin(&report->xml, "bytes");
	xml_attribute_number(&report->xml, "id", id);
	xml_bytes(&report->xml, bytes, report->profile->rows[row].nr_bytes);
	xml_end(&report->xml);
}

static void write_bytestable(struct xml_report *report)
{
	if (!report->options->code)
		return;
	xml_begin(&report->xml, "bytestable");
	for (size_t i = 0; i < report->symbols.nr_symbols; i++)
		write_bytes(report, i);
	xml_end(&report->xml);
}

static void write_tables(struct xml_report *report)
{
	if (!report->profile->with_symbols)
		return;
	xml_begin(&report->xml, "symboltable");
	for (size_t i = 0; i < report->symbols.nr_symbols; i++)
		write_symboldata(report, i);
	xml_end(&report->xml);
	if (!report->profile->details)
		return;
	xml_begin(&report->xml, "detailtable");
	for (size_t i = 0; i < report->symbols.nr_symbols; i++)
		write_symboldetails(report, i);
	xml_end(&report->xml);
	write_bytestable(report);
}

/* ---- the document ---- */

static void write_profile(struct xml_report *report, const struct call_names *names)
{
	const struct profile *profile = report->profile;
	const struct session_info *info = &profile->selection->sessions[0].info;
	const char *cpu_type = info->cpu_type ? info->cpu_type : profile->cpu_type;
	uint32_t khz = info->cpu_khz ? info->cpu_khz : profile->cpu_khz;
	struct xml_writer *xml = &report->xml;
	char mhz[32];

	(void)snprintf(mhz, sizeof(mhz), "%.10g", khz / 1000.0);
	xml_begin(xml, "profile");
	xml_attribute(xml, "schemaversion", XML_SCHEMA_VERSION);
	xml_attribute(xml, "xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
	xml_attribute(xml, "xsi:noNamespaceSchemaLocation", "opreport.xsd");
	xml_attribute(xml, "title", "oprof " OPROF_VERSION);
	xml_attribute(xml, "host", profile->host);
	xml_attribute(xml, "processor", cpu_type ? cpu_type : "unknown");
	xml_attribute(xml, "mhz", khz ? mhz : NULL);
	write_options(report);
	write_setup(report);
	write_classes(report);
	if (report->options->graph)
		write_graph(report);
	else if (is_of_threads(profile))
		write_processes(report);
	else
		for (size_t i = 0; i < report->groups.nr_apps; i++)
			write_binary(report, &report->groups.apps[i]);
	if (report->options->graph)
		write_graph_symbols(report, names);
	else
		write_tables(report);
	xml_end(xml);
}

int document_format_xml(FILE *out, const struct profile *profile,
			const struct document_options *options)
{
	struct xml_report report = {.profile = profile, .options = options};
	struct call_names names = {0};
	int error = row_groups_init(&report.groups, profile);

	if (!error && profile->with_symbols)
		error = row_symbols_init(&report.symbols, profile, options->demangle);
	if (!error && options->graph)
		error = call_names_make(&names, options->graph->tree, options->demangle);
	if (!error) {
		xml_writer_init(&report.xml, out);
		write_profile(&report, &names);
	}
	call_names_deinit(&names);
	row_groups_deinit(&report.groups);
	row_symbols_deinit(&report.symbols);
	return error;
}
