/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprof top without its screen: the user's choices, the daemon's last answer, and the rows
 * made from it.
 */
#ifndef PP_TOP_H
#define PP_TOP_H

#include "pp/top/top_options.h"
#include "pp/top/top_rows.h"
#include "pp/top/top_text.h"

#define TOP_FILTER_BYTES 128

struct top {
	const char *session_dir; /* the options' string, or a constant */
	struct top_symbols *symbols;
	struct top_samples samples; /* from the last answer; all zeros before the first */
	struct top_rows rows;
	enum top_view view;
	size_t event; /* index in samples.events */
	/*
	 * Identifies the event in the next answer: by name if the user named it, or
	 * (event_known) by all of event_kept.
	 */
	char event_name[128];
	bool event_known;
	struct top_event event_kept;
	char filter[TOP_FILTER_BYTES];
	char host[128];
	uint64_t window_ns;
	bool paused;
	/*
	 * The time to wait for an answer. With keys it begins short, and grows with a slow
	 * daemon.
	 */
	struct client_patience patience;
	/* text: why the last question had no answer, or why its answer lacks the event; else "" */
	struct diag trouble;
	bool event_lacks; /* the last question had an answer, but without samples of the event */
	/* The daemon's CPU time at its last reading. */
	pid_t daemon;
	uint64_t cpu_ns, cpu_at_ns;
	double daemon_percent; /* negative: not known */
};

/*
 * Finds the daemon, and waits long for its answers until top_take_keys. Returns 0, or -errno
 * with diag and nothing to deinit.
 */
int top_init(struct top *top, const struct top_options *options, struct diag *diag);
void top_deinit(struct top *top);

/* From now on a key at key_fd ends the wait for an answer. */
void top_take_keys(struct top *top, int key_fd);

/*
 * Asks again and makes the rows. If there is no answer, top->trouble has the reason, and the
 * samples stay. Returns 0, or -errno if this process fails.
 */
int top_refresh(struct top *top);

/* Makes the rows again: another choice, or new symbols. Returns 0 or -ENOMEM. */
int top_make_rows(struct top *top);

/* Chooses the next of several events. */
void top_next_event(struct top *top);

/* For top_text.h; borrows from top. */
struct top_show top_show(const struct top *top);

#endif
