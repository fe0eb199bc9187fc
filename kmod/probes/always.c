// SPDX-License-Identifier: GPL-2.0-only
/* Compiles with every kernel. If this fails, the method of probing does not work. */
#include <linux/module.h>

int probe(void);
int probe(void)
{
	return THIS_MODULE != NULL;
}
