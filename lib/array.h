/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room in an array that grows. The array, the number of its elements and the
 * number that it has room for are the caller's, wherever they are kept. Not
 * for arrays that share one room.
 */
#ifndef LIB_ARRAY_H
#define LIB_ARRAY_H

#include <stddef.h>

/* The slow half of array_reserve_bytes. */
int array_grow(void *array, size_t *room, size_t nr, size_t nr_more, size_t element_bytes);

/* array_reserve for elements of so many bytes; array is the address of a pointer to them. */
static inline int array_reserve_bytes(void *array, size_t *room, size_t nr, size_t nr_more,
				      size_t element_bytes)
{
	return nr_more <= *room - nr ? 0 : array_grow(array, room, nr, nr_more, element_bytes);
}

/*
 * Room for nr_more elements behind the first nr of *array, of *room (a size_t;
 * nr <= *room). Room that grows doubles at least, so that an element added
 * alone costs a copy of one element on average. 0; -ENOMEM if there is no
 * memory, or no such size: *array and *room are then as they were. Arguments may be evaluated
 * twice. That NULL is looked at shows analyzers that where there is room there is an array.
 */
#define array_reserve(array, room, nr, nr_more)                                                    \
	(*(array) ? array_reserve_bytes((array), (room), (nr), (nr_more), sizeof(**(array)))       \
		  : array_grow((array), (room), (nr), (nr_more), sizeof(**(array))))

#endif
