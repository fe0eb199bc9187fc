/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording that perf_file.h can read, with one event ("samples"), in the format for
 * pipes: head, features, then records in order of time. All functions return 0 or -EIO.
 */
#ifndef DAEMON_PERF_FILE_WRITE_H
#define DAEMON_PERF_FILE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PERF_FILE_NAME_BYTES	 16u /* maximum size of a thread's name, with NUL */
#define PERF_FILE_PATH_BYTES_MAX 4096u
#define PERF_FILE_NR_CHAIN_MAX	 4096u

/* The features that a recording may have, with their numbers in perf.data. */
enum perf_file_feature {
	PERF_FILE_HOSTNAME = 3,
	PERF_FILE_OSRELEASE = 4,
	PERF_FILE_ARCH = 6,
	PERF_FILE_NRCPUS = 7,
	PERF_FILE_EVENT_DESC = 12,
	PERF_FILE_CLOCK_DATA = 29
};

struct perf_file_writer {
	FILE *out;
	/* The record under construction. */
	_Alignas(8) uint8_t bytes[65536];
	size_t nr_bytes;
};

struct perf_file_mapping {
	uint64_t start, end, offset;
	char *path; /* at most PERF_FILE_PATH_BYTES_MAX bytes */
	bool is_kernel;
};

struct perf_file_sample {
	uint64_t ip, time_ns, period;
	int32_t pid, tid;
	uint32_t cpu;
	bool in_kernel;
	/* nr_chain is at most PERF_FILE_NR_CHAIN_MAX, which includes marks (PERF_CONTEXT_USER). */
	uint32_t nr_chain;
	const uint64_t *chain;
};

/* Writes the head. samples_hz: samples per second on each CPU; 0: not known. */
int perf_file_write_head(struct perf_file_writer *writer, uint64_t samples_hz);
int perf_file_write_feature(struct perf_file_writer *writer, enum perf_file_feature feature,
			    const void *bytes, size_t nr_bytes); /* at most 512 */
int perf_file_write_text(struct perf_file_writer *writer, enum perf_file_feature feature,
			 const char *text);

int perf_file_write_comm(struct perf_file_writer *writer, int32_t pid, int32_t tid,
			 const uint8_t *name, size_t nr_bytes, bool exec, uint64_t time_ns,
			 uint32_t cpu);
int perf_file_write_mapping(struct perf_file_writer *writer,
			    const struct perf_file_mapping *mapping, int32_t pid, uint64_t time_ns,
			    uint32_t cpu);
/* Writes the fork or exit of a task. type: PERF_RECORD_FORK or PERF_RECORD_EXIT. */
int perf_file_write_task(struct perf_file_writer *writer, uint32_t type, int32_t pid,
			 int32_t parent_pid, int32_t tid, int32_t parent_tid, uint64_t time_ns,
			 uint32_t cpu);
int perf_file_write_sample(struct perf_file_writer *writer, const struct perf_file_sample *sample);
/* Writes a mark which states that no later record is older than the records before the mark. */
int perf_file_write_round(struct perf_file_writer *writer);

#endif
