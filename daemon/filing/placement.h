/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the name and the header of the sample file of a key. Called once per file, not per sample.
 */
#ifndef DAEMON_PLACEMENT_H
#define DAEMON_PLACEMENT_H

#include "daemon/session/sample_key.h"
#include "daemon/session/session.h"
#include "daemon/source.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"

#include <stdbool.h>

/* Contains paths, so it is too large for the stack. Strings of identity are borrowed. */
struct placement {
	struct sample_name name;
	struct sdb_identity identity;
};

/* How to look up images and cgroups. All pointers are borrowed. */
struct placement_config {
	const struct source *source;
	struct session *session; /* has the info (events, host...) and the numbers of cgroups */
	bool thinned;		 /* samples are thinned: the weight of clocks is also stored */
	unsigned int separation; /* the separation with which the keys were made */
	/*
	 * Looks up an image that the source has released. Called before the source's own look-up.
	 * Returns NULL if the image is unknown. May be NULL.
	 */
	const struct image *(*released)(const void *context, uint32_t cookie);
	const void *context;
	/*
	 * Do not give cgroups a number in the session: name.cgroup is 0, and only identity.cgroup
	 * is set.
	 */
	bool unnumbered;
	uint64_t epoch; /* epoch of the live files (oprof/slice.h); 0: they have no epoch */
};

/*
 * Fills in placement. Returns 0; -ENXIO: the source does not know the image; -ENAMETOOLONG;
 * -ENOMEM; or the error of adding a cgroup's number to the session.
 */
int placement_find(const struct placement_config *config, const struct sample_key *key,
		   struct placement *placement);

/*
 * Fills path with the image's path, in the form that names of sample files contain. Returns 0 or
 * -ENAMETOOLONG.
 */
int placement_path(struct sample_path *path, const struct image *image);

/*
 * Returns the period in ns of a clock with a frequency; 0 for all other events. The weight of such
 * a clock equals its number of samples, unless samples are thinned.
 */
uint64_t placement_plain_period(const struct event_choice *event);

/*
 * Returns whether the weight of this event's samples varies, and is therefore stored
 * (OPROF_SDB_WEIGHTED).
 */
bool placement_is_weighted(const struct event_choice *event);

#endif
