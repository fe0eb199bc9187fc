// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/recount.h"

#include "libdb/sample_name.h"
#include "libdb/sdb.h"

#include <errno.h>
#include <stdbool.h>

#define NS_PER_S UINT64_C(1000000000)

/* Not ours to read, cut, never begun, gone since: none of its samples can be told. */
static bool holds_nothing(int error)
{
	return error == -EINVAL || error == -EILSEQ || error == -EPROTONOSUPPORT || error == -EIO ||
	       error == -ENODATA || error == -ENOENT;
}

static uint64_t weight_of(const struct sdb_image *image)
{
	const struct oprof_sdb_header *header = &image->header;

	/* Clocks: the kernel makes a fixed period of their frequency. */
	if ((header->flags & (OPROF_SDB_FREQUENCY | OPROF_SDB_WEIGHTED)) == OPROF_SDB_FREQUENCY &&
	    header->period_or_hz)
		return image->nr_samples * (NS_PER_S / header->period_or_hz);
	return image->weight;
}

static int count_file(const char *path, const struct sample_name *name, const struct diag *diag,
		      void *context)
{
	struct recount *sums = context;
	struct sdb_image image;
	int error;

	(void)diag;
	if (!name) /* no sample file, or one that was set aside */
		return 0;
	error = sdb_image_load(path, &image, NULL);
	if (error)
		return holds_nothing(error) ? 0 : error;
	if (image.header.image_kind == OPROF_IMAGE_IDLE) {
		sums->idle += image.nr_samples;
	} else {
		sums->stored += image.nr_samples;
		sums->weight += weight_of(&image);
	}
	sdb_image_deinit(&image);
	return 0;
}

int recount_files(const char *session_path, struct recount *sums)
{
	struct recount found = {0};
	int error = sample_name_walk(session_path, count_file, &found);

	if (!error)
		*sums = found;
	return error;
}
