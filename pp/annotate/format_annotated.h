/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the output of opannotate (doc/man/opannotate.1, OUTPUT): source files, instructions, or
 * both, each line with its samples. A second stream receives messages about missing files and code.
 */
#ifndef PP_FORMAT_ANNOTATED_H
#define PP_FORMAT_ANNOTATED_H

#include "events/events.h"
#include "lib/diag.h"
#include "pp/annotate/annotation.h"
#include "pp/annotate/source_file.h"

#include <stdbool.h>
#include <stdio.h>

struct annotated_options {
	bool source, assembly;
	/* in percent; files (with assembly: functions) with a smaller share are not written */
	double threshold;
	enum demangle_mode demangle;
	const char *command_line;
	const char *output_dir; /* NULL: everything is written to out */
	const struct spec_list *include_files, *exclude_files;
	struct source_search sources;
	const struct profile_options *profile;
	const struct event_table *events; /* NULL: fewer descriptions */
};

/*
 * Writes source files to `out`, or below options->output_dir. Reports to `err` which files are
 * missing or newer than their binary, and which code is not available. Returns 0, or -errno with
 * *diag: -ENOMEM, or an error of writing, disassembly_load() or line_table_load().
 */
int annotated_format_source(const struct annotation *annotation,
			    const struct annotated_options *options, FILE *out, FILE *err,
			    struct diag *diag);
/*
 * Like annotated_format_source(), but writes instructions. If options->source is set, writes each
 * instruction below the source lines from which it was compiled.
 */
int annotated_format_assembly(const struct annotation *annotation,
			      const struct annotated_options *options, FILE *out, FILE *err,
			      struct diag *diag);

/* Reports how many samples have no line, and in which images. */
void annotated_write_lines_lack(FILE *err, const struct annotation *annotation);

#endif
