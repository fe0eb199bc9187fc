// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_reader.h"

#include "pp/symbols/debug_file.h"
#include "pp/symbols/mini_symbols.h"
#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbol_plt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of reading one binary. */
struct symbol_reading {
	const struct symbol_request *request;
	struct symbol_result result;
	struct symbol_image image;
	struct symbol_file debug; /* fd -1: none */
	struct symbol_file mini;  /* symbols embedded in the image; mini.elf is NULL without them */
	struct symbol_plt plt;
	int damage; /* -EILSEQ: some symbols could not be read; 0: all could be read */
};

__attribute__((format(printf, 2, 3))) static void note(struct symbol_reading *reading,
						       const char *format, ...)
{
	va_list arguments;

	free(reading->result.note);
	va_start(arguments, format);
	if (vasprintf(&reading->result.note, format, arguments) < 0)
		reading->result.note = NULL;
	va_end(arguments);
}

/* ---- the binary's symbols ---- */

static int list_table(struct symbol_reading *reading, const struct symbol_file *from,
		      Elf_Scn *table)
{
	uint64_t bias =
		from == &reading->image.file ? 0 : symbol_file_bias(&reading->image.file, from);
	int error;

	if (!table)
		return 0;
	error = symbol_file_list(&reading->image.file, from, table, bias, &reading->result.list);
	if (error == -EILSEQ)
		reading->damage = error;
	return error == -ENOMEM ? error : 0;
}

static int list_debug(struct symbol_reading *reading)
{
	int error =
		debug_file_open(&reading->debug, &reading->image.file, reading->request->opener);

	if (error) {
		reading->debug.fd = -1;
		return error == -ENOMEM ? error : 0;
	}
	reading->result.debug_path = strdup(reading->debug.path);
	return reading->result.debug_path
		       ? list_table(reading, &reading->debug, reading->debug.symtab)
		       : -ENOMEM;
}

static int list_mini(struct symbol_reading *reading)
{
	int error = mini_symbols_open(&reading->mini, &reading->image.file);

	if (error) {
		reading->mini.elf = NULL;
		if (error == -EILSEQ)
			reading->damage = error;
		return error == -ENOMEM ? error : 0;
	}
	return list_table(reading, &reading->mini, reading->mini.symtab);
}

/*
 * Lists the full symbols of the image. If the image has none, lists the symbols of its debug file.
 * If there are none either, lists the symbols embedded in the image.
 */
static int list_full(struct symbol_reading *reading)
{
	int error = list_table(reading, &reading->image.file, reading->image.file.symtab);

	if (!error && !reading->result.list.nr_symbols)
		error = list_debug(reading);
	if (!error && !reading->result.list.nr_symbols)
		error = list_mini(reading);
	return error;
}

static void tell_lack(struct symbol_reading *reading, size_t nr_full)
{
	if (reading->damage) {
		reading->result.lack = SYMBOLS_DAMAGED;
		note(reading, "damaged: not all of its symbols could be read");
		return;
	}
	/* The vdso's exported symbols are complete. */
	if (nr_full ||
	    (reading->result.list.nr_symbols && reading->request->kind == OPROF_IMAGE_VDSO))
		return;
	reading->result.lack =
		reading->result.list.nr_symbols ? SYMBOLS_DYNAMIC_ONLY : SYMBOLS_STRIPPED;
	note(reading,
	     reading->image.kept ? "the session's copy has no debug symbols" : "no debug symbols");
}

static int list_all(struct symbol_reading *reading)
{
	int error = list_full(reading);
	size_t nr_full = reading->result.list.nr_symbols;

	if (!error)
		error = list_table(reading, &reading->image.file, reading->image.file.dynsym);
	if (!error && reading->image.file.dynsym)
		error = symbol_plt_list(&reading->plt, &reading->image.file, &reading->result.list);
	if (!error)
		error = symbol_list_resolve(&reading->result.list);
	if (!error)
		tell_lack(reading, nr_full);
	return error;
}

static void reading_deinit(struct symbol_reading *reading)
{
	symbol_list_deinit(&reading->result.list);
	symbol_plt_close(&reading->plt);
	symbol_file_close(&reading->debug);
	symbol_file_close(&reading->mini);
	symbol_image_close(&reading->image);
	free(reading->result.debug_path);
	free(reading->result.note);
}

int symbol_read(const struct symbol_request *request, int fd)
{
	struct symbol_reading reading = {
		.request = request, .debug = {.fd = -1}, .mini = {.fd = -1}};
	int error = symbol_image_open(&reading.image, request);

	if (error == -ENOMEM)
		return error;
	symbol_list_init(&reading.result.list);
	if (error) {
		reading.result.lack = symbol_image_tell(error, &reading.result.note);
		error = 0;
	} else {
		error = list_all(&reading);
	}
	reading.result.kept = reading.image.kept;
	if (!error)
		error = symbol_wire_write(fd, &reading.result);
	reading_deinit(&reading);
	return error;
}
