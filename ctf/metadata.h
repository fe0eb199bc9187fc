/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a trace folder's file "metadata", in the part of TSDL that is needed for a struct
 * ctf_trace and the layout of packet.h. The parser accepts the TSDL that ctf_metadata_format
 * writes, and refuses any other TSDL.
 */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include "ctf/ctf.h"
#include "ctf/layout.h"

#define CTF_METADATA_FILE      "metadata"
#define CTF_METADATA_BYTES_MAX ((size_t)64 << 20)

/*
 * Formats trace into malloc'ed *text of *nr_bytes, with a NUL after them. Returns 0; -EINVAL: trace
 * is not valid; or -ENOMEM.
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
 * Parses nr_bytes of text, which the caller may free afterwards; file is the name that diag
 * reports. Returns 0; -EINVAL: the text is not TSDL or not as oprof writes it, diag has file and
 * line; or -ENOMEM.
 */
int ctf_metadata_parse(struct ctf_metadata *metadata, const char *file, const char *text,
		       size_t nr_bytes, struct diag *diag);
void ctf_metadata_deinit(struct ctf_metadata *metadata);

#endif
