// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/perf_file_write.h"

#include "daemon/import/perf_file.h"

#include <errno.h>
#include <string.h>

/* The header of a file written to a pipe. */
#define PIPE_MAGIC UINT64_C(0x32454c4946524550)
#define PIPE_BYTES 16

#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |                   \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

/* ---- bytes of records ---- */

static void put(struct perf_file_writer *writer, const void *bytes, size_t nr_bytes)
{
	memcpy(writer->bytes + writer->nr_bytes, bytes, nr_bytes);
	writer->nr_bytes += nr_bytes;
}

static void put_u32(struct perf_file_writer *writer, uint32_t number)
{
	put(writer, &number, sizeof(number));
}

static void put_u64(struct perf_file_writer *writer, uint64_t number)
{
	put(writer, &number, sizeof(number));
}

static void put_pair(struct perf_file_writer *writer, int32_t pid, int32_t tid)
{
	put_u32(writer, (uint32_t)pid);
	put_u32(writer, (uint32_t)tid);
}

/* Writes a text with its NUL, padded with zeros to a multiple of 8 bytes. */
static void put_padded(struct perf_file_writer *writer, const void *text, size_t nr_bytes)
{
	static const uint8_t zeros[8];

	put(writer, text, nr_bytes);
	put(writer, zeros, 8 - writer->nr_bytes % 8);
}

static void begin_record(struct perf_file_writer *writer)
{
	writer->nr_bytes = sizeof(struct perf_event_header);
}

static int end_record(struct perf_file_writer *writer, uint32_t type, unsigned int misc)
{
	const struct perf_event_header header = {
		.type = type, .misc = (uint16_t)misc, .size = (uint16_t)writer->nr_bytes};

	memcpy(writer->bytes, &header, sizeof(header));
	return fwrite(writer->bytes, 1, writer->nr_bytes, writer->out) == writer->nr_bytes ? 0
											   : -EIO;
}

/*
 * Ends a record that is not a sample. First appends the trailer: those fields of SAMPLE_TYPE that
 * all records have.
 */
static int end_side_record(struct perf_file_writer *writer, uint32_t type, unsigned int misc,
			   int32_t pid, int32_t tid, uint64_t time_ns, uint32_t cpu)
{
	put_pair(writer, pid, tid);
	put_u64(writer, time_ns);
	put_u32(writer, cpu);
	put_u32(writer, 0);
	return end_record(writer, type, misc);
}

int perf_file_write_feature(struct perf_file_writer *writer, enum perf_file_feature feature,
			    const void *bytes, size_t nr_bytes)
{
	begin_record(writer);
	put_u64(writer, feature);
	put_padded(writer, bytes, nr_bytes);
	return end_record(writer, PERF_FILE_HEADER_FEATURE, 0);
}

int perf_file_write_text(struct perf_file_writer *writer, enum perf_file_feature feature,
			 const char *text)
{
	uint8_t bytes[512];
	const size_t nr_all = strlen(text);
	const size_t nr = nr_all < sizeof(bytes) - 8 ? nr_all : sizeof(bytes) - 8;
	const uint32_t nr_text = (uint32_t)nr;

	memcpy(bytes, &nr_text, sizeof(nr_text));
	memcpy(bytes + sizeof(nr_text), text, nr);
	return perf_file_write_feature(writer, feature, bytes, sizeof(nr_text) + nr);
}

static int write_event(struct perf_file_writer *writer, uint64_t samples_hz)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
					     .size = sizeof(attr),
					     .config = PERF_COUNT_HW_CPU_CYCLES,
					     .freq = 1,
					     .sample_freq = samples_hz ? samples_hz : 1,
					     .sample_type = SAMPLE_TYPE,
					     .sample_id_all = 1};
	static const char name[] = "samples";
	static const uint32_t words[] = {1, sizeof(attr), 0, sizeof(name)};
	uint8_t bytes[sizeof(words) + sizeof(attr) + sizeof(name)];
	int error;

	begin_record(writer);
	put(writer, &attr, sizeof(attr));
	error = end_record(writer, PERF_FILE_HEADER_ATTR, 0);
	memcpy(bytes, words, 8); /* number of events, bytes of an attr */
	memcpy(bytes + 8, &attr, sizeof(attr));
	memcpy(bytes + 8 + sizeof(attr), words + 2, 8); /* number of ids, bytes of the name */
	memcpy(bytes + 16 + sizeof(attr), name, sizeof(name));
	return error ? error
		     : perf_file_write_feature(writer, PERF_FILE_EVENT_DESC, bytes,
					       16 + sizeof(attr) + sizeof(name));
}

int perf_file_write_comm(struct perf_file_writer *writer, int32_t pid, int32_t tid,
			 const uint8_t *name, size_t nr_bytes, bool exec, uint64_t time_ns,
			 uint32_t cpu)
{
	begin_record(writer);
	put_pair(writer, pid, tid);
	put_padded(writer, name,
		   nr_bytes < PERF_FILE_NAME_BYTES ? nr_bytes : PERF_FILE_NAME_BYTES - 1);
	return end_side_record(writer, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, pid,
			       tid, time_ns, cpu);
}

int perf_file_write_mapping(struct perf_file_writer *writer,
			    const struct perf_file_mapping *mapping, int32_t pid, uint64_t time_ns,
			    uint32_t cpu)
{
	const size_t nr_path = strlen(mapping->path);

	begin_record(writer);
	put_pair(writer, pid, pid);
	put_u64(writer, mapping->start);
	put_u64(writer, mapping->end - mapping->start);
	put_u64(writer, mapping->offset);
	put_padded(writer, mapping->path, nr_path);
	return end_side_record(writer, PERF_RECORD_MMAP,
			       mapping->is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
			       pid, pid, time_ns, cpu);
}

/* A FORK or EXIT record has pid, parent pid, tid, parent tid, and then the time. */
int perf_file_write_task(struct perf_file_writer *writer, uint32_t type, int32_t pid,
			 int32_t parent_pid, int32_t tid, int32_t parent_tid, uint64_t time_ns,
			 uint32_t cpu)
{
	begin_record(writer);
	put_pair(writer, pid, parent_pid);
	put_pair(writer, tid, parent_tid);
	put_u64(writer, time_ns);
	return end_side_record(writer, type, 0, parent_pid, parent_tid, time_ns, cpu);
}

int perf_file_write_head(struct perf_file_writer *writer, uint64_t samples_hz)
{
	static const uint64_t words[2] = {PIPE_MAGIC, PIPE_BYTES};

	return fwrite(words, 1, sizeof(words), writer->out) == sizeof(words)
		       ? write_event(writer, samples_hz)
		       : -EIO;
}

int perf_file_write_sample(struct perf_file_writer *writer, const struct perf_file_sample *sample)
{
	begin_record(writer);
	put_u64(writer, sample->ip);
	put_pair(writer, sample->pid, sample->tid);
	put_u64(writer, sample->time_ns);
	put_u32(writer, sample->cpu);
	put_u32(writer, 0);
	put_u64(writer, sample->period);
	put_u64(writer, sample->nr_chain);
	put(writer, sample->chain, sample->nr_chain * sizeof(sample->chain[0]));
	return end_record(writer, PERF_RECORD_SAMPLE,
			  sample->in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
}

int perf_file_write_round(struct perf_file_writer *writer)
{
	begin_record(writer);
	return end_record(writer, PERF_FILE_FINISHED_ROUND, 0);
}
