// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the document that doc/report-json.md describes. */
#include "pp/calls/call_names.h"
#include "pp/format/format_document.h"
#include "pp/format/format_text.h"
#include "pp/base/json_writer.h"
#include "pp/format/row_groups.h"
#include "pp/profile/row_symbols.h"

#include <stdlib.h>
#include <string.h>

#define JSON_FORMAT  "oprof-report"
#define JSON_VERSION 1

struct json_report {
	struct json_writer json;
	const struct profile *profile;
	const struct document_options *options;
	struct row_groups groups;
	struct row_symbols symbols;
};

static bool is_weighted(const struct profile *profile)
{
	return profile->shares != profile->counts;
}

/* Writes the number of samples, and the weight if this is a different number. */
static void write_counts(struct json_report *report, const uint64_t *counts, const uint64_t *shares)
{
	json_numbers(&report->json, "samples", counts, report->profile->nr_columns);
	if (is_weighted(report->profile))
		json_numbers(&report->json, "weight", shares, report->profile->nr_columns);
}

/* Writes a time; 0 means that the time is unknown, and is written as null. */
static void write_time(struct json_writer *json, const char *key, int64_t time_ns)
{
	if (time_ns)
		json_signed(json, key, time_ns);
	else
		json_text(json, key, NULL);
}

/* ---- sessions and sides ---- */

static void write_session(struct json_report *report, size_t index)
{
	const struct selection *selection = report->profile->selection;
	const struct selection_session *session = &selection->sessions[index];
	struct json_writer *json = &report->json;
	size_t second = selection->nr_sides > 1 ? selection->sides[1].first_session
						: selection->nr_sessions;

	json_begin(json, NULL, '{');
	json_text(json, "name", session->name);
	json_text(json, "path", session->path);
	json_number(json, "side", index >= second);
	json_text(json, "host", session->info.host);
	json_text(json, "source", session->info.source);
	json_text(json, "source_reason", session->info.source_reason);
	json_text(json, "separation", session->info.separation);
	json_number(json, "slices", session->parts.nr_slices);
	write_time(json, "begin_ns", session->parts.begin_ns);
	write_time(json, "end_ns", session->parts.end_ns);
	json_end(json, '}');
}

static void write_sessions(struct json_report *report)
{
	json_begin(&report->json, "sessions", '[');
	for (size_t i = 0; i < report->profile->selection->nr_sessions; i++)
		write_session(report, i);
	json_end(&report->json, ']');
}

static void write_counters(struct json_writer *json, const struct counters *counters)
{
	json_begin(json, "counters", '{');
	for (size_t i = 0; i < counters->nr_entries; i++)
		json_number(json, counters->entries[i].name, counters->entries[i].value);
	json_end(json, '}');
}

static void write_side(struct json_report *report, size_t index)
{
	const struct profile_side *side = &report->profile->sides[index];
	const struct selection_side *selected = &report->profile->selection->sides[index];
	struct json_writer *json = &report->json;

	json_begin(json, NULL, '{');
	write_time(json, "begin_ns", side->start_ns);
	write_time(json, "end_ns", side->end_ns);
	json_signed(json, "covered_ns", side->nr_ns);
	json_number(json, "samples", side->nr_samples);
	json_number(json, "filtered", side->nr_filtered);
	json_number(json, "idle", side->nr_idle);
	json_bool(json, "whole", selected->whole);
	write_counters(json, &selected->counters);
	json_end(json, '}');
}

static void write_sides(struct json_report *report)
{
	json_begin(&report->json, "sides", '[');
	for (size_t i = 0; i < report->profile->selection->nr_sides; i++)
		write_side(report, i);
	json_end(&report->json, ']');
}

static void write_cpu(struct json_report *report)
{
	const struct profile *profile = report->profile;
	const struct session_info *info = &profile->selection->sessions[0].info;
	uint32_t khz = info->cpu_khz ? info->cpu_khz : profile->cpu_khz;

	json_begin(&report->json, "cpu", '{');
	json_text(&report->json, "type", info->cpu_type ? info->cpu_type : profile->cpu_type);
	if (khz)
		json_double(&report->json, "mhz", khz / 1000.0);
	json_end(&report->json, '}');
}

/* ---- classes ---- */

static void write_axis(struct json_writer *json, const char *name, int64_t number)
{
	if (number >= 0)
		json_signed(json, name, number);
}

static void write_event(struct json_report *report, const struct class_key *key)
{
	const struct event_table *table = report->options->events;
	struct json_writer *json = &report->json;

	json_text(json, "event", key->event);
	json_text(json, "description",
		  text_event_description(report->profile->selection, key->event,
					 table ? event_table_find(table, key->event) : NULL));
	json_number(json, key->frequency ? "hz" : "period", key->period_or_hz);
	json_number(json, "unit_mask", key->unit_mask);
}

static void write_class(struct json_report *report, size_t column)
{
	static const char *const measures[] = {[MEASURE_SAMPLES] = "samples",
					       [MEASURE_WEIGHT] = "weight",
					       [MEASURE_TIME] = "time"};
	const struct profile *profile = report->profile;
	const struct profile_class *class =
		&profile->selection->classes.classes[column % profile->nr_classes];
	struct json_writer *json = &report->json;

	json_begin(json, NULL, '{');
	json_text(json, "name", class->name);
	json_number(json, "side", column / profile->nr_classes);
	write_event(report, &class->key);
	write_axis(json, "tgid", class->key.tgid);
	write_axis(json, "tid", class->key.tid);
	write_axis(json, "cpu", class->key.cpu);
	if (class->key.cgroup && *class->key.cgroup)
		json_text(json, "cgroup", class->key.cgroup);
	json_text(json, "shares_of", measures[class->measure]);
	json_number(json, "samples", profile->totals[column]);
	if (is_weighted(profile))
		json_number(json, "weight", profile->share_totals[column]);
	json_end(json, '}');
}

static void write_classes(struct json_report *report)
{
	json_begin(&report->json, "classes", '[');
	for (size_t i = 0; i < report->profile->nr_columns; i++)
		write_class(report, i);
	json_end(&report->json, ']');
}

/* ---- images ---- */

static void write_build_id(struct json_writer *json, const struct oprof_image_identity *identity)
{
	char text[2 * sizeof(identity->build_id) + 1] = "";

	if (!identity->nr_build_id || identity->nr_build_id > sizeof(identity->build_id))
		return;
	for (size_t i = 0; i < identity->nr_build_id; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", identity->build_id[i]);
	json_text(json, "build_id", text);
}

static void write_image(struct json_report *report, size_t index)
{
	static const char *const kinds[] = {
		[SYMBOLS_FULL] = "full",	 [SYMBOLS_DYNAMIC_ONLY] = "exported",
		[SYMBOLS_STRIPPED] = "stripped", [SYMBOLS_NONE] = "none",
		[SYMBOLS_NO_FILE] = "no-file",	 [SYMBOLS_WRONG_FILE] = "wrong-file",
		[SYMBOLS_DAMAGED] = "damaged"};
	const struct profile *profile = report->profile;
	const struct selection_image *selected = &profile->selection->images[index];
	const struct profile_image *image = &profile->images[index];
	struct json_writer *json = &report->json;

	json_begin(json, NULL, '{');
	json_text(json, "path", selected->path);
	write_build_id(json, &selected->section->identity);
	if (profile->with_symbols) {
		json_text(json, "symbols", kinds[image->lack]);
		if (image->note)
			json_text(json, "note", image->note);
		if (image->line_note)
			json_text(json, "line_note", image->line_note);
	}
	json_end(json, '}');
}

static void write_images(struct json_report *report)
{
	const struct selection *selection = report->profile->selection;

	json_begin(&report->json, "apps", '[');
	for (size_t i = 0; i < selection->nr_apps; i++)
		json_text(&report->json, NULL, selection->apps[i]);
	json_end(&report->json, ']');
	json_begin(&report->json, "images", '[');
	for (size_t i = 0; i < selection->nr_images; i++)
		write_image(report, i);
	json_end(&report->json, ']');
	if (!report->profile->row_lines)
		return;
	json_begin(&report->json, "files", '[');
	for (size_t i = 0; i < report->profile->nr_files; i++)
		json_text(&report->json, NULL, report->profile->files[i]);
	json_end(&report->json, ']');
}

/* ---- rows ---- */

static void write_place(struct json_writer *json, const struct line_place *places, size_t index)
{
	if (!places || !places[index].line)
		return;
	json_number(json, "file", places[index].file);
	json_number(json, "line", places[index].line);
}

static void write_detail(struct json_report *report, size_t row, size_t index)
{
	const struct profile *profile = report->profile;
	const struct profile_detail *detail = &profile->details[index];
	size_t first = index * profile->nr_columns;
	struct json_writer *json = &report->json;

	json_begin(json, NULL, '{');
	json_hex(json, "address", detail->address);
	if (detail->image != profile->rows[row].image)
		json_number(json, "image", detail->image);
	write_place(json, profile->detail_lines, index);
	write_counts(report, profile->detail_counts + first, profile->detail_shares + first);
	json_end(json, '}');
}

static void write_symbol(struct json_report *report, size_t index)
{
	const struct profile *profile = report->profile;
	const struct profile_row *row = &profile->rows[index];
	const char *shown = report->symbols.symbols[report->symbols.symbol_of[index]].shown;
	struct json_writer *json = &report->json;

	json_text(json, "symbol", row->name ? shown : NULL);
	if (row->name && strcmp(row->name, shown) != 0)
		json_text(json, "linkage_name", row->name);
	if (profile_row_is_inlined(row)) {
		json_bool(json, "inlined", true);
	} else if (row->name) {
		json_hex(json, "address", row->address);
		json_number(json, "bytes", row->nr_bytes);
	}
	write_place(json, profile->row_lines, index);
}

static void write_details(struct json_report *report, size_t row)
{
	const struct profile *profile = report->profile;

	json_begin(&report->json, "details", '[');
	for (size_t i = profile->first_detail[row]; i < profile->first_detail[row + 1]; i++)
		write_detail(report, row, i);
	json_end(&report->json, ']');
}

static void write_row(struct json_report *report, size_t index)
{
	const struct profile *profile = report->profile;
	const struct profile_row *row = &profile->rows[index];
	struct json_writer *json = &report->json;

	json_begin(json, NULL, '{');
	json_number(json, "app", row->app);
	json_number(json, "image", row->image);
	if (profile->with_symbols)
		write_symbol(report, index);
	write_counts(report, profile_counts(profile, index), profile_shares(profile, index));
	if (profile->details)
		write_details(report, index);
	json_end(json, '}');
}

static void write_rows(struct json_report *report)
{
	json_begin(&report->json, "rows", '[');
	for (size_t i = 0; i < report->profile->nr_rows; i++)
		write_row(report, report->groups.rows[i]);
	json_end(&report->json, ']');
}

/* ---- stacks ---- */

static void write_stack_images(struct json_report *report, const struct call_tree *tree)
{
	struct json_writer *json = &report->json;

	json_begin(json, "images", '[');
	for (size_t i = 0; i < tree->nr_images; i++) {
		json_begin(json, NULL, '{');
		json_text(json, "path", tree->images[i].path);
		write_build_id(json, &tree->images[i].identity);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void write_functions(struct json_report *report, const struct call_tree *tree,
			    const struct call_names *names)
{
	struct json_writer *json = &report->json;

	json_begin(json, "functions", '[');
	for (size_t i = 0; i < names->nr_names; i++) {
		const struct call_function *function = &tree->functions[i];
		bool is_mark = function->image == CALL_IMAGE_NONE;

		json_begin(json, NULL, '{');
		if (is_mark)
			json_text(json, "mark", names->names[i]);
		else
			json_number(json, "image", function->image);
		if (!is_mark)
			json_text(json, "symbol",
				  function->name && !function->is_nameless ? names->names[i]
									   : NULL);
		if (function->is_nameless)
			json_text(json, "function", names->names[i]);
		if (function->name && !is_mark)
			json_hex(json, "address", function->address);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void write_nodes(struct json_report *report, const struct call_tree *tree)
{
	struct json_writer *json = &report->json;

	json_begin(json, "nodes", '[');
	for (size_t i = 0; i < tree->nr_nodes; i++) {
		bool is_root = i < tree->nr_apps;

		json_begin(json, NULL, '{');
		if (!is_root)
			json_number(json, "parent", tree->nodes[i].parent);
		json_number(json, is_root ? "app" : "function", tree->nodes[i].function);
		write_counts(report, call_tree_self(tree, i), call_tree_self_shares(tree, i));
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void write_stacks(struct json_report *report, const struct call_names *names)
{
	const struct call_tree *tree = report->options->calls;
	struct json_writer *json = &report->json;

	json_begin(json, "stacks", '{');
	json_number(json, "samples", tree->nr_samples);
	json_number(json, "missing", tree->nr_missing);
	json_number(json, "truncated", tree->nr_truncated);
	json_number(json, "broken", tree->nr_broken);
	json_number(json, "folded", tree->nr_folded);
	json_begin(json, "apps", '[');
	for (size_t i = 0; i < tree->nr_apps; i++)
		json_text(json, NULL, tree->apps[i]);
	json_end(json, ']');
	write_stack_images(report, tree);
	write_functions(report, tree, names);
	write_nodes(report, tree);
	json_end(json, '}');
}

/* ---- the document ---- */

static void write_report(struct json_report *report, const struct call_names *names)
{
	struct json_writer *json = &report->json;

	json_begin(json, NULL, '{');
	json_text(json, "format", JSON_FORMAT);
	json_number(json, "version", JSON_VERSION);
	json_text(json, "program", "oprof " OPROF_VERSION);
	json_text(json, "host", report->profile->host);
	write_cpu(report);
	write_sessions(report);
	write_sides(report);
	write_classes(report);
	write_images(report);
	write_rows(report);
	if (report->options->calls)
		write_stacks(report, names);
	json_end(json, '}');
	json_writer_finish(json);
}

int document_format_json(FILE *out, const struct profile *profile,
			 const struct document_options *options)
{
	struct json_report report = {.profile = profile, .options = options};
	struct call_names names = {0};
	int error = row_groups_init(&report.groups, profile);

	if (!error)
		error = row_symbols_init(&report.symbols, profile, options->demangle);
	if (!error && options->calls)
		error = call_names_make(&names, options->calls, options->demangle);
	if (!error) {
		json_writer_init(&report.json, out, 2);
		write_report(&report, &names);
	}
	call_names_deinit(&names);
	row_groups_deinit(&report.groups);
	row_symbols_deinit(&report.symbols);
	return error;
}
