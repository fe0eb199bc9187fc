/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf source's part on one CPU: its events, and the rings that they
 * write to. One ring is for samples of all events, one for side-band, so
 * that a flood of samples cannot drop maps, and, where it is wanted, one for
 * switches from task to task, of which there may be more than of all else.
 *
 * Losses are read from the kernel's own counts (PERF_FORMAT_LOST), and only
 * when a ring can have been full since: a read interrupts the CPU it asks.
 */
#ifndef DAEMON_PERF_CPU_H
#define DAEMON_PERF_CPU_H

#include "daemon/perf/perf_feed.h"
#include "daemon/perf_source/perf_open.h"
#include "daemon/perf/perf_ring.h"

/* A sampled event of one task, or of all, on this CPU. */
struct perf_cpu_event {
	int fd;
	uint32_t event; /* index */
	uint64_t lost;	/* the kernel's count, as far as it was told to the feed */
};

/* A ring of records that are not samples, and the events that write to it. */
struct perf_cpu_band {
	struct perf_ring ring;
	uint32_t feed_ring; /* number in the feed */
	int *fds;
	size_t nr_fds;
	uint64_t lost;	  /* the kernel's count, as far as it was reported */
	uint64_t read_ns; /* begin of the last reading of its ring */
};

struct perf_cpu {
	unsigned int cpu;
	bool open;
	bool in_feed;		  /* has rings in the feed: they outlive a closing */
	struct perf_ring samples; /* closed where no event is sampled */
	uint32_t samples_ring;	  /* number in the feed */
	struct perf_cpu_event *events;
	size_t nr_events;
	struct perf_cpu_band side, switches; /* switches: closed where they are not wanted */
};

/* Records that are not samples, and that the kernel could not write. */
struct perf_band_losses {
	uint64_t nr;
	uint64_t from_ns; /* the earliest that the last ones can be; UINT64_MAX: none */
};

struct perf_losses {
	struct perf_band_losses side, switches;
};

/* What to open, and where records go. All borrowed. */
struct perf_cpu_plan {
	struct perf_open *open;
	struct perf_ids *ids;
	struct perf_feed *feed;
	const pid_t *tids; /* threads; one of -1: all tasks */
	size_t nr_tids;
};

/*
 * Open side-band events (recording at once), sampled ones and those of
 * switches (disabled), map the rings. 0 or -errno with diag: -ESRCH: all threads have ended;
 * -ENODEV: the CPU is not online; -EPERM from a ring: *no_memory is set.
 */
int perf_cpu_open(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, bool *no_memory,
		  struct diag *diag);
/* Close all. Drain and read losses before. */
void perf_cpu_close(struct perf_cpu *cpu, struct perf_feed *feed);

/* Begin or stop sampling. The first -errno; the other events are done all the same. */
int perf_cpu_enable(const struct perf_cpu *cpu, bool enable);

/* Give events with a frequency the period of open->thinning. The first -errno, as above. */
int perf_cpu_set_rate(const struct perf_cpu *cpu, const struct perf_open *open);

enum perf_cpu_losses {
	PERF_CPU_LOSSES_IF_TIGHT, /* when a ring was nearly full */
	PERF_CPU_LOSSES_READ,	  /* in any case */
};

/*
 * Feed what the rings hold. The kernel's counts of losses are told to the
 * feed at now_ns. Losses of other records are added to band_losses.
 * 0; -ENOMEM: a ring was left as it is; -EBADMSG: a ring was damaged.
 */
int perf_cpu_read(struct perf_cpu *cpu, const struct perf_cpu_plan *plan,
		  enum perf_cpu_losses losses, uint64_t now_ns, struct perf_losses *band_losses);

#endif
