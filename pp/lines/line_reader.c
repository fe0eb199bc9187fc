// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/line_reader.h"

#include "lib/file.h"
#include "pp/lines/dwarf_files.h"
#include "pp/lines/line_builder.h"
#include "pp/lines/line_walk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct line_reading {
	const struct symbol_request *request;
	struct symbol_image image;
	struct dwarf_files files;
	struct line_builder builder;
	struct line_walk walk;
	enum symbols_lack lack;
	char *note;
};

#define UNDECOMPRESSED                                                                             \
	"its debug information is damaged, or compressed in a way that is not supported"

/* ---- reading ---- */

__attribute__((format(printf, 2, 3))) static void note(struct line_reading *reading,
						       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&reading->note, format, arguments) < 0)
		reading->note = NULL;
	va_end(arguments);
}

static void tell_unopened(struct line_reading *reading, int error)
{
	enum oprof_image_kind kind = reading->request->kind;
	bool kernel = kind == OPROF_IMAGE_KERNEL || kind == OPROF_IMAGE_IDLE;

	reading->lack = symbol_image_tell(error, &reading->note);
	if (!kernel || (error != -ENOENT && error != -ESTALE))
		return;
	free(reading->note);
	note(reading,
	     error == -ESTALE
		     ? "the vmlinux that was found belongs to another build; give the folder of "
		       "the matching vmlinux with -p"
		     : "no vmlinux with the kernel's build-id was found; install the kernel's "
		       "debug symbols, or give the folder of the kernel's vmlinux with -p");
}

static void tell_none(struct line_reading *reading)
{
	reading->lack = SYMBOLS_STRIPPED;
	note(reading,
	     reading->files.undecompressed ? UNDECOMPRESSED
	     : reading->image.kept
		     ? "no line information in the session's copy of the binary"
		     : "no line information: compile the binary with -g, or install its debug "
		       "symbols");
}

/*
 * Sets reading->note if information is damaged or missing. Sets reading->lack only if information
 * is damaged. Call this function after the walk.
 */
static void tell_missing(struct line_reading *reading)
{
	const struct dwarf_split *split = &reading->walk.split;

	if (reading->walk.damaged) {
		reading->lack = SYMBOLS_DAMAGED;
		note(reading, "damaged: not all of its line information could be read");
	} else if (split->nr_missing) {
		note(reading,
		     "inlined functions of %zu of its compilation units are unknown: %s is "
		     "missing or belongs to another build",
		     split->nr_missing, split->missing ? split->missing : "a .dwo file");
	} else if (reading->files.info.file.alt_name && reading->files.alt.fd < 0) {
		note(reading, "names of inlined functions are in %s, which is missing",
		     reading->files.info.file.alt_name);
	} else if (reading->files.info.file.undecompressed) {
		note(reading, "part of " UNDECOMPRESSED);
	}
}

static int walk(struct line_reading *reading)
{
	const struct symbol_file *image = &reading->image.file, *from = reading->files.from;
	uint64_t bias = from == image ? 0 : symbol_file_bias(image, from);
	int error = line_builder_init(&reading->builder, image, bias);

	if (error)
		return error;
	line_walk_init(&reading->walk, &reading->builder, &reading->files.info,
		       reading->request->opener);
	error = line_walk_run(&reading->walk);
	tell_missing(reading);
	line_walk_deinit(&reading->walk);
	return error ? error : line_builder_finish(&reading->builder);
}

static int read_all(struct line_reading *reading)
{
	int error = dwarf_files_open(&reading->files, &reading->image.file, reading->request);

	if (!error)
		return walk(reading);
	if (error != -ENOENT)
		return error;
	tell_none(reading);
	return line_builder_init(&reading->builder, &reading->image.file, 0);
}

/* ---- the result ---- */

static int add_text(struct line_reading *reading, const char *text, uint32_t *offset)
{
	*offset = 0;
	return text ? line_builder_text(&reading->builder, text, offset) : 0;
}

static int write_part(int fd, const void *items, size_t nr, size_t item_bytes)
{
	return nr ? file_write_all(fd, items, nr * item_bytes) : 0;
}

static int write_result(struct line_reading *reading, int fd)
{
	const struct line_builder *builder = &reading->builder;
	struct line_wire_header header = {.magic = LINE_WIRE_MAGIC,
					  .lack = reading->lack,
					  .nr_ranges = builder->nr_ranges,
					  .nr_nodes = (uint32_t)builder->nr_nodes,
					  .nr_files = (uint32_t)builder->nr_files};
	const char *debug_path = reading->files.debug.fd >= 0 ? reading->files.debug.path : NULL;
	int error = add_text(reading, debug_path, &header.debug_path);

	if (!error)
		error = add_text(reading, reading->note, &header.note);
	header.strings_bytes = (uint32_t)builder->texts.nr_bytes;
	header.flags = reading->image.kept ? LINE_WIRE_KEPT : 0;
	if (!error)
		error = write_part(fd, &header, 1, sizeof(header));
	if (!error)
		error = write_part(fd, builder->ranges, builder->nr_ranges,
				   sizeof(*builder->ranges));
	if (!error)
		error = write_part(fd, builder->nodes, builder->nr_nodes, sizeof(*builder->nodes));
	if (!error)
		error = write_part(fd, builder->files, builder->nr_files, sizeof(*builder->files));
	if (!error)
		error = write_part(fd, builder->texts.bytes, builder->texts.nr_bytes, 1);
	return error;
}

static void reading_deinit(struct line_reading *reading)
{
	line_builder_deinit(&reading->builder);
	dwarf_files_close(&reading->files);
	symbol_image_close(&reading->image);
	free(reading->note);
}

int line_read(const struct symbol_request *request, int fd)
{
	struct line_reading reading = {.request = request,
				       .files = {.debug = {.fd = -1}, .alt = {.fd = -1}}};
	int error = symbol_image_open(&reading.image, request);

	if (error == -ENOMEM)
		return error;
	if (error) {
		tell_unopened(&reading, error);
		error = line_builder_init(&reading.builder, &reading.image.file, 0);
	} else {
		error = read_all(&reading);
	}
	if (!error)
		error = write_result(&reading, fd);
	reading_deinit(&reading);
	return error;
}
