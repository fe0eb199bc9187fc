// SPDX-License-Identifier: GPL-2.0-or-later
/* A program of the guest's architecture that is linked with shared libraries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	(void)argv;
	printf("hello %.0f\n", floor(sqrt((double)argc + 8.5)));
	return EXIT_SUCCESS;
}
