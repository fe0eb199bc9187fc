// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_choice.h"

#include "daemon/trace/syscall_names.h"
#include "events/tracepoint.h"
#include "lib/array.h"
#include "lib/number.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tracepoints of "default"; system calls are added to them. */
static const char *const defaults[] = {
	"sched:sched_switch",	    "sched:sched_wakeup",	  "sched:sched_wakeup_new",
	"sched:sched_waking",	    "sched:sched_migrate_task",	  "sched:sched_process_fork",
	"sched:sched_process_exec", "sched:sched_process_exit",	  "irq:irq_handler_entry",
	"irq:irq_handler_exit",	    "irq:softirq_entry",	  "irq:softirq_exit",
	"irq:softirq_raise",	    "exceptions:page_fault_user", "exceptions:page_fault_kernel",
	"block:block_rq_issue",	    "block:block_rq_complete",	  "signal:signal_generate",
	"signal:signal_deliver",    "task:task_newtask",
};

/* Events that identify the process of a sample. A sample's record has only the thread's number. */
static const char *const of_samples[] = {"sched:sched_process_fork", "sched:sched_process_exec",
					 "sched:sched_process_exit", "task:task_newtask"};

struct adding {
	struct trace_choice *choice;
	const char *filter;
	bool is_pattern;
	/* true: an event that is already chosen with another filter keeps that filter (no error) */
	bool any_filter;
	struct diag *diag;
};

#define SAMPLE_WORD "sample"
#define HZ_MAX	    1000000u
#define CALL_WORD   "syscall:"
/*
 * When the filter for system calls is longer than this, no more calls are added, because the kernel
 * accepts at most a page.
 */
#define CALL_BYTES_MAX 4000u

void trace_choice_deinit(struct trace_choice *choice)
{
	for (size_t i = 0; i < choice->nr_events; i++) {
		free(choice->events[i].system);
		free(choice->events[i].name);
		free(choice->events[i].filter);
	}
	free(choice->events);
	free(choice->syscalls);
	*choice = (struct trace_choice){0};
}

static const struct trace_chosen *find(const struct trace_choice *choice, const char *system,
				       const char *name)
{
	for (size_t i = 0; i < choice->nr_events; i++)
		if (!strcmp(choice->events[i].system, system) &&
		    !strcmp(choice->events[i].name, name))
			return &choice->events[i];
	return NULL;
}

static bool same_filter(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : !a && !b;
}

static int append(struct adding *adding, const char *system, const char *name)
{
	struct trace_choice *choice = adding->choice;
	struct trace_chosen *to;

	if (choice->nr_events == TRACE_CHOICE_EVENTS_MAX)
		return diag_set(adding->diag, -E2BIG, "more than %u events",
				TRACE_CHOICE_EVENTS_MAX);
	if (array_reserve(&choice->events, &choice->room_events, choice->nr_events, 1))
		return -ENOMEM;
	to = &choice->events[choice->nr_events++];
	*to = (struct trace_chosen){.system = strdup(system),
				    .name = strdup(name),
				    .filter = adding->filter ? strdup(adding->filter) : NULL};
	return to->system && to->name && (to->filter || !adding->filter) ? 0 : -ENOMEM;
}

/*
 * Returns whether the tracepoint belongs to system calls. The words "syscalls" and "syscall:NAME"
 * choose system calls.
 */
static bool is_of_calls(const char *system)
{
	return !strcmp(system, "syscalls") || !strcmp(system, "raw_syscalls");
}

static int add_found(const char *system, const char *name, void *context)
{
	struct adding *adding = context;
	const struct trace_chosen *there = find(adding->choice, system, name);

	if (is_of_calls(system)) {
		if (!adding->is_pattern || adding->filter)
			return diag_set(
				adding->diag, -EINVAL,
				"%s:%s belongs to a system call: choose this call with " CALL_WORD
				"NAME, or all calls with syscalls; neither form accepts a filter",
				system, name);
		adding->choice->all_syscalls = true;
		return 0;
	}
	if (!there)
		return append(adding, system, name);
	if (same_filter(there->filter, adding->filter) || adding->any_filter)
		return 0;
	return diag_set(adding->diag, -EINVAL,
			"event %s:%s is chosen twice, with different filters: join them with ||",
			system, name);
}

/*
 * Adds those events in names that the kernel has. Some architectures and configurations lack some
 * of them.
 */
static int add_known(struct adding *adding, const char *folder, const char *const *names, size_t nr)
{
	int error = 0;

	for (size_t i = 0; !error && i < nr; i++) {
		error = tracepoint_list(folder, names[i], add_found, adding, adding->diag);
		if (error == -ENOENT)
			error = 0;
	}
	return error;
}

static int add_defaults(struct adding *adding, const char *folder)
{
	adding->choice->all_syscalls = true;
	return add_known(adding, folder, defaults, sizeof(defaults) / sizeof(defaults[0]));
}

static bool is_sample(const char *word)
{
	const size_t nr_bytes = strlen(SAMPLE_WORD);

	return !strncmp(word, SAMPLE_WORD, nr_bytes) && (!word[nr_bytes] || word[nr_bytes] == ':');
}

/* Parses "sample" or "sample:HZ" and adds the events for samples. */
static int add_samples(struct adding *adding, const char *folder, const char *word)
{
	const char *hz = strchr(word, ':');
	struct trace_choice *choice = adding->choice;
	uint64_t wanted = TRACE_CHOICE_HZ;

	if (hz && (number_parse(hz + 1, HZ_MAX, &wanted) || !wanted))
		return diag_set(adding->diag, -EINVAL,
				"%s: give the samples per second: " SAMPLE_WORD ":%u", word,
				TRACE_CHOICE_HZ);
	if (choice->samples_hz && choice->samples_hz != wanted)
		return diag_set(adding->diag, -EINVAL,
				"samples are chosen twice, with different frequencies: give only "
				"one of them");
	choice->samples_hz = wanted;
	adding->any_filter = true;
	return add_known(adding, folder, of_samples, sizeof(of_samples) / sizeof(of_samples[0]));
}

static int add_call(struct trace_choice *choice, unsigned int call_number, struct diag *diag)
{
	char *longer;

	if (choice->syscalls && strlen(choice->syscalls) > CALL_BYTES_MAX)
		return diag_set(diag, -E2BIG, "too many system calls: choose all with syscalls");
	if (asprintf(&longer, "%s%sid == %u", choice->syscalls ? choice->syscalls : "",
		     choice->syscalls ? " || " : "", call_number) < 0)
		return -ENOMEM;
	free(choice->syscalls);
	choice->syscalls = longer;
	return 0;
}

static int add_calls(struct trace_choice *choice, const char *pattern, struct diag *diag)
{
	unsigned int nr = 0;
	int error = 0;

	if (!strcmp(pattern, "*")) {
		choice->all_syscalls = true;
		return 0;
	}
	for (unsigned int i = 0; !error && i < syscall_names_nr(); i++)
		if (syscall_name(i) && !fnmatch(pattern, syscall_name(i), 0)) {
			nr++;
			error = add_call(choice, i, diag);
		}
	if (!error && !nr)
		return diag_set(diag, -ENOENT, "there is no system call %s", pattern);
	return error;
}

bool trace_choice_has_syscalls(const struct trace_choice *choice, const char **filter)
{
	*filter = choice->all_syscalls ? NULL : choice->syscalls;
	return choice->all_syscalls || choice->syscalls;
}

/* Splits "WORD/FILTER/": word keeps WORD, and *filter becomes FILTER. */
static int cut_filter(char *word, const char **filter, struct diag *diag)
{
	char *slash = strchr(word, '/');
	const size_t nr_bytes = strlen(word);

	*filter = NULL;
	if (!slash)
		return 0;
	if (slash == word + nr_bytes - 1 || word[nr_bytes - 1] != '/' || slash == word)
		return diag_set(
			diag, -EINVAL,
			"\"%s\" is not an event: write EVENT/FILTER/ for an event with a filter",
			word);
	word[nr_bytes - 1] = '\0';
	*slash = '\0';
	*filter = slash + 1;
	return 0;
}

static int add_word(struct trace_choice *choice, const char *folder, char *word, struct diag *diag)
{
	struct adding adding = {
		.choice = choice, .is_pattern = strpbrk(word, "*?[") != NULL, .diag = diag};
	const int error = cut_filter(word, &adding.filter, diag);
	const bool is_calls = !strncmp(word, CALL_WORD, strlen(CALL_WORD));
	const bool is_group = is_calls || is_sample(word) || !strcmp(word, "default") ||
			      !strcmp(word, "syscalls");

	if (error)
		return error;
	if (!*word)
		return diag_set(diag, -EINVAL, "an event's name is empty");
	if (is_group && adding.filter)
		return diag_set(diag, -EINVAL,
				"%s accepts no filter: only tracepoints accept filters", word);
	if (!strcmp(word, "default"))
		return add_defaults(&adding, folder);
	if (is_sample(word))
		return add_samples(&adding, folder, word);
	if (is_calls)
		return add_calls(choice, word + strlen(CALL_WORD), diag);
	if (is_group) {
		choice->all_syscalls = true;
		return 0;
	}
	return tracepoint_list(folder, word, add_found, &adding, diag);
}

/*
 * Returns the end of the word that begins at text. A slash before a comma or at the end of the text
 * ends a filter.
 */
static char *word_end(char *text)
{
	bool in_filter = false;

	for (; *text && (in_filter || *text != ','); text++) {
		if (*text == '/')
			in_filter = !in_filter || (text[1] && text[1] != ',');
	}
	return text;
}

int trace_choice_add(struct trace_choice *choice, const char *folder, const char *text,
		     struct diag *diag)
{
	char *copy = strdup(text), *word = copy;
	int error = copy ? 0 : -ENOMEM;

	while (!error && word) {
		char *end = word_end(word), *next = *end ? end + 1 : NULL;

		*end = '\0';
		error = add_word(choice, folder, word, diag);
		word = next;
	}
	free(copy);
	return error == -ENOMEM ? diag_set(diag, error, "out of memory for the events' names")
				: error;
}
