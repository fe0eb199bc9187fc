/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Grows an array. The caller owns the array, the number of its elements and its capacity, and
 * chooses where these three are stored. Two arrays must not share one capacity.
 */
#ifndef LIB_ARRAY_H
#define LIB_ARRAY_H

#include <stddef.h>

/* The slow path of array_reserve_bytes. */
int array_grow(void *array, size_t *room, size_t nr, size_t nr_more, size_t element_bytes);

/*
 * Like array_reserve(), but with the size of an element. `array` is the address of the pointer to
 * the elements.
 */
static inline int array_reserve_bytes(void *array, size_t *room, size_t nr, size_t nr_more,
				      size_t element_bytes)
{
	return nr_more <= *room - nr ? 0 : array_grow(array, room, nr, nr_more, element_bytes);
}

/*
 * Makes room for nr_more elements after the first nr elements of *array. *room is the capacity of
 * the array in elements, a size_t with nr <= *room. If the capacity grows, it at least doubles, so
 * that each element is copied only once or twice on average. Returns 0, or -ENOMEM if out of memory
 * or on overflow; *array and *room are then unchanged. Arguments may be evaluated twice. The test
 * of *array is only for static analysers: it shows them that an array with a capacity is not NULL.
 */
#define array_reserve(array, room, nr, nr_more)                                                    \
	(*(array) ? array_reserve_bytes((array), (room), (nr), (nr_more), sizeof(**(array)))       \
		  : array_grow((array), (room), (nr), (nr_more), sizeof(**(array))))

#endif
