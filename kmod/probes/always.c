// SPDX-License-Identifier: GPL-2.0-only
/* Compiles on every kernel; if not, the probing itself is at fault. */
#include <linux/module.h>

int probe(void);
int probe(void)
{
	return THIS_MODULE != NULL;
}
