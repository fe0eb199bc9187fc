/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the samples of a key belong: the name of their sample file and what
 * its header says. Asked once per file, never per sample.
 */
#ifndef DAEMON_PLACEMENT_H
#define DAEMON_PLACEMENT_H

#include "daemon/session/sample_key.h"
#include "daemon/session/session.h"
#include "daemon/source.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"

#include <stdbool.h>

/* Big (paths): keep one, not one on each stack. Strings of identity are borrowed. */
struct placement {
	struct sample_name name;
	struct sdb_identity identity;
};

/* Whose images and cgroups; borrowed. */
struct placement_config {
	const struct source *source;
	struct session *session; /* info: events, host...; numbers of cgroups */
	bool thinned;		 /* weight of clocks is stored too: not all samples are taken */
	unsigned int separation; /* by which the keys were made */
	/* Asked first where it is there: an image that the source has released, or NULL. */
	const struct image *(*released)(const void *context, uint32_t cookie);
	const void *context;
	/* Paths of cgroups are enough: give them no numbers in the session (name.cgroup is 0). */
	bool unnumbered;
	uint64_t epoch; /* of files now (oprof/slice.h); 0: of none */
};

/*
 * 0; -ENXIO the source does not know the image, -ENAMETOOLONG, -ENOMEM, or
 * what adding a cgroup's number to the session says.
 */
int placement_find(const struct placement_config *config, const struct sample_key *key,
		   struct placement *placement);

/* How names and headers of sample files tell an image. 0 or -ENAMETOOLONG. */
int placement_path(struct sample_path *path, const struct image *image);

/*
 * Of a clock with a frequency, whose weight is its samples as long as all are
 * taken: the period that they then have, in ns. 0: of all other events.
 */
uint64_t placement_plain_period(const struct event_choice *event);

/* Weight of this event's samples varies, so that it is stored (OPROF_SDB_WEIGHTED). */
bool placement_is_weighted(const struct event_choice *event);

#endif
