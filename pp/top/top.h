/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprof top without its screen: what was chosen, what the daemon said last,
 * and the rows of it.
 */
#ifndef PP_TOP_H
#define PP_TOP_H

#include "pp/top/top_options.h"
#include "pp/top/top_rows.h"
#include "pp/top/top_text.h"

#define TOP_FILTER_BYTES 128

struct top {
	const char *session_dir; /* the options', or a constant */
	struct top_symbols *symbols;
	struct top_samples samples; /* of the last answer; all zeros before the first */
	struct top_rows rows;
	enum top_view view;
	size_t event; /* index in samples */
	/* What it is, to find it in the next answer: a name alone, as asked for, or all. */
	char event_name[128];
	bool event_known;
	struct top_event event_kept;
	char filter[TOP_FILTER_BYTES];
	char host[128];
	uint64_t window_ns;
	bool paused;
	/* For an answer. With keys to be read it begins short, and grows with a slow daemon. */
	struct client_patience patience;
	struct diag trouble; /* text: why the last question had no answer; "": it had */
	/* CPU time of the daemon, when it was read last. */
	pid_t daemon;
	uint64_t cpu_ns, cpu_at_ns;
	double daemon_percent; /* negative: not known */
};

/* Finds the daemon. 0, or -errno and diag, with nothing to deinit. Patience is long. */
int top_init(struct top *top, const struct top_options *options, struct diag *diag);
void top_deinit(struct top *top);

/* No question holds the keys at key_fd. */
void top_take_keys(struct top *top, int key_fd);

/*
 * Ask again, and make the rows. What the daemon cannot say is in
 * top->trouble, and the samples before it stay. 0 or -errno of this process.
 */
int top_refresh(struct top *top);

/* Make the rows anew: another choice, or symbols that came. 0 or -ENOMEM. */
int top_make_rows(struct top *top);

/* The next event of several. */
void top_next_event(struct top *top);

/* For top_text.h; borrowed from top. */
struct top_show top_show(const struct top *top);

#endif
