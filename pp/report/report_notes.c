// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/report/report_notes.h"

#include "lib/utf8.h"
#include "pp/base/cells.h"
#include "pp/format/coverage.h"

#include <stdint.h>
#include <stdlib.h>

#define LINES_LACK_SHOWN 3

static bool is_terminal(const struct report_notes *notes)
{
	return notes->options->layout == LAYOUT_TERMINAL;
}

/* In the layout for scripts, each message begins with the program's name. */
static void begin_message(FILE *err, const struct report_notes *notes)
{
	(void)fputs(is_terminal(notes) ? "" : "opreport: ", err);
}

static void write_read(FILE *err, const struct report_notes *notes, const char *path)
{
	begin_message(err, notes);
	(void)fputs("read ", err);
	utf8_write_masked(err, path);
	(void)fputc('\n', err);
}

/* Writes a note about a file. */
static void write_note(FILE *err, const struct report_notes *notes, const char *before,
		       const char *path, const char *note)
{
	begin_message(err, notes);
	(void)fputs(before, err);
	utf8_write_masked(err, path);
	(void)fputs(": ", err);
	utf8_write_masked(err, note);
	(void)fputc('\n', err);
}

/* Writes the names of the files that were read, and the notes about images. */
static void write_files(FILE *err, const struct report_notes *notes)
{
	const struct selection *selection = notes->profile->selection;

	for (size_t i = 0; i < selection->nr_sessions; i++)
		for (size_t j = 0; j < selection->sessions[i].parts.nr_slices; j++)
			write_read(err, notes, selection->sessions[i].parts.slices[j].path);
	for (size_t i = 0; i < selection->nr_parts; i++)
		if (selection_live(selection, &selection->parts[i]))
			write_read(err, notes,
				   selection_part_path(selection, &selection->parts[i]));
	for (size_t i = 0; i < selection->nr_images; i++)
		if (notes->profile->images[i].note)
			write_note(err, notes, "", selection->images[i].path,
				   notes->profile->images[i].note);
}

static size_t nr_lacking_shown(const struct report_notes *notes)
{
	if (notes->options->tool.verbose)
		return SIZE_MAX;
	return is_terminal(notes) ? 1 : LINES_LACK_SHOWN;
}

/* Writes which images have no source lines. */
static void write_lacking_lines(FILE *err, const struct report_notes *notes)
{
	const struct profile *profile = notes->profile;
	size_t nr_shown = nr_lacking_shown(notes);
	size_t nr = 0;

	for (size_t i = 0; i < profile->selection->nr_images; i++)
		if (profile->images[i].line_note && ++nr <= nr_shown)
			write_note(err, notes, "source lines of ",
				   profile->selection->images[i].path,
				   profile->images[i].line_note);
	if (nr <= nr_shown)
		return;
	begin_message(err, notes);
	(void)fprintf(err, "and %zu more image%s without source lines (-V lists %s)\n",
		      nr - nr_shown, nr - nr_shown == 1 ? "" : "s",
		      nr - nr_shown == 1 ? "it" : "them");
}

static void write_before(FILE *err, const struct report_notes *notes)
{
	const char *session_dir = notes->options->selection.session_dir;

	if (notes->options->tool.verbose)
		write_files(err, notes);
	if (!is_terminal(notes) || notes->options->tool.verbose)
		coverage_write_before(err, notes->profile, session_dir);
	else
		coverage_brief_before(err, notes->profile, session_dir);
	if (is_terminal(notes))
		(void)fputc('\n', err);
}

static void write_after(FILE *err, const struct report_notes *notes)
{
	const struct report_options *options = notes->options;

	if (is_terminal(notes))
		(void)fputc('\n', err);
	if (is_terminal(notes))
		coverage_brief_after(err, notes->profile, options->tool.verbose);
	else
		coverage_write_after(err, notes->profile);
	if (options->text.show_lines || options->profile.inlines || options->tool.verbose)
		write_lacking_lines(err, notes);
	if (notes->calls)
		report_calls_write_coverage(err, notes->calls);
}

/*
 * Writes the notes in lines of the terminal's width. Returns false if out of memory; then nothing
 * has been written.
 */
static bool write_wrapped(FILE *err, const struct report_notes *notes,
			  void (*write)(FILE *err, const struct report_notes *notes))
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *lines = open_memstream(&text, &nr_bytes);
	bool whole;

	if (!lines)
		return false;
	write(lines, notes);
	whole = !ferror(lines);
	whole &= !fclose(lines);
	if (whole)
		cells_wrap(err, text, notes->width);
	free(text);
	return whole;
}

static void write_notes(FILE *err, const struct report_notes *notes,
			void (*write)(FILE *err, const struct report_notes *notes))
{
	if (!is_terminal(notes) || !write_wrapped(err, notes, write))
		write(err, notes);
}

void report_notes_before(FILE *err, const struct report_notes *notes)
{
	write_notes(err, notes, write_before);
}

void report_notes_after(FILE *err, const struct report_notes *notes)
{
	write_notes(err, notes, write_after);
}
