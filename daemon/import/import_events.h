/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names the events of a perf.data file or a trace as the events of a session. */
#ifndef DAEMON_IMPORT_EVENTS_H
#define DAEMON_IMPORT_EVENTS_H

#include "daemon/import/perf_file.h"
#include "events/events.h"

/*
 * Fills in choices, which has room for the file's events (at most SOURCE_EVENTS_MAX). The name of
 * an event is the name that perf shows, without modifiers after a colon, since such modifiers do
 * not change the event: "cpu-clock:pppH" becomes "cpu-clock". Modifiers after a slash remain:
 * "cpu/cycles/u" becomes "cpu-cycles-u". An unknown name becomes "eventN". If events have the same
 * name and period, a number is appended to the names.
 */
void import_events_choose(const struct perf_file *file, struct event_choice *choices);

#endif
