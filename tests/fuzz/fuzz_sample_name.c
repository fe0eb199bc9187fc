// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of sample files: a name that parses is written unchanged; a name that is written parses. */
#include "libdb/sample_name.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A written name must read back as the original. */
static void write_and_read(const struct sample_name *name)
{
	static char text[3 * PATH_MAX], again[3 * PATH_MAX];
	static struct sample_name back;

	if (sample_name_format(name, text, sizeof(text)))
		return;
	if (sample_name_parse(text, &back, NULL)) {
		/* Escapes may make it longer than the struct's buffer. */
		if (strlen(text) < PATH_MAX)
			abort();
		return;
	}
	if (sample_name_format(&back, again, sizeof(again)) || strcmp(text, again) != 0)
		abort();
	if (!back.image.hashed && strcmp(back.image.path, name->image.path) != 0)
		abort();
}

/* Uses the input as a path of each kind. */
static void try_path(const char *path)
{
	static struct sample_name name = {.event = "e", .app.kind = SAMPLE_PATH_ROOT};

	(void)strcpy(name.app.path, "/a");
	(void)strcpy(name.image.path, path);
	name.image.end = 1;
	for (int kind = 0; kind < 3; kind++) {
		name.image.kind = (enum sample_path_kind)kind;
		write_and_read(&name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sample_name name;
	char *text = malloc(size + 1);
	struct diag diag;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!sample_name_parse(text, &name, &diag))
		write_and_read(&name);
	if (strlen(text) < PATH_MAX)
		try_path(text);
	free(text);
	return 0;
}
