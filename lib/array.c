// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 16

int array_grow(void *array, size_t *room, size_t nr, size_t nr_more, size_t element_bytes)
{
	size_t wanted, nr_bytes, grown = *room ? *room : ROOM_FIRST / 2;
	void *elements;

	if (__builtin_add_overflow(nr, nr_more, &wanted))
		return -ENOMEM;
	if (__builtin_mul_overflow(grown, 2, &grown) || grown < wanted)
		grown = wanted;
	if (__builtin_mul_overflow(grown, element_bytes, &nr_bytes))
		return -ENOMEM;
	/* By bytes: the pointer is of the caller's type. */
	memcpy(&elements, array, sizeof(elements));
	elements = realloc(elements, nr_bytes);
	if (!elements)
		return -ENOMEM;
	memcpy(array, &elements, sizeof(elements));
	*room = grown;
	return 0;
}
