// SPDX-License-Identifier: GPL-2.0-only
/* 6.16: page faults are traced by what all architectures share. */
#include <trace/events/exceptions.h>

int probe(void);
int probe(void)
{
	return 0;
}
