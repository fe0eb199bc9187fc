// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/tracer_internal.h"

#include "daemon/trace/trace_place.h"
#include "lib/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>

#define SUB_BUFFER_BYTES (256u << 10)
#define NR_SUB_BUFFERS	 64u

/* ---- opening, closing ---- */

struct trace_memory tracer_memory(const struct tracer_config *config)
{
	return (struct trace_memory){.is_flight = !config->folder,
				     .sub_buffer_bytes = config->sub_buffer_bytes,
				     .nr_sub_buffers = config->nr_sub_buffers};
}

static void choose_sizes(struct tracer_config *config)
{
	if (config->nr_sub_buffers || config->sub_buffer_bytes)
		return;
	config->nr_sub_buffers = config->folder ? NR_SUB_BUFFERS : TRACER_FLIGHT_NR_SUB_BUFFERS;
	config->sub_buffer_bytes =
		config->folder ? SUB_BUFFER_BYTES : TRACER_FLIGHT_SUB_BUFFER_BYTES;
}

static int open_kind(struct tracer **tracer, const struct tracer_ops *ops,
		     const struct tracer_config *config, struct diag *diag)
{
	struct tracer *made = calloc(1, ops->nr_bytes);
	int error;

	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory for a trace");
	made->ops = ops;
	made->config = *config;
	error = ops->open(made, diag);
	if (error)
		tracer_discard(made);
	else
		*tracer = made;
	return error;
}

/*
 * Opens the tracer that uses the module, unless perf was requested. Returns -ENOENT if the caller
 * must use perf.
 */
static int open_kmod(struct tracer **tracer, const struct tracer_config *config, struct diag *diag)
{
	int error = -ENOENT;

	if (config->source != TRACER_PERF)
		error = open_kind(tracer, &trace_kmod_ops, config, diag);
	if (config->source == TRACER_MODULE)
		return error == -ENOENT ? -ENODEV : error;
	return error == -EOPNOTSUPP || error == -EPERM || error == -EACCES ? -ENOENT : error;
}

int tracer_open(struct tracer **tracer, const struct tracer_config *config, struct diag *diag)
{
	struct tracer_config sized = *config;
	struct trace_memory memory;
	int error;

	*tracer = NULL;
	choose_sizes(&sized);
	memory = tracer_memory(&sized);
	error = trace_memory_check(&memory, diag);
	if (!error)
		error = open_kmod(tracer, &sized, diag);
	return error == -ENOENT ? open_kind(tracer, &tracer_perf_ops, &sized, diag) : error;
}

int tracer_describe(struct tracer *tracer, struct diag *diag)
{
	struct ctf_trace *trace = &tracer->trace;

	if (getrandom(trace->uuid, sizeof(trace->uuid), 0) != (ssize_t)sizeof(trace->uuid))
		return diag_set(diag, -EIO, "cannot get a random number for the trace's identity");
	trace_describe_machine(&tracer->machine, tracer->config.choice->samples_hz);
	tracer->stream = TRACER_STREAM;
	trace->streams = &tracer->stream;
	trace->nr_streams = 1;
	trace->envs = tracer->machine.envs;
	trace->nr_envs = tracer->machine.nr_envs;
	return 0;
}

bool tracer_is_cancelled(const struct tracer *tracer)
{
	return tracer->config.is_cancelled && tracer->config.is_cancelled();
}

static int tell_cancelled(struct diag *diag)
{
	return diag_set(diag, -ECANCELED, "a signal ended the tracer before tracing began");
}

int tracer_open_folder(struct tracer *tracer, struct diag *diag)
{
	const struct tracer_config *config = &tracer->config;
	int error = 0;

	if (!config->folder)
		return 0;
	if (tracer_is_cancelled(tracer))
		return tell_cancelled(diag);
	if (config->keep_old)
		error = trace_place_make_way(config->folder, &tracer->has_old, diag);
	return error ? error
		     : trace_chunks_open(&tracer->chunks, &tracer->writer, &config->chunks,
					 config->folder, &tracer->trace, clock_monotonic_ns(),
					 diag);
}

int tracer_close(struct tracer *tracer, struct diag *diag)
{
	int error;

	if (!tracer)
		return 0;
	error = ctf_writer_close(tracer->writer, diag);
	trace_chunks_end(&tracer->chunks);
	trace_mappings_close(tracer->mappings);
	tracer->ops->close(tracer);
	free(tracer);
	return error;
}

void tracer_discard(struct tracer *tracer)
{
	const char *folder;

	if (!tracer)
		return;
	folder = tracer->has_old ? tracer->config.folder : NULL;
	/* The folder is still locked while its contents are removed. */
	if (tracer->writer)
		ctf_writer_discard(tracer->writer);
	tracer->writer = NULL;
	tracer->chunks.writer = NULL;
	(void)tracer_close(tracer, NULL);
	if (folder)
		trace_place_give_back(folder);
}

/* ---- recording ---- */

int tracer_start(struct tracer *tracer, struct diag *diag)
{
	const int error = tracer->ops->start(tracer, diag);
	const bool is_cancelled = tracer_is_cancelled(tracer);

	tracer->config.is_cancelled = NULL;
	return is_cancelled ? tell_cancelled(diag) : error;
}

int tracer_round(struct tracer *tracer, struct diag *diag)
{
	return tracer->ops->round(tracer, diag);
}

int tracer_poll_fd(const struct tracer *tracer)
{
	return tracer->ops->poll_fd(tracer);
}

void tracer_note_cause(struct tracer *tracer, const char *cause)
{
	tracer->cause = tracer->cause ? tracer->cause : cause;
}

const char *tracer_take_cause(struct tracer *tracer)
{
	const char *cause = tracer->cause;

	tracer->cause = NULL;
	return cause;
}

int tracer_stop(struct tracer *tracer, struct diag *diag)
{
	return tracer->ops->stop(tracer, diag);
}

int tracer_follow_cpus(struct tracer *tracer, struct diag *diag)
{
	return tracer->ops->follow_cpus(tracer, diag);
}

int tracer_flush(struct tracer *tracer, struct diag *diag)
{
	return tracer->ops->flush(tracer, diag);
}

/* Adds to the error message how many events the folder of a failed snapshot contains. */
static void tell_part(const struct tracer_snapshot *taken, struct diag *diag)
{
	(void)diag_set_at(diag, 0, diag->file, diag->line,
			  "%s; the folder contains %" PRIu64 " of the %" PRIu64
			  " events that were taken from memory (%" PRIu64 " lost, %" PRIu64
			  " packets overwritten)",
			  diag->text, taken->nr_records, taken->nr_records + taken->nr_unwritten,
			  taken->lost, taken->overwritten);
}

int tracer_snapshot(struct tracer *tracer, const char *folder, struct tracer_snapshot *taken,
		    struct diag *diag)
{
	struct ctf_writer *writer;
	struct ctf_writer_counts written;
	int error = ctf_writer_open(&writer, folder, &tracer->trace, diag);
	struct diag why;
	int closed;

	*taken = (struct tracer_snapshot){0};
	if (error)
		return error;
	error = tracer->ops->snapshot(tracer, writer, taken, diag);
	written = ctf_writer_counts(writer);
	taken->nr_packets = written.nr_packets;
	taken->nr_bytes = written.nr_bytes;
	if (taken->nr_records > written.nr_records)
		taken->nr_unwritten = taken->nr_records - written.nr_records;
	taken->nr_records = written.nr_records;
	if (error && !written.nr_packets) {
		ctf_writer_discard(writer);
		return error;
	}
	closed = ctf_writer_close(writer, &why);
	/* If closing failed, the contents of the folder are unknown. */
	if (error && !closed)
		tell_part(taken, diag);
	error = diag_first(error, closed, &why, diag);
	taken->is_part = error;
	return error;
}

void tracer_lend(struct tracer *tracer, bool lends)
{
	if (tracer->ops->lend)
		tracer->ops->lend(tracer, lends);
}

/* ---- what is reported ---- */

struct tracer_held tracer_held(struct tracer *tracer)
{
	return tracer->ops->held(tracer);
}

struct tracer_sizes tracer_sizes(const struct tracer *tracer)
{
	return (struct tracer_sizes){.sub_buffer_bytes = tracer->config.sub_buffer_bytes,
				     .nr_sub_buffers = tracer->config.nr_sub_buffers,
				     .nr_cpus = tracer->ops->nr_cpus(tracer)};
}

unsigned int tracer_nr_events(const struct tracer *tracer)
{
	return tracer->ops->nr_events(tracer);
}

struct tracer_counts tracer_counts(const struct tracer *tracer)
{
	const struct trace_mappings_counts mapped = trace_mappings_counts(tracer->mappings);
	struct tracer_counts counts = tracer->ops->counts(tracer);
	struct ctf_writer_counts written = {0};

	if (tracer->writer)
		written = ctf_writer_counts(tracer->writer);
	counts.nr_records += mapped.nr_records - written.lost_unwritten_records;
	counts.nr_state = tracer->nr_state;
	counts.nr_late += mapped.nr_late;
	counts.lost_kernel += mapped.lost;
	counts.forgotten = mapped.forgotten;
	counts.ring_errors += mapped.ring_errors;
	counts.lost_disk = written.lost_unwritten_records;
	counts.packet_errors = written.lost_refused_packets;
	counts.chunks_failed = tracer->chunks.nr_failed;
	counts.nr_packets = written.nr_packets;
	counts.nr_bytes = written.nr_bytes;
	if (tracer->config.trigger)
		counts.unjudged += trace_trigger_lost(tracer->config.trigger);
	return counts;
}
