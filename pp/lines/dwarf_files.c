// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/dwarf_files.h"

#include "pp/symbols/debug_file.h"

#include <errno.h>

static bool has_lines(const struct dwarf_file *file)
{
	return file->sections[DWARF_INFO].bytes && file->sections[DWARF_LINE].bytes;
}

/*
 * Searches for lines in the image and, if the image has none, in its separate debug file. An opened
 * debug file stays open. Returns -ENOENT if neither file has lines.
 */
static int find_info(struct dwarf_files *files, const struct symbol_file *image,
		     const struct symbol_request *request)
{
	int error;

	dwarf_file_init(&files->info.file, image->elf, false);
	files->from = image;
	if (has_lines(&files->info.file))
		return 0;
	files->undecompressed = files->info.file.undecompressed;
	error = debug_file_open(&files->debug, image, request->opener);
	if (error) {
		files->debug.fd = -1;
		return error == -ENOMEM ? error : -ENOENT;
	}
	dwarf_file_deinit(&files->info.file);
	dwarf_file_init(&files->info.file, files->debug.elf, false);
	files->from = &files->debug;
	files->undecompressed = files->undecompressed || files->info.file.undecompressed;
	return has_lines(&files->info.file) ? 0 : -ENOENT;
}

/*
 * Opens the file that dwz made, if the image refers to one. A missing file is not an error, because
 * only names of functions are then missing.
 */
static int open_alt(struct dwarf_files *files, const struct symbol_request *request)
{
	const struct dwarf_file *file = &files->info.file;
	int error;

	if (!file->alt_name)
		return 0;
	error = debug_file_open_alt(
		&files->alt, files->from == &files->debug ? FILE_ALT_OF_DEBUG : FILE_ALT_OF_IMAGE,
		file->alt_name, file->alt_id, file->alt_id_bytes, request->opener);
	if (error) {
		files->alt.fd = -1;
		return error == -ENOMEM ? error : 0;
	}
	dwarf_file_init(&files->alt_info.file, files->alt.elf, false);
	error = dwarf_info_init(&files->alt_info);
	if (!error)
		files->info.alt = &files->alt_info;
	return error;
}

int dwarf_files_open(struct dwarf_files *files, const struct symbol_file *image,
		     const struct symbol_request *request)
{
	int error;

	*files = (struct dwarf_files){.debug = {.fd = -1}, .alt = {.fd = -1}};
	error = find_info(files, image, request);
	if (!error)
		error = dwarf_info_init(&files->info);
	return error ? error : open_alt(files, request);
}

void dwarf_files_close(struct dwarf_files *files)
{
	dwarf_info_deinit(&files->info);
	dwarf_info_deinit(&files->alt_info);
	dwarf_file_deinit(&files->info.file);
	dwarf_file_deinit(&files->alt_info.file);
	symbol_file_close(&files->alt);
	symbol_file_close(&files->debug);
}
