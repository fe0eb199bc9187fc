/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of what can be sampled: opcontrol --list-events, oprof events. */
#ifndef CONTROL_EVENT_LIST_H
#define CONTROL_EVENT_LIST_H

#include "lib/diag.h"

#include <stdio.h>

/* Every event of the tables, marked where this machine refuses it. 0 or -errno. */
int event_list_print(FILE *stream, struct diag *diag);

#endif
