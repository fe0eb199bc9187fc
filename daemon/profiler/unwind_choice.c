// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/unwind_choice.h"

#include <errno.h>
#include <string.h>

static const char *const names[] = {
	[SOURCE_UNWIND_AUTO] = "auto",
	[SOURCE_UNWIND_FP] = "fp",
	[SOURCE_UNWIND_TABLES] = "tables",
};

int unwind_choice_parse(const char *text, enum source_unwind *unwind)
{
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*unwind = (enum source_unwind)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *unwind_choice_name(enum source_unwind unwind)
{
	return names[unwind];
}
