/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a trace folder's file "metadata". The text is written in the subset of the language
 * TSDL that is needed to describe a struct ctf_trace and the layout of packet.h. The parser
 * accepts only this subset, which ctf_metadata_format writes.
 */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include "ctf/ctf.h"
#include "ctf/layout.h"

#define CTF_METADATA_FILE      "metadata"
#define CTF_METADATA_BYTES_MAX ((size_t)64 << 20)

/*
 * Formats `trace` as text in malloc'ed *text: *nr_bytes bytes and a NUL. Returns 0; -EINVAL: the
 * trace is not valid; or -ENOMEM.
 */
int ctf_metadata_format(const struct ctf_trace *trace, char **text, size_t *nr_bytes,
			struct diag *diag);

/* The content of a metadata file. Events are sorted by stream id, then by id. */
struct ctf_metadata {
	struct ctf_trace trace; /* points into arena */
	struct ctf_layout layout;
	struct ctf_arena *arena;
};

/*
 * Parses nr_bytes bytes of text, which the caller may free after the call. `file` is the file name
 * for diag. Returns 0; -EINVAL: the text is not TSDL, or not in the subset that oprof writes, and
 * diag has file and line; or -ENOMEM.
 */
int ctf_metadata_parse(struct ctf_metadata *metadata, const char *file, const char *text,
		       size_t nr_bytes, struct diag *diag);
void ctf_metadata_deinit(struct ctf_metadata *metadata);

#endif
