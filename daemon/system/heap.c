// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/heap.h"

#include <malloc.h>

int heap_trim(size_t spare_bytes)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	if (mallinfo2().fordblks <= spare_bytes)
		return 0;
#else
	(void)spare_bytes;
#endif
#ifdef __GLIBC__
	return malloc_trim(0);
#else
	return 0;
#endif
}
