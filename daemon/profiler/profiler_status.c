// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/profiler_status.h"

#include "daemon/profiler/unwind_choice.h"
#include "daemon/session/separation.h"

#include <inttypes.h>
#include <unistd.h>

/* maximum number of lines about users and processes that could not be read in time */
#define UNREAD_MAX 8u

/*
 * Adds all settings that can be chosen at the start, so that a client can compare them with its own
 * settings.
 */
static void status_settings(const struct profiler *profiler, struct control_answer *answer)
{
	const struct source_config *config = &profiler->config.source;
	/* the frequency of events without a fixed period, which is the same for all of them */
	uint64_t hz = 0;
	char text[256];

	for (size_t i = 0; i < config->nr_events; i++) {
		event_choice_format(&config->events[i], text, sizeof(text));
		control_answer_add(answer, "event", "%s", text);
		if (config->events[i].frequency)
			hz = config->events[i].period_or_hz;
	}
	if (hz)
		control_answer_add(answer, "frequency", "%" PRIu64, hz);
	separation_format(profiler->config.separation, text);
	control_answer_add(answer, "separation", "%s", text);
	control_answer_add(answer, "callgraph", "%u", config->chain_depth);
	control_answer_add(answer, "unwind", "%s", unwind_choice_name(config->unwind));
	control_answer_add(answer, "stack_bytes", "%u", config->stack_bytes);
	control_answer_add(answer, "sample_pages", "%u", config->sample_pages);
	control_answer_add(answer, "buffer_size", "%" PRIu64, config->buffer_size);
	control_answer_add(answer, "buffer_watershed", "%" PRIu64, config->buffer_watershed);
	control_answer_add(answer, "cpu_buffer_size", "%" PRIu64, config->cpu_buffer_size);
	control_answer_add(answer, "budget_asked", "%" PRIu64,
			   profiler->config.history.budget_bytes);
	control_answer_add(answer, "budget_days", "%u", profiler->config.history.budget_days);
	control_answer_add(answer, "thinning", "%u", profiler->thinning);
	if (hz)
		control_answer_add(answer, "frequency_now", "%.4g",
				   (double)hz / profiler->thinning);
}

static void unread_add(const struct source_unread *unread, struct control_answer *answer)
{
	if (unread->pid)
		control_answer_add(answer, "unread", "%" PRId32 " %u %s", unread->pid,
				   (unsigned int)unread->uid, unread->name);
	else if (unread->uid == SOURCE_UNREAD_ALL)
		control_answer_add(answer, "unread_user", "all");
	else
		control_answer_add(answer, "unread_user", "%u", (unsigned int)unread->uid);
}

static void status_unread(const struct profiler *profiler, struct control_answer *answer)
{
	struct source_unread list[UNREAD_MAX];
	uint64_t nr_late = 0;
	size_t nr = 0;

	if (profiler->source->ops->unread)
		nr = profiler->source->ops->unread(profiler->source, list, UNREAD_MAX, &nr_late);
	if (nr_late)
		control_answer_add(answer, "unread_in_all", "%" PRIu64, nr_late);
	for (size_t i = 0; i < nr; i++)
		unread_add(&list[i], answer);
}

void profiler_status(const struct profiler *profiler, struct control_answer *answer)
{
	const struct session *session = profiler->session;

	control_answer_add(answer, "version", "%s", OPROF_VERSION);
	control_answer_add(answer, "pid", "%d", (int)getpid());
	control_answer_add(answer, "state", "%s", profiler->running ? "running" : "stopped");
	control_answer_add(answer, "source", "%s", profiler->source->name);
	if (profiler->choice.reason[0]) {
		control_answer_add(answer, "source_reason", "%s", profiler->choice.reason);
		control_answer_add(answer, "source_requested", "%s",
				   source_wish_text(profiler->choice.wish));
	}
	control_answer_add(answer, "target", "%s", session->info.target);
	control_answer_add(answer, "session", "%s", OPROF_SESSION_CURRENT);
	control_answer_add(answer, "started", "%" PRId64, session->info.started_ns);
	status_settings(profiler, answer);
	for (size_t i = 0; i < session->info.nr_notes; i++)
		control_answer_add(answer, "note", "%s %s", session->info.notes[i].name,
				   session->info.notes[i].text);
	control_answer_add(answer, "rate", "%.1f", profiler->rate);
	control_answer_add(answer, "sample_files", "%zu", sample_cache_nr_files(profiler->cache));
	history_status(&profiler->history, answer);
	status_unread(profiler, answer);
	for (uint32_t i = 0; session->open && i < session->stats.nr_entries; i++)
		control_answer_add(answer, session->stats.names[i], "%" PRIu64,
				   session->stats.values[i]);
}
