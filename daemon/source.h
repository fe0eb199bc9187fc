/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source turns the machine into records (oprof/record.h). The daemon holds
 * one and knows it only by this interface.
 */
#ifndef DAEMON_SOURCE_H
#define DAEMON_SOURCE_H

#include "events/events.h"
#include "lib/diag.h"
#include "oprof/record.h"
#include "oprof/sample_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SOURCE_EVENTS_MAX 32

/* How call chains of user code are obtained. */
enum source_unwind {
	SOURCE_UNWIND_AUTO,   /* the best that the source can */
	SOURCE_UNWIND_FP,     /* by frame pointers */
	SOURCE_UNWIND_TABLES, /* by the unwind tables of binaries (unwind/), from a copy of the
				 stack */
};

enum source_target {
	SOURCE_SYSTEM, /* all tasks on all CPUs */
	SOURCE_TASKS,  /* the given processes: all their threads, and their children */
};

struct source_config {
	const struct event_choice *events; /* index is the records' event field */
	size_t nr_events;
	enum source_target target;
	const pid_t *pids; /* SOURCE_TASKS */
	size_t nr_pids;
	bool enable_on_exec; /* sampling begins when a pid execs (operf command) */
	/* Data pages of a CPU's sample ring, a power of two; 0: the source's choice. */
	unsigned int sample_pages;
	unsigned int side_pages;  /* of its side-band ring */
	unsigned int chain_depth; /* 0: no call chains */
	enum source_unwind unwind;
	unsigned int stack_bytes; /* of each copy of a stack; 0: the source's choice */
	/*
	 * Folder of code tables (unwind/code_table.h), made when it is missing: <identity>.code.
	 * NULL: they live as long as the source.
	 */
	const char *code_path;
	bool want_cgroup;   /* fill TASK.cgroup (costs 8 bytes a sample) */
	bool want_switches; /* SWITCH records, for off-CPU time */
	/* Of the kernel module, in samples (doc/kmod.md); 0: its defaults. */
	uint64_t buffer_size, buffer_watershed, cpu_buffer_size;
	uint64_t keep_bytes_max; /* of binaries' symbols kept in the session; 0: the source's choice
				  */
};

/* A binary image behind a cookie. Owned by the source, lives as long as it, or until RELEASE. */
struct image {
	uint32_t cookie;
	enum oprof_image_kind kind;
	char *path; /* file: path in the source's mount namespace; else a name */
	struct oprof_image_identity identity;
	pid_t tgid;	     /* anonymous regions */
	uint64_t start, end; /* anonymous regions, kernel, modules: addresses */
};

/* Where records go. record points at a whole record; valid during the call. */
struct record_sink {
	void (*record)(struct record_sink *sink, const struct oprof_record *record);
};

enum source_drain {
	SOURCE_DRAIN_PERIODIC, /* what is certain to be in order; the rest next time */
	SOURCE_DRAIN_ALL,      /* everything written before the call (dump, end) */
};

/* What reports have to say of all samples of a run. Both are constants. */
struct source_note {
	const char *name; /* a word, by which programs know it */
	const char *text; /* a line for people */
};

#define SOURCE_NOTES_MAX 8

/*
 * Counters of the source, by name, for status and meta/stats. They only grow,
 * and what they are when a session begins is not the session's: a state is a
 * note. Names that begin with "lost_" are those of enum oprof_lost.
 */
struct source_counter {
	const char *name;
	uint64_t value;
};

/* The machine that was sampled, where it is not this one. Strings are the source's; NULL: not
 * known. */
struct source_machine {
	const char *host, *cpu;
};

/*
 * The base of every kind of source. Each kind embeds it as its first member, so that what its
 * source_ops are given is the kind's own struct. open() fills it in.
 */
struct source {
	const struct source_ops *ops;
	const char *name; /* "perf", "kmod", "perf.data", "trace" */
};

struct source_ops {
	/*
	 * Open everything, scan what runs already; do not sample yet. -EACCES
	 * and -EPERM: diag has the remedy as a command. 0 or -errno.
	 */
	int (*open)(struct source **source, const struct source_config *config,
		    struct record_sink *sink, struct diag *diag);
	void (*close)(struct source *source); /* after a last drain; NULL is fine */

	int (*start)(struct source *source); /* begin, go on sampling */
	int (*stop)(struct source *source);

	/* One descriptor to poll (an epoll set): readable when a drain is due. */
	int (*poll_fd)(const struct source *source);

	/*
	 * Hand the sink what has come. Its records count into seen by
	 * source_ops.seen only once they were handed over or counted lost.
	 */
	int (*drain)(struct source *source, enum source_drain how);

	/*
	 * Take into memory what has come, so that the kernel's rings do not overflow, and hand
	 * nothing over: for work between drains that may take long. Cheap when called often. NULL
	 * member: nothing to read.
	 */
	void (*read)(struct source *source);

	/* All targets have ended (SOURCE_TASKS): nothing more will come. */
	bool (*ended)(const struct source *source);

	/* Sample records read + the kernel's count of those it could not write. */
	uint64_t (*seen)(const struct source *source);

	/* NULL for OPROF_IMAGE_NONE and unknown cookies. */
	const struct image *(*image)(const struct source *source, uint32_t cookie);

	/* Path of a cgroup id below the cgroup root ("/system.slice/x"), or NULL. */
	const char *(*cgroup_path)(const struct source *source, uint64_t cgroup);

	/*
	 * Write symbols of the kernel and its modules (meta/symbols/<identity>:
	 * doc/session.md) and the bytes of the vdso (meta/images/<identity>)
	 * for the images named so far and not yet written, below meta_path.
	 */
	int (*save_symbols)(struct source *source, const char *meta_path);

	/*
	 * Name of a function of an image of kind OPROF_IMAGE_CODE, by the offset that
	 * samples have there; NULL: no such. Constant while the image is not released. Offset 0
	 * stands for all names that there was no room for. NULL member: never any.
	 */
	const char *(*code_name)(const struct source *source, uint32_t cookie, uint64_t offset);

	/*
	 * From now on take one of thinning samples of each event with a frequency; 1: all. What
	 * was taken before must have been drained but for a round's. Periods of clocks become
	 * thinning times as long, exactly; each sample's weight is its own period. NULL member:
	 * -EOPNOTSUPP. 0 or -errno: as before.
	 */
	int (*set_thinning)(struct source *source, unsigned int thinning);

	/*
	 * The first byte of the function that holds offset of an image, as far as a code table
	 * tells it; UINT64_MAX: not known (yet). NULL member: never.
	 */
	uint64_t (*function)(const struct source *source, uint32_t cookie, uint64_t offset);

	/* NULL member: it is this machine. */
	void (*machine)(const struct source *source, struct source_machine *machine);

	/* Fill notes[room] with what is so once it is open; the number there are. */
	size_t (*notes)(const struct source *source, struct source_note *notes, size_t room);

	/* Fill counters[room]; the number there are. */
	size_t (*counters)(const struct source *source, struct source_counter *counters,
			   size_t room);
};

extern const struct source_ops source_kmod;
extern const struct source_ops source_perf;

#endif
