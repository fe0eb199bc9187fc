/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The control socket of the daemon and of each trace session (doc/control-socket.md).
 *
 * A Unix SOCK_SEQPACKET socket named OPROF_CONTROL_NAME in the session
 * directory. One message is one packet: struct oprof_message, then
 * size_bytes of text (no NUL needed), lines "key value\n"; both sides skip
 * keys that they do not know, so keys may be added without a new version.
 * The client asks, the daemon answers each request once, in order. A daemon
 * that does not speak the client's version answers with its own version and
 * status -EPROTONOSUPPORT. Peers other than root and the daemon's own user
 * get -EACCES (SO_PEERCRED).
 */
#ifndef OPROF_CONTROL_H
#define OPROF_CONTROL_H

#include <stdint.h>

#define OPROF_CONTROL_MAGIC    0x4f505243u /* "OPRC" */
#define OPROF_CONTROL_VERSION  1
#define OPROF_CONTROL_NAME     "control"
#define OPROF_CONTROL_TEXT_MAX 65536 /* bytes of text in a message */

enum oprof_request {
	OPROF_REQUEST_STATUS = 1, /* answer: counters and state, a line each */
	OPROF_REQUEST_START = 2,  /* sample from now on; no effect when running */
	OPROF_REQUEST_STOP = 3,	  /* stop sampling, keep everything open */
	OPROF_REQUEST_DUMP = 4,	  /* answered when all that was sampled before it is on disk */
	OPROF_REQUEST_RESET = 5,  /* dump, then begin an empty "current" session */
	OPROF_REQUEST_SAVE = 6,	  /* "name N": dump, then current becomes N, a new current begins */
	OPROF_REQUEST_SHUTDOWN = 7, /* stop, dump, answer, end */
	/*
	 * "last_ns N", and "separate all" for threads, CPUs and cgroups apart whatever the
	 * session's separation: what was sampled in the last N ns, up to now. The answer comes
	 * with one descriptor (SCM_RIGHTS) of a slice (oprof/slice.h) in memory, and lines
	 * begin_ns, end_ns: the stretch that it holds, shorter when memory does not reach so far.
	 */
	OPROF_REQUEST_RECENT = 8,
	/*
	 * Of a trace session: "folder PATH": what its flight recorder holds goes there, and
	 * recording goes on. Answered when it is on disk, with what is in it.
	 */
	OPROF_REQUEST_SNAPSHOT = 9,
};

struct oprof_message {
	uint32_t magic;
	uint16_t version;
	uint16_t request;    /* enum oprof_request; in answers that of the question */
	int32_t status;	     /* answers: 0 or -errno; then text has a line "error TEXT" */
	uint32_t size_bytes; /* of the text behind */
};

#endif
