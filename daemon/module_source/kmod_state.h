/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream of the kernel module's buffer (oprof/kmod.h) -> records as the
 * daemon has them: the module's cookies become images, raw kernel addresses
 * frames, memory that programs made code in names of functions.
 *
 * Trusts nothing in the stream: what is damaged is lost as bad_record, and
 * what comes behind it in the same piece, too.
 *
 * Not for: reading the buffer (kmod_buffer), settings (kmod_setup).
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
	kmod_image_open_fn *open; /* NULL: the module's */
};

struct kmod_state_counters {
	uint64_t seen;	  /* samples: SAMPLE records, and those of LOST records */
	uint64_t records; /* of any type */
	uint64_t unknown_records, bad_records;
	uint64_t module_records, switch_records, processes_ended;
	uint64_t links_taken, links_left; /* the caller's, or not (kmod_sample.c) */
};

struct kmod_state {
	struct places places;
	struct kmod_images images;
	struct kmod_processes processes;
	struct kmod_switches switches;
	size_t nr_events;
	unsigned int chain_depth;
	bool want_cgroup, want_switches;
	/* In force. */
	bool have_cpu, have_task;
	uint32_t cpu;
	struct kmod_task task;
	bool app_unknown; /* task names a cookie that was never told */
	/* A SWITCH whose next TASK has not come; its from is a reference of its own. */
	bool switching;
	struct kmod_switch pending;
	uint64_t cgroups_due_ns; /* names of cgroups are looked for again, not before */
	struct kmod_state_counters counters;
};

/* 0 or -errno with diag. Deinit in any case. */
int kmod_state_init(struct kmod_state *state, const struct kmod_state_config *config,
		    struct diag *diag);
void kmod_state_deinit(struct kmod_state *state);

/* Apply whole records, aligned as records are; what comes out goes to the sink. */
void kmod_state_apply(struct kmod_state *state, const void *records, size_t nr_bytes);

#endif
