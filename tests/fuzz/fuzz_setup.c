// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcontrol's setup file: a file that is read, written and read again must stay the same. The same
 * bytes are also parsed as the text of a daemon's answer.
 */
#include "control/daemon/setup_file.h"
#include "lib/key_value.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_back(const struct setup *setup)
{
	char *first = setup_format(setup);
	char *copy = first ? strdup(first) : NULL;
	char *second = NULL;
	struct setup back;
	struct diag diag;

	setup_init(&back);
	if (copy && setup_parse(&back, "back", copy, &diag))
		abort();
	if (copy)
		second = setup_format(&back);
	if (second && strcmp(first, second) != 0)
		abort();
	setup_deinit(&back);
	free(first);
	free(copy);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct setup setup;
	char value[32];
	struct diag diag;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (key_value_find(text, "event", value, sizeof(value)) && strlen(value) >= sizeof(value))
		abort();
	setup_init(&setup);
	if (!setup_parse(&setup, "setup", text, &diag))
		check_back(&setup);
	else if (!diag.line)
		abort();
	setup_deinit(&setup);
	free(text);
	return 0;
}
