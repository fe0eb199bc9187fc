// SPDX-License-Identifier: GPL-2.0-or-later
/* Points and ranges of time: the input is a text, parsed with a fixed current time. */
#include "lib/time_range.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW_NS INT64_C(1795183200000000000) /* 2026-11-20 14:00 UTC */

/* A range must be in order and printable. */
static void use(const struct time_range *range)
{
	char shown[TIME_RANGE_SHOWN_BYTES];

	if (range->begin_ns >= range->end_ns)
		abort();
	time_range_show(range->begin_ns, range->end_ns, shown);
	if (!memchr(shown, '\0', sizeof(shown)) || !*shown)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct time_range range;
	struct diag diag;
	char *text = malloc(size + 1);
	char *second;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	diag_clear(&diag);
	if (!time_range_parse(text, NOW_NS, &range, &diag))
		use(&range);
	else if (!diag.text[0])
		abort();
	if (!time_range_parse_last(text, NOW_NS, &range, &diag))
		use(&range);
	second = strchr(text, '\n');
	if (second)
		*second++ = '\0';
	if (!time_range_parse_points(text, second, NOW_NS, &range, &diag))
		use(&range);
	free(text);
	return 0;
}
