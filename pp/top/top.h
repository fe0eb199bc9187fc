/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprof top without its screen: the user's choices, the daemon's last answer, and the rows
 * made from it.
 */
#ifndef PP_TOP_H
#define PP_TOP_H

#include "pp/base/read_folder.h"
#include "pp/top/top_options.h"
#include "pp/top/top_rows.h"
#include "pp/top/top_text.h"

#define TOP_FILTER_BYTES 128

struct top {
	const char *session_dir; /* borrowed from the options, or a constant; for messages */
	char session_at[READ_FOLDER_BYTES]; /* the path by which the folder is read */
	struct top_symbols *symbols;
	struct top_samples samples; /* samples of the last answer; at first all zeros */
	struct top_rows rows;
	enum top_view view;
	size_t event; /* index in samples.events */
	/*
	 * The event to find in the next answer has the name event_name. If event_known is set, it
	 * also has the count and the unit mask of event_kept.
	 */
	char event_name[128];
	bool event_known;
	struct top_event event_kept;
	char filter[TOP_FILTER_BYTES];
	char host[128];
	uint64_t window_ns;
	bool paused;
	/*
	 * How long to wait for an answer. After top_take_keys() the time is short at first, and
	 * grows if the daemon is slow.
	 */
	struct client_patience patience;
	/*
	 * trouble.text states why the last request has no answer, or that the answer has no samples
	 * of the event; "": no trouble.
	 */
	struct diag trouble;
	bool event_lacks; /* the last answer had no samples of the event */
	/* cpu_ns is the daemon's CPU time, cpu_at_ns the time when cpu_ns was last read. */
	pid_t daemon;
	uint64_t cpu_ns, cpu_at_ns;
	double daemon_percent; /* negative: not known */
};

/* Finds the daemon. Returns 0, or -errno with diag; top then needs no deinit. */
int top_init(struct top *top, const struct top_options *options, struct diag *diag);
void top_deinit(struct top *top);

/* After this call, a key at key_fd ends the wait for an answer. */
void top_take_keys(struct top *top, int key_fd);

/*
 * After this call, requests wait for an answer for up to a minute, or until wake_fd is readable.
 * Has no effect if wake_fd is -1, since nothing could end such a wait.
 */
void top_be_patient(struct top *top, int wake_fd);

/*
 * Requests the daemon's samples and makes the rows. If there is no answer, top->trouble has the
 * reason, and the previous samples are kept. Returns 0, or -errno if this process fails.
 */
int top_refresh(struct top *top);

/*
 * Makes the rows again, after the user's choice changed or new symbols were loaded. Returns 0 or
 * -ENOMEM.
 */
int top_make_rows(struct top *top);

/* Chooses the next event, if there are several. */
void top_next_event(struct top *top);

/* Returns the data that the functions of top_text.h show. top must outlive the result. */
struct top_show top_show(const struct top *top);

#endif
