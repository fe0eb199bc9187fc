// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_chunks.h"

#include "ctf/chunk.h"
#include "ctf/packed.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_MAX  UINT64_C(100000000)
#define LOWEST	     19 /* priority */
#define END_STEP_NS  10000000
#define NR_END_STEPS 2000u	/* 20 s; the command that runs the daemon waits longer than this */
#define REMOVED	     ".removed" /* suffix of the name of a chunk while it is removed */
#define NR_TRIES     3u
#define AGAIN_NS     (5 * NS_PER_SECOND)

/* ---- configuration ---- */

static bool has_unit(const char *text)
{
	const size_t nr = strlen(text);

	return nr && strchr("KMG", text[nr - 1]);
}

static int parse_one(const char *text, struct trace_chunks_config *config)
{
	uint64_t *value = has_unit(text) ? &config->max_bytes : &config->max_seconds;

	if (*value) /* given twice */
		return -EINVAL;
	if (has_unit(text) ? number_parse_bytes(text, value)
			   : number_parse_decimal(text, SECONDS_MAX, value))
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
		return diag_set(diag, -ENOMEM, "out of memory for an option");
	parsed.max_bytes = parsed.max_seconds = 0;
	error = parse_one(first, &parsed);
	if (!error && *comma)
		error = parse_one(comma + 1, &parsed);
	free(first);
	if (error)
		return diag_set(diag, -EINVAL,
				"--rotate=%s: give a size with K, M or G (100M), a number of "
				"seconds (60), or both, separated by a comma (100M,60)",
				text);
	*config = parsed;
	return 0;
}

int trace_chunks_check(const struct trace_chunks_config *config, struct diag *diag)
{
	if (!trace_chunks_wanted(config) && (config->nr_keep || config->compress))
		return diag_set(diag, -EINVAL,
				"--keep and --compress require a trace in chunks: add --rotate");
	if (config->nr_keep && config->nr_keep < TRACE_CHUNKS_KEEP_MIN)
		return diag_set(diag, -EINVAL,
				"--keep=%u: give at least %u (the current and the previous chunk)",
				config->nr_keep, TRACE_CHUNKS_KEEP_MIN);
	return 0;
}

/* ---- the next chunk ---- */

void trace_chunks_init(struct trace_chunks *chunks, const struct trace_chunks_config *config,
		       const char *folder, struct ctf_writer *writer, uint64_t now_ns)
{
	*chunks = (struct trace_chunks){.config = *config,
					.folder = folder,
					.folder_fd = ctf_writer_open_folder(writer),
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

bool trace_chunks_next(struct trace_chunks *chunks, uint64_t now_ns)
{
	struct diag diag;

	if (ctf_writer_next_chunk(chunks->writer, &diag)) {
		if (!chunks->retry_ns)
			log_warning("%s; the trace continues in chunk %u", diag_show(&diag),
				    chunks->written);
		chunks->retry_ns = now_ns + NS_PER_SECOND;
		chunks->wants_room = true;
		return false;
	}
	chunks->retry_ns = 0;
	chunks->begin_ns = now_ns;
	chunks->written++;
	return true;
}

/* ---- closed chunks: in the child ---- */

/*
 * The child's working directory is the trace's folder. Another user who replaces this folder can
 * therefore not make the child remove something elsewhere.
 *
 * Renames the chunk before removing it, so that a reader finds either the whole chunk or none.
 */
static int remove_chunk(uint32_t number)
{
	char removed[1 + CTF_CHUNK_NAME_BYTES + sizeof(REMOVED)], name[CTF_CHUNK_NAME_BYTES];

	ctf_chunk_name(number, name);
	(void)snprintf(removed, sizeof(removed), ".%s" REMOVED, name);
	if (rename(name, removed) && errno != ENOENT)
		return -errno;
	return file_remove_tree(removed);
}

static int finish_chunk(const struct trace_chunks *chunks, uint32_t number, struct diag *diag)
{
	char name[CTF_CHUNK_NAME_BYTES];
	struct diag why;
	int error;

	ctf_chunk_name(number, name);
	error = ctf_packed_make_all(name, chunks->config.compress, &why);
	return error ? diag_set_at(diag, error, chunks->folder, 0, "chunk %s: %s", name, why.text)
		     : 0;
}

/* The child's report, which is written to the pipe by a single write. */
struct chunks_report {
	uint32_t first, next_done; /* the child has processed all chunks with lower numbers */
	/* reason why the child stopped; empty: it processed everything */
	char text[1024];
};
_Static_assert(sizeof(struct chunks_report) <= PIPE_BUF, "in one piece");

static void do_all(const struct trace_chunks *chunks, struct chunks_report *report)
{
	struct diag diag;
	int error = 0;

	while (!error && report->first < chunks->to_first) {
		error = remove_chunk(report->first);
		if (error)
			(void)snprintf(report->text, sizeof(report->text),
				       "cannot remove chunk %u of %s: %s", report->first,
				       chunks->folder, strerror(-error));
		else
			report->first++;
	}
	/* Removed chunks need no further work. */
	if (report->next_done < report->first)
		report->next_done = report->first;
	for (error = 0; !error && report->next_done < chunks->to_next_done;) {
		error = finish_chunk(chunks, report->next_done, &diag);
		if (error)
			(void)snprintf(report->text, sizeof(report->text), "%s", diag_show(&diag));
		else
			report->next_done++;
	}
}

/* The child may run longer than the daemon, so it closes the rings and the folder's lock. */
static void __attribute__((noreturn)) be_child(const struct trace_chunks *chunks, int told_fd)
{
	struct chunks_report report = {.first = chunks->first, .next_done = chunks->next_done};
	const int error = chunks->folder_fd < 0	      ? chunks->folder_fd
			  : fchdir(chunks->folder_fd) ? -errno
						      : 0;

	if (told_fd != STDERR_FILENO + 1)
		(void)dup2(told_fd, STDERR_FILENO + 1);
	(void)close_range(STDERR_FILENO + 2, UINT_MAX, 0);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)setpriority(PRIO_PROCESS, 0, LOWEST);
	if (error)
		(void)snprintf(report.text, sizeof(report.text), "cannot enter %s: %s",
			       chunks->folder, strerror(-error));
	else
		do_all(chunks, &report);
	_exit(file_write_all(STDERR_FILENO + 1, &report, sizeof(report)) ? 1 : 0);
}

/* ---- closed chunks: in the parent ---- */

static bool fork_child(struct trace_chunks *chunks)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return false;
	chunks->pid = fork();
	if (!chunks->pid)
		be_child(chunks, fds[1]);
	(void)close(fds[1]);
	if (chunks->pid > 0) {
		chunks->told_fd = fds[0];
		return true;
	}
	(void)close(fds[0]);
	chunks->pid = 0;
	return false;
}

/*
 * Returns whether the disk is probably full: packets could not be written, or a chunk could not be
 * made.
 */
static bool is_full(struct trace_chunks *chunks)
{
	const uint64_t nr = ctf_writer_counts(chunks->writer).lost_unwritten_packets;
	const bool is = nr != chunks->nr_unwritten || chunks->wants_room;

	chunks->nr_unwritten = nr;
	chunks->wants_room = false;
	return is;
}

/* Removes the oldest chunk early, because new records are more useful than old ones. */
static void make_room(struct trace_chunks *chunks)
{
	if (chunks->to_first != chunks->first || chunks->first == chunks->written)
		return;
	chunks->to_first = chunks->first + 1;
	log_warning("the disk is full: removing the oldest chunk, %u of %s, although --keep=%u "
		    "would keep this chunk",
		    chunks->first, chunks->folder, chunks->config.nr_keep);
}

/*
 * Chooses the chunks to remove and the chunks to finish, and starts a child for them. end: chunks
 * with this number or a higher one are not yet closed. Returns whether there is work.
 */
static bool begin_child(struct trace_chunks *chunks, uint32_t end)
{
	const uint32_t nr_keep = chunks->config.nr_keep;

	chunks->to_first = chunks->first;
	if (nr_keep && chunks->written >= chunks->first + nr_keep)
		chunks->to_first = chunks->written - nr_keep + 1;
	if (nr_keep && end == chunks->written && is_full(chunks))
		make_room(chunks);
	chunks->to_next_done = end;
	if (chunks->to_first == chunks->first && chunks->to_next_done == chunks->next_done)
		return false;
	(void)fork_child(chunks); /* if this fails, the next call of begin_child tries again */
	return true;
}

/* Reads the child's report. A child that died without a report has made no progress. */
static void take_report(struct trace_chunks *chunks, struct chunks_report *report)
{
	ssize_t nr;

	do {
		nr = read(chunks->told_fd, report, sizeof(*report));
	} while (nr < 0 && errno == EINTR);
	(void)close(chunks->told_fd);
	if (nr == (ssize_t)sizeof(*report)) {
		report->text[sizeof(report->text) - 1] = '\0';
		return;
	}
	*report = (struct chunks_report){.first = chunks->first, .next_done = chunks->next_done};
	(void)snprintf(report->text, sizeof(report->text),
		       "the process that removes and compresses chunks of %s was killed",
		       chunks->folder);
}

/*
 * Counts a failure. After NR_TRIES failures the chunk is left unchanged, and work continues with
 * the next chunk.
 */
static void try_again(struct trace_chunks *chunks, unsigned int *nr_tries, uint32_t *number,
		      const char *what)
{
	if (++*nr_tries < NR_TRIES)
		return;
	log_error("chunk %u of %s is left unchanged: it could not be %s in %u attempts", *number,
		  chunks->folder, what, NR_TRIES);
	chunks->nr_failed++;
	*nr_tries = 0;
	++*number;
}

/* Counts a failure for each kind of work that was not completed; progress resets the count. */
static void judge(struct trace_chunks *chunks, const struct chunks_report *report)
{
	if (report->first != chunks->first)
		chunks->remove_tries = 0;
	if (report->next_done != chunks->next_done)
		chunks->finish_tries = 0;
	chunks->first = report->first;
	chunks->next_done = report->next_done;
	if (chunks->first < chunks->to_first)
		try_again(chunks, &chunks->remove_tries, &chunks->first, "removed");
	if (chunks->next_done < chunks->to_next_done)
		try_again(chunks, &chunks->finish_tries, &chunks->next_done, "compressed");
}

/* If a child has ended, handles its report. Returns whether no child runs now. */
static bool reap(struct trace_chunks *chunks)
{
	struct chunks_report report;

	if (!chunks->pid)
		return true;
	/*
	 * waitpid() fails if another part of the daemon has already waited for the child. In this
	 * case, too, the child has ended.
	 */
	if (!waitpid(chunks->pid, NULL, WNOHANG))
		return false;
	chunks->pid = 0;
	take_report(chunks, &report);
	if (report.text[0]) {
		log_warning("%s", report.text);
		chunks->again_ns = clock_monotonic_ns() + AGAIN_NS;
	}
	judge(chunks, &report);
	return true;
}

void trace_chunks_tidy(struct trace_chunks *chunks)
{
	if (chunks->writer && reap(chunks) && clock_monotonic_ns() >= chunks->again_ns)
		(void)begin_child(chunks, chunks->written);
}

void trace_chunks_end(struct trace_chunks *chunks)
{
	const struct timespec step = {.tv_nsec = END_STEP_NS};
	unsigned int i = 0;

	if (!chunks->writer)
		return;
	for (; i < NR_END_STEPS; i++) {
		if (reap(chunks) && !begin_child(chunks, chunks->written + 1))
			break;
		(void)nanosleep(&step, NULL);
	}
	if (i == NR_END_STEPS && chunks->pid) {
		log_warning(
			"the chunks of %s from chunk %u on are still being removed or compressed "
			"by process %d",
			chunks->folder, chunks->next_done, (int)chunks->pid);
		(void)close(chunks->told_fd);
	} else if (i == NR_END_STEPS) {
		log_warning("the chunks of %s from chunk %u on stay as they are: cannot create a "
			    "process to remove or compress them",
			    chunks->folder, chunks->next_done);
	}
	if (chunks->folder_fd >= 0)
		(void)close(chunks->folder_fd);
	chunks->writer = NULL;
}
