/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates the stream of the kernel module's buffer (oprof/kmod.h) into the daemon's records: the
 * module's cookies become images, raw kernel addresses become frames, and addresses in generated
 * code become names of functions.
 *
 * The stream is not trusted: a damaged record is counted, and a damaged sample counts as lost for
 * the reason bad_record. After a record of an impossible size, kmod_state_apply skips all remaining
 * bytes.
 *
 * Elsewhere: reading the buffer (kmod_buffer), settings (kmod_setup).
 */
#ifndef DAEMON_KMOD_STATE_H
#define DAEMON_KMOD_STATE_H

#include "daemon/module_source/kmod_images.h"
#include "daemon/module_source/kmod_process.h"
#include "daemon/module_source/kmod_switches.h"
#include "daemon/places/places.h"

struct kmod_state_config {
	struct places_config places;
	size_t nr_events;
	unsigned int chain_depth;
	bool want_cgroup, want_switches;
	kmod_image_open_fn *open; /* opens files; NULL: the module's ioctl */
};

struct kmod_state_counters {
	/* SAMPLE records, samples that LOST records report, and unreadable records. */
	uint64_t seen;
	uint64_t records; /* of any type */
	uint64_t unknown_records, bad_records;
	uint64_t module_records, switch_records, processes_ended;
	/* Links (kmod_sample.c) that were taken as callers, and links that were left out. */
	uint64_t links_taken, links_left;
};

struct kmod_state {
	struct places places;
	struct kmod_images images;
	struct kmod_processes processes;
	struct kmod_switches switches;
	size_t nr_events;
	unsigned int chain_depth;
	bool want_cgroup, want_switches;
	/* The current context, from the last CPU and TASK records. */
	bool have_cpu, have_task;
	uint32_t cpu;
	struct kmod_task task;
	bool app_unknown; /* the cookie of the task's program was never announced */
	/*
	 * true: a SWITCH record was read, but not yet the TASK record of the next task.
	 * pending.from then has a reference of its own on its program.
	 */
	bool switching;
	struct kmod_switch pending;
	uint64_t cgroups_due_ns; /* earliest time of the next search for names of cgroups */
	struct kmod_state_counters counters;
};

/* Returns 0 or -errno with diag. Call kmod_state_deinit in any case. */
int kmod_state_init(struct kmod_state *state, const struct kmod_state_config *config,
		    struct diag *diag);
void kmod_state_deinit(struct kmod_state *state);

/*
 * Applies records and passes the results to the sink. records must be aligned to 8 bytes and
 * contain only complete records.
 */
void kmod_state_apply(struct kmod_state *state, const void *records, size_t nr_bytes);

#endif
