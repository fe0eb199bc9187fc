// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace_chunks.h"

#include "ctf/chunk.h"
#include "ctf/packed.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/number.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define SECONDS_MAX   UINT64_C(100000000)
#define LOWEST	      19 /* priority */
#define END_STEP_NS   10000000
#define NR_END_STEPS  2000u	 /* who runs the daemon waits longer */
#define REMOVED	      ".removed" /* what a chunk is called until it is gone */

/* ---- configuration ---- */

static bool has_unit(const char *text)
{
	const size_t nr = strlen(text);

	return nr && strchr("KMG", text[nr - 1]);
}

static int parse_one(const char *text, struct trace_chunks_config *config)
{
	uint64_t *value = has_unit(text) ? &config->max_bytes : &config->max_seconds;

	if (*value) /* twice */
		return -EINVAL;
	if (has_unit(text) ? number_parse_bytes(text, value)
			   : number_parse(text, SECONDS_MAX, value))
		return -EINVAL;
	return *value ? 0 : -EINVAL;
}

int trace_chunks_parse(const char *text, struct trace_chunks_config *config, struct diag *diag)
{
	struct trace_chunks_config parsed = *config;
	const char *comma = strchrnul(text, ',');
	char *first = strndup(text, (size_t)(comma - text));
	int error;

	if (!first)
		return diag_set(diag, -ENOMEM, "no memory for an option");
	parsed.max_bytes = parsed.max_seconds = 0;
	error = parse_one(first, &parsed);
	if (!error && *comma)
		error = parse_one(comma + 1, &parsed);
	free(first);
	if (error)
		return diag_set(diag, -EINVAL,
				"--rotate=%s: give a size with K, M or G (100M), a number of "
				"seconds (60), or both with a comma between (100M,60)",
				text);
	*config = parsed;
	return 0;
}

int trace_chunks_check(const struct trace_chunks_config *config, struct diag *diag)
{
	if (!trace_chunks_wanted(config) && (config->nr_keep || config->compress))
		return diag_set(diag, -EINVAL,
				"--keep and --compress are of a trace in chunks: add --rotate");
	if (config->nr_keep && config->nr_keep < TRACE_CHUNKS_KEEP_MIN)
		return diag_set(diag, -EINVAL,
				"--keep=%u: at least %u, the one being written and the one before",
				config->nr_keep, TRACE_CHUNKS_KEEP_MIN);
	return 0;
}

/* ---- the next ---- */

void trace_chunks_init(struct trace_chunks *chunks, const struct trace_chunks_config *config,
		       const char *folder, struct ctf_writer *writer, uint64_t now_ns)
{
	*chunks = (struct trace_chunks){.config = *config,
					.folder = folder,
					.writer = writer,
					.begin_ns = now_ns,
					.written = 1,
					.first = 1,
					.next_done = 1};
}

int trace_chunks_open(struct trace_chunks *chunks, struct ctf_writer **writer,
		      const struct trace_chunks_config *config, const char *folder,
		      const struct ctf_trace *trace, uint64_t now_ns, struct diag *diag)
{
	int error;

	if (!trace_chunks_wanted(config))
		return ctf_writer_open(writer, folder, trace, diag);
	error = ctf_writer_open_chunks(writer, folder, trace, diag);
	if (!error)
		trace_chunks_init(chunks, config, folder, *writer, now_ns);
	return error;
}

bool trace_chunks_are_due(const struct trace_chunks *chunks, uint64_t now_ns)
{
	const struct trace_chunks_config *config = &chunks->config;

	if (!chunks->writer || now_ns < chunks->retry_ns)
		return false;
	if (config->max_bytes &&
	    ctf_writer_counts(chunks->writer).nr_chunk_bytes >= config->max_bytes)
		return true;
	return config->max_seconds &&
	       now_ns - chunks->begin_ns >= config->max_seconds * NS_PER_SECOND;
}

int trace_chunks_next(struct trace_chunks *chunks, uint64_t now_ns, struct diag *diag)
{
	int error = ctf_writer_next_chunk(chunks->writer, diag);

	if (error) {
		chunks->retry_ns = now_ns + NS_PER_SECOND;
		return error;
	}
	chunks->begin_ns = now_ns;
	chunks->written++;
	return 0;
}

/* ---- those before: in the child ---- */

/* Not under its name: a reader sees it whole, or not at all. */
static int remove_chunk(const struct trace_chunks *chunks, uint32_t number)
{
	char path[PATH_MAX], removed[PATH_MAX], name[CTF_CHUNK_NAME_BYTES];

	ctf_chunk_name(number, name);
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", chunks->folder, name) >= sizeof(path) ||
	    (size_t)snprintf(removed, sizeof(removed), "%s/.%s" REMOVED, chunks->folder, name) >=
		    sizeof(removed))
		return -ENAMETOOLONG;
	if (rename(path, removed) && errno != ENOENT)
		return -errno;
	return file_remove_tree(removed);
}

static int finish_chunk(const struct trace_chunks *chunks, uint32_t number)
{
	char path[PATH_MAX], name[CTF_CHUNK_NAME_BYTES];
	struct diag diag;
	int error;

	ctf_chunk_name(number, name);
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", chunks->folder, name) >= sizeof(path))
		return -ENAMETOOLONG;
	error = ctf_packed_make_all(path, chunks->config.compress, &diag);
	if (error)
		log_warning("%s", diag_show(&diag));
	return error;
}

static bool do_all(const struct trace_chunks *chunks)
{
	bool all = true;

	for (uint32_t i = chunks->first; i < chunks->to_first; i++)
		all &= !remove_chunk(chunks, i);
	for (uint32_t i = chunks->next_done; i < chunks->to_next_done; i++)
		if (i >= chunks->to_first)
			all &= !finish_chunk(chunks, i);
	return all;
}

/* Nothing of the daemon's is kept open by a child that outlives it: rings, the folder's lock. */
static void __attribute__((noreturn)) be_child(const struct trace_chunks *chunks)
{
	(void)close_range(STDERR_FILENO + 1, UINT_MAX, 0);
	(void)setpriority(PRIO_PROCESS, 0, LOWEST);
	_exit(do_all(chunks) ? 0 : 1);
}

/* ---- those before: the parent ---- */

/* Those to be removed, and those before end. Whether there is something to do. */
static bool begin_child(struct trace_chunks *chunks, uint32_t end)
{
	const uint32_t nr_keep = chunks->config.nr_keep;

	chunks->to_first = chunks->first;
	if (nr_keep && chunks->written >= chunks->first + nr_keep)
		chunks->to_first = chunks->written - nr_keep + 1;
	chunks->to_next_done = end;
	if (chunks->to_first == chunks->first && chunks->to_next_done == chunks->next_done)
		return false;
	chunks->pid = fork();
	if (!chunks->pid)
		be_child(chunks);
	if (chunks->pid < 0) /* the next look tries again */
		chunks->pid = 0;
	return true;
}

/* Whether none runs. */
static bool reap(struct trace_chunks *chunks)
{
	int status;

	if (!chunks->pid)
		return true;
	if (!waitpid(chunks->pid, &status, WNOHANG))
		return false;
	chunks->nr_failed += status != 0;
	chunks->first = chunks->to_first;
	chunks->next_done = chunks->to_next_done;
	chunks->pid = 0;
	return true;
}

void trace_chunks_tidy(struct trace_chunks *chunks)
{
	if (chunks->writer && reap(chunks))
		(void)begin_child(chunks, chunks->written);
}

void trace_chunks_end(struct trace_chunks *chunks)
{
	const struct timespec step = {.tv_nsec = END_STEP_NS};

	if (!chunks->writer)
		return;
	for (unsigned int i = 0; i < NR_END_STEPS; i++) {
		if (reap(chunks) && !begin_child(chunks, chunks->written + 1))
			break;
		(void)nanosleep(&step, NULL);
	}
	chunks->writer = NULL;
}
