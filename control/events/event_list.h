/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the list of events, for opcontrol --list-events and oprof events. */
#ifndef CONTROL_EVENT_LIST_H
#define CONTROL_EVENT_LIST_H

#include "lib/diag.h"

#include <stdio.h>

/* Prints all events of the tables, and marks those that this machine lacks. Returns 0 or -errno. */
int event_list_print(FILE *stream, struct diag *diag);

#endif
