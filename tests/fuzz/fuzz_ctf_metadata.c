// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texts as metadata of a trace. A text that is parsed must be written as an equivalent text, which
 * in turn is parsed and written unchanged.
 */
#include "ctf/metadata.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
	if (!held)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctf_metadata first, second;
	char *text, *again;
	size_t nr_text, nr_again;
	struct diag diag;

	diag_clear(&diag);
	if (ctf_metadata_parse(&first, "input", (const char *)data, size, &diag)) {
		must(diag.text[0] && !strcmp(diag.file, "input"));
		return 0;
	}
	must(!ctf_metadata_format(&first.trace, &text, &nr_text, &diag));
	must(!ctf_metadata_parse(&second, "text", text, nr_text, &diag));
	must(!ctf_metadata_format(&second.trace, &again, &nr_again, &diag));
	must(nr_text == nr_again && !memcmp(text, again, nr_text));
	free(text);
	free(again);
	ctf_metadata_deinit(&first);
	ctf_metadata_deinit(&second);
	return 0;
}
