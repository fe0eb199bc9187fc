// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the keys, samples and weight of each sample file named, "KEY SAMPLES WEIGHT" per line. */
#include "libdb/sdb.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct sdb_image image;
		struct diag diag;

		diag_clear(&diag);
		if (sdb_image_load(argv[i], &image, &diag)) {
			(void)fprintf(stderr, "%s: %s\n", argv[i], diag_show(&diag));
			return 1;
		}
		for (size_t j = 0; j < image.nr_entries; j++)
			(void)printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", image.entries[j].key,
				     image.entries[j].nr_samples, image.entries[j].weight);
		sdb_image_deinit(&image);
	}
	return 0;
}
