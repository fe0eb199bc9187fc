// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotated_output.h"

#include "lib/file.h"
#include "lib/folder.h"
#include "lib/utf8.h"
#include "pp/annotate/annotation.h"
#include "pp/base/read_folder.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int annotated_output_begin(struct annotated_output *output, const char *name)
{
	char *clean;
	int nr;

	annotated_output_deinit(output);
	if (!output->dir) {
		output->out = output->all;
		return 0;
	}
	clean = annotation_clean_path(name);
	nr = clean ? asprintf(&output->path, "%s/%s", output->dir, *clean ? clean : "unnamed") : -1;
	free(clean);
	if (nr < 0) {
		output->path = NULL;
		return -ENOMEM;
	}
	output->out = open_memstream(&output->text, &output->nr_bytes);
	return output->out ? 0 : -ENOMEM;
}

/*
 * Creates the folders of path. If root calls this function, only root may use the new folders, and
 * symbolic links of users who are not trusted are refused.
 */
static int make_parents(const char *path)
{
	char *parent;
	int fd;

	if (geteuid())
		return file_make_parent_dirs(path, 0777);
	parent = strdup(path);
	if (!parent)
		return -ENOMEM;
	fd = folder_open(dirname(parent), FOLDER_CREATE);
	free(parent);
	if (fd < 0)
		return fd;
	(void)close(fd);
	return 0;
}

static int write_out(struct annotated_output *output)
{
	FILE *out = output->out;
	int error;

	output->out = NULL;
	if (!output->dir)
		return file_flush(out);
	if (fclose(out))
		return -ENOMEM;
	error = make_parents(output->path);
	if (!error)
		error = folder_replace_file(output->path, output->text, output->nr_bytes,
					    report_file_mode());
	output->nr_files += !error;
	return error;
}

int annotated_output_end(struct annotated_output *output, struct diag *diag)
{
	int error = write_out(output);

	return error ? diag_set(diag, error, "cannot write %s: %s",
				output->path ? output->path : "standard output",
				folder_reason(error))
		     : 0;
}

void annotated_output_write_sum(const struct annotated_output *output, FILE *err)
{
	if (!output->dir)
		return;
	(void)fprintf(err, "%zu file%s written below ", output->nr_files,
		      output->nr_files == 1 ? "" : "s");
	utf8_write_masked(err, output->dir);
	(void)fputc('\n', err);
}

void annotated_output_deinit(struct annotated_output *output)
{
	if (output->out && output->dir)
		(void)fclose(output->out);
	output->out = NULL;
	free(output->path);
	free(output->text);
	output->path = output->text = NULL;
	output->nr_bytes = 0;
}
