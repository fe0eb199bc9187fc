/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a trace folder's file "metadata": TSDL, as much of it as tells
 * a struct ctf_trace and packet.h's layout. What is written is read; of what
 * others write only the same is.
 */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include "ctf/ctf.h"
#include "ctf/layout.h"

#define CTF_METADATA_FILE      "metadata"
#define CTF_METADATA_BYTES_MAX ((size_t)64 << 20)

/* The text of trace into malloc'ed *text, NUL behind its *nr_bytes. -EINVAL, -ENOMEM. */
int ctf_metadata_format(const struct ctf_trace *trace, char **text, size_t *nr_bytes,
			struct diag *diag);

/* What such a text tells. Events are in order of stream id, then of id. */
struct ctf_metadata {
	struct ctf_trace trace; /* into memory of this metadata */
	struct ctf_layout layout;
	struct ctf_arena *arena;
};

/*
 * Parse nr_bytes of text, which is not kept; file is for diag only. -EINVAL
 * with file and line in diag for what is not TSDL or not such as oprof writes.
 */
int ctf_metadata_parse(struct ctf_metadata *metadata, const char *file, const char *text,
		       size_t nr_bytes, struct diag *diag);
void ctf_metadata_deinit(struct ctf_metadata *metadata);

#endif
