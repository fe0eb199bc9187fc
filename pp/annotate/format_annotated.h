/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of opannotate (doc/man/opannotate.1, OUTPUT): source files,
 * instructions, or both, each line with its samples. What can't be shown in
 * full is said on a stream beside.
 */
#ifndef PP_FORMAT_ANNOTATED_H
#define PP_FORMAT_ANNOTATED_H

#include "events/events.h"
#include "pp/annotate/annotation.h"
#include "pp/annotate/source_file.h"

#include <stdbool.h>
#include <stdio.h>

struct annotated_options {
	bool source, assembly;
	double threshold; /* percent: of files, with assembly of functions */
	enum demangle_mode demangle;
	const char *command_line;
	const char *output_dir; /* NULL: all goes to out */
	const struct spec_list *include_files, *exclude_files;
	struct source_search sources;
	const struct profile_options *profile;
	const struct event_table *events; /* NULL: fewer words */
};

/*
 * To out, or below options->output_dir. 0, -ENOMEM, or -errno of writing, which err says. err also
 * has what lacks: files that are missing or newer than their binary, code that can't be had.
 */
int annotated_format_source(const struct annotation *annotation,
			    const struct annotated_options *options, FILE *out, FILE *err);
/* With options->source: lines above their instructions. */
int annotated_format_assembly(const struct annotation *annotation,
			      const struct annotated_options *options, FILE *out, FILE *err);

/* How many samples have a line, and which images have samples without. */
void annotated_write_lines_lack(FILE *err, const struct annotation *annotation);

#endif
