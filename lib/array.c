// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>

#define ROOM_FIRST 16

/*
 * The type of a pointer that may be read and written as void *, although it has another type:
 * callers pass the address of a pointer of any type.
 */
typedef void *__attribute__((may_alias)) aliasing_pointer;

int array_grow(void *array, size_t *room, size_t nr, size_t nr_more, size_t element_bytes)
{
	size_t wanted, nr_bytes, grown = *room ? *room : ROOM_FIRST / 2;
	aliasing_pointer *kept = array;
	void *elements;

	if (nr_more <= *room - nr)
		return 0;
	if (__builtin_add_overflow(nr, nr_more, &wanted))
		return -ENOMEM;
	if (__builtin_mul_overflow(grown, 2, &grown) || grown < wanted)
		grown = wanted;
	if (__builtin_mul_overflow(grown, element_bytes, &nr_bytes))
		return -ENOMEM;
	elements = realloc(*kept, nr_bytes);
	if (!elements)
		return -ENOMEM;
	*kept = elements;
	*room = grown;
	return 0;
}
