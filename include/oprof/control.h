/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The control socket of the daemon and of each trace session (doc/control-socket.md).
 *
 * The socket is a Unix SOCK_SEQPACKET socket named OPROF_CONTROL_NAME in the session directory. One
 * message is one packet: struct oprof_message, then size_bytes of text in lines "key value\n". The
 * text needs no NUL at its end. Both sides ignore unknown keys, so keys can be added without a new
 * version.
 *
 * The client sends requests. The daemon answers each request once, in order. If the daemon does not
 * support the client's version, it answers with its own version and with status -EPROTONOSUPPORT.
 * The daemon checks the user of the peer (SO_PEERCRED): a peer that is neither root nor the
 * daemon's own user gets the answer -EACCES.
 */
#ifndef OPROF_CONTROL_H
#define OPROF_CONTROL_H

#include <stdint.h>

#define OPROF_CONTROL_MAGIC    0x4f505243u /* "OPRC" */
#define OPROF_CONTROL_VERSION  1
#define OPROF_CONTROL_NAME     "control"
#define OPROF_CONTROL_TEXT_MAX 65536 /* bytes of text in a message */

enum oprof_request {
	OPROF_REQUEST_STATUS = 1, /* the answer has the counters and the state, one per line */
	OPROF_REQUEST_START = 2,  /* start sampling; no effect if sampling already runs */
	OPROF_REQUEST_STOP = 3,	  /* stop sampling; the session's files stay open */
	OPROF_REQUEST_DUMP = 4,	  /* dump: the answer comes when all earlier samples are on disk */
	OPROF_REQUEST_RESET = 5,  /* dump, then begin a new, empty session "current" */
	OPROF_REQUEST_SAVE = 6,	  /* "name N": dump, rename the session N, begin a new "current" */
	OPROF_REQUEST_SHUTDOWN = 7, /* stop, dump, answer, exit */
	/*
	 * The answer returns the samples taken between N ns and M ns ago. The text is "last_ns N",
	 * optionally "until_ns M" (otherwise M is 0), and optionally "separate all". With "separate
	 * all", the samples are separated by thread, CPU and cgroup, even if the session's own
	 * separation is different. The answer carries one descriptor (SCM_RIGHTS) of a slice
	 * (oprof/slice.h) in memory. The answer's lines begin_ns and end_ns give the time range of
	 * the slice. This range is shorter than requested if the samples in memory do not reach
	 * back far enough.
	 */
	OPROF_REQUEST_RECENT = 8,
	/*
	 * Only for a trace session. The text is "folder PATH": write the content of the flight
	 * recorder to the new trace folder PATH, and continue recording. The answer comes when the
	 * snapshot is on disk and describes the snapshot's content.
	 */
	OPROF_REQUEST_SNAPSHOT = 9,
};

struct oprof_message {
	uint32_t magic;
	uint16_t version;
	uint16_t request;    /* enum oprof_request; an answer repeats its request */
	int32_t status;	     /* answers: 0 or -errno; on error the text has a line "error TEXT" */
	uint32_t size_bytes; /* bytes of the text after this struct */
};

#endif
