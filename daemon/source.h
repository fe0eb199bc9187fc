/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source produces records (oprof/record.h) of events on the machine. The daemon has one source
 * and uses it only through this interface.
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

/* The way to find the callers of user code. */
enum source_unwind {
	SOURCE_UNWIND_AUTO,   /* the best method that the source supports */
	SOURCE_UNWIND_FP,     /* by frame pointers */
	SOURCE_UNWIND_TABLES, /* with unwind tables of binaries (unwind/) and copies of stacks */
};

enum source_target {
	SOURCE_SYSTEM, /* all tasks on all CPUs */
	SOURCE_TASKS,  /* the given processes, with all their threads and children */
};

struct source_config {
	const struct event_choice *events; /* records refer to an event by its index */
	size_t nr_events;
	enum source_target target;
	const pid_t *pids; /* SOURCE_TASKS */
	size_t nr_pids;
	/* Sampling begins when one of pids calls exec (for the operf command). */
	bool enable_on_exec;
	/* Data pages of each CPU's sample ring, a power of two; 0: the source chooses. */
	unsigned int sample_pages;
	unsigned int side_pages;  /* data pages of each CPU's side-band ring */
	unsigned int chain_depth; /* maximum number of frames in a call chain; 0: no call chains */
	enum source_unwind unwind;
	unsigned int stack_bytes; /* size of each copy of a stack; 0: the source chooses */
	/*
	 * Folder of code tables (unwind/code_table.h), with files <identity>.code. It is created if
	 * it does not exist. NULL: the tables exist only as long as the source.
	 */
	const char *code_path;
	bool want_cgroup;   /* fill in TASK.cgroup (8 more bytes in each sample) */
	bool want_switches; /* write SWITCH records, for off-CPU time */
	/* Buffer sizes of the kernel module, in samples (doc/kmod.md); 0: the module's defaults. */
	uint64_t buffer_size, buffer_watershed, cpu_buffer_size;
	/*
	 * Limit of the total size of symbols that are kept in the session; 0: the source chooses.
	 */
	uint64_t keep_bytes_max;
};

/*
 * A binary image, to which records refer by its cookie. The source owns it. It exists until the
 * RELEASE record of its cookie, or until the source is closed.
 */
struct image {
	uint32_t cookie;
	enum oprof_image_kind kind;
	/* path of a file in the source's mount namespace; a name if the image is not a file */
	char *path;
	struct oprof_image_identity identity;
	pid_t tgid;	     /* for anonymous regions */
	uint64_t start, end; /* addresses of anonymous regions, the kernel and modules */
};

/* Receives the records. record points to a whole record, which is valid only during the call. */
struct record_sink {
	void (*record)(struct record_sink *sink, const struct oprof_record *record);
};

enum source_drain {
	/* Delivers the records whose order is certain; later drains deliver the others. */
	SOURCE_DRAIN_PERIODIC,
	/* Delivers all records written before the call (for a dump and at the end). */
	SOURCE_DRAIN_ALL,
};

/* A statement about all samples of a run, for reports. Both strings are constants. */
struct source_note {
	const char *name; /* one word, to be read by programs */
	const char *text; /* one line, to be read by people */
};

#define SOURCE_NOTES_MAX 8

/*
 * A counter of the source, for status and meta/stats. Counters only increase. A session adds their
 * increases since its beginning, so a value that describes a state must be a note instead. If a
 * name begins with "lost_", the rest must name a value of enum oprof_lost.
 */
struct source_counter {
	const char *name;
	uint64_t value;
};

#define SOURCE_UNREAD_ALL ((uid_t)-1)

/*
 * A running process that could not be read in time, or a user whose processes are not read for a
 * while: some samples of these processes are lost_unread.
 */
struct source_unread {
	int32_t pid;   /* 0: all processes of the user */
	uid_t uid;     /* with pid 0, SOURCE_UNREAD_ALL stands for all users except root */
	char name[64]; /* without control characters */
};

/*
 * The machine that was sampled, if it is not the machine on which the daemon runs. The source owns
 * the strings; NULL: not known.
 */
struct source_machine {
	const char *host, *cpu;
};

/*
 * The base of every kind of source. It is the first member of each kind's struct, so that the
 * functions in source_ops can cast the pointer to that struct. open() fills it in.
 */
struct source {
	const struct source_ops *ops;
	const char *name; /* "perf", "kmod", "perf.data", "trace" */
};

struct source_ops {
	/*
	 * Opens everything and scans the processes that already run, but does not sample yet.
	 * Returns 0 or -errno; for -EACCES and -EPERM, diag contains the remedy as a command.
	 */
	int (*open)(struct source **source, const struct source_config *config,
		    struct record_sink *sink, struct diag *diag);
	void (*close)(struct source *source); /* call after the last drain; source may be NULL */

	int (*start)(struct source *source); /* starts or continues sampling */
	int (*stop)(struct source *source);

	/* Returns an epoll descriptor, which is readable when a drain is due. */
	int (*poll_fd)(const struct source *source);

	/*
	 * Passes the available records to the sink. source_ops.seen counts a record only after it
	 * was passed to the sink or counted as lost.
	 */
	int (*drain)(struct source *source, enum source_drain how);

	/*
	 * To be called often during long work between drains: copies new data from the kernel's
	 * rings into memory, so that the rings do not overflow, but passes no records to the sink.
	 * Frequent calls are fast. NULL member: there is nothing to read.
	 */
	void (*read)(struct source *source);

	/*
	 * For SOURCE_TASKS: returns whether all targets have ended, so that no more records will
	 * come.
	 */
	bool (*ended)(const struct source *source);

	/*
	 * Returns the number of sample records that were read, plus the number of those that the
	 * kernel could not write, as counted by the kernel.
	 */
	uint64_t (*seen)(const struct source *source);

	/* Returns NULL for OPROF_IMAGE_NONE and unknown cookies. */
	const struct image *(*image)(const struct source *source, uint32_t cookie);

	/*
	 * Returns the path of the cgroup with this id, below the cgroup root ("/system.slice/x"),
	 * or NULL.
	 */
	const char *(*cgroup_path)(const struct source *source, uint64_t cgroup);

	/*
	 * Writes data of all images that records have named and that were not written before. The
	 * symbols of the kernel and its modules are written to symbols/<identity> in the folder
	 * meta_path (doc/session.md), the bytes of the vdso to images/<identity>.
	 */
	int (*save_symbols)(struct source *source, const char *meta_path);

	/*
	 * Returns the name of a function in an image of kind OPROF_IMAGE_CODE or OPROF_IMAGE_BPF,
	 * by the offset of its samples; NULL: not known. The string does not change until the image
	 * is released. Offset 0 stands for all names for which there was no room. NULL member: the
	 * source has no such images.
	 */
	const char *(*code_name)(const struct source *source, uint32_t cookie, uint64_t offset);

	/*
	 * Thins samples from now on: takes 1/thinning of the samples of each event with a
	 * frequency; 1: all samples. The caller must first drain earlier samples; at most the
	 * samples of one round may remain. The period of a clock event is exactly the original
	 * period multiplied by thinning. The weight of a sample is the period with which it was
	 * taken. Returns 0 or -errno; after an error nothing has changed. NULL member: -EOPNOTSUPP.
	 */
	int (*set_thinning)(struct source *source, unsigned int thinning);

	/*
	 * Returns the offset of the first byte of the function that contains offset in an image,
	 * from the image's code table; UINT64_MAX: the function is not known, or not yet. NULL
	 * member: functions are never known.
	 */
	uint64_t (*function)(const struct source *source, uint32_t cookie, uint64_t offset);

	/* Describes the machine that was sampled. NULL member: this machine was sampled. */
	void (*machine)(const struct source *source, struct source_machine *machine);

	/* Fills notes[room] with the notes that apply after open. Returns their number. */
	size_t (*notes)(const struct source *source, struct source_note *notes, size_t room);

	/*
	 * Fills list[room] with the users whose processes are not read now, and with the latest
	 * processes that could not be read in time. Returns the number of entries filled.
	 * *nr_late: reads that missed their deadline since open. NULL member: every process can be
	 * read.
	 */
	size_t (*unread)(const struct source *source, struct source_unread *list, size_t room,
			 uint64_t *nr_late);

	/*
	 * Returns the processor time of the source's child processes that were not waited for. NULL
	 * member: the source has no child processes.
	 */
	uint64_t (*children_cpu_ns)(const struct source *source);

	/* Fills counters[room]. Returns the number of counters, even if it is larger than room. */
	size_t (*counters)(const struct source *source, struct source_counter *counters,
			   size_t room);
};

extern const struct source_ops source_kmod;
extern const struct source_ops source_perf;

#endif
