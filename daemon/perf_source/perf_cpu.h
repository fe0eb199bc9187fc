/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf source's part for one CPU: its events, and the rings to which they write. One ring is
 * for samples of all events; one is for side-band, so that a flood of samples cannot displace
 * records of mappings; a third one, if requested, is for task switches, which may outnumber all
 * other records.
 *
 * Losses are read from the kernel's own counts (PERF_FORMAT_LOST), but only if a ring may have been
 * full since the last reading, because each reading of a count interrupts the CPU.
 */
#ifndef DAEMON_PERF_CPU_H
#define DAEMON_PERF_CPU_H

#include "daemon/perf/perf_feed.h"
#include "daemon/perf_source/perf_open.h"
#include "daemon/perf/perf_ring.h"

/* A sampled event of one task, or of all tasks, on this CPU. */
struct perf_cpu_event {
	int fd;
	uint32_t event; /* index of the event in the configuration */
	uint64_t lost;	/* the kernel's count of lost samples, as last reported to the feed */
};

/* A ring for records other than samples, and the events that write to it. */
struct perf_cpu_band {
	struct perf_ring ring;
	uint32_t feed_ring; /* the ring's number in the feed */
	int *fds;
	size_t nr_fds;
	uint64_t lost;	  /* the kernel's count of lost records, as last reported */
	uint64_t read_ns; /* time at which the last reading of the ring began */
};

struct perf_cpu {
	unsigned int cpu;
	bool open;
	bool in_feed; /* the CPU's rings are in the feed, and remain there when the CPU is closed */
	struct perf_ring samples; /* closed if no event is sampled */
	uint32_t samples_ring;	  /* the number of the samples' ring in the feed */
	struct perf_cpu_event *events;
	size_t nr_events;
	struct perf_cpu_band side, switches; /* switches: closed unless requested */
};

/* Records other than samples that the kernel could not write. */
struct perf_band_losses {
	uint64_t nr;
	uint64_t from_ns; /* all losses occurred at or after this time; UINT64_MAX: no losses */
};

struct perf_losses {
	struct perf_band_losses side, switches;
};

/* The events to open, and the feed that receives their records. All pointers are borrowed. */
struct perf_cpu_plan {
	struct perf_open *open;
	struct perf_ids *ids;
	struct perf_feed *feed;
	const pid_t *tids; /* threads; or one element -1: all tasks */
	size_t nr_tids;
};

/*
 * Opens side-band events (enabled), sampled events and switch events (both disabled), and maps
 * their rings. Returns 0 or -errno with diag. -ESRCH: all threads have ended; -ENODEV: the CPU is
 * offline. *no_memory: whether a ring could not be mapped because no (locked) memory was left.
 */
int perf_cpu_open(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, bool *no_memory,
		  struct diag *diag);
/* Closes all events and rings. The caller must have read the rings and the losses. */
void perf_cpu_close(struct perf_cpu *cpu, struct perf_feed *feed);

/* Starts or stops sampling on all events, even if some fail. Returns 0 or the first -errno. */
int perf_cpu_enable(const struct perf_cpu *cpu, bool enable);

/*
 * Sets the sampling frequency, divided by open->thinning, of all events that have a frequency.
 * Returns 0 or the first -errno, as perf_cpu_enable.
 */
int perf_cpu_set_rate(const struct perf_cpu *cpu, const struct perf_open *open);

enum perf_cpu_losses {
	PERF_CPU_LOSSES_IF_TIGHT, /* read the kernel's counts only if a ring was nearly full */
	PERF_CPU_LOSSES_READ,	  /* always read the counts */
};

/*
 * Feeds the contents of the rings. Reports the kernel's counts of lost samples to the feed, with
 * time now_ns; adds losses of other records to band_losses. Returns 0; -ENOMEM: a ring was not
 * read; -EBADMSG: a ring was damaged.
 */
int perf_cpu_read(struct perf_cpu *cpu, const struct perf_cpu_plan *plan,
		  enum perf_cpu_losses losses, uint64_t now_ns, struct perf_losses *band_losses);

#endif
