/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon as a service of its machine: reports to the service manager, drops the privileges
 * that are not needed, measures cost, writes metrics. Not for: sampling (profiler.c), waiting
 * (oprofiled.c).
 */
#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include "daemon/command/control_message.h"
#include "daemon/service/cost.h"
#include "daemon/service/cpu_budget.h"
#include "daemon/system/notify.h"
#include "daemon/service/options.h"
#include "daemon/system/privileges.h"
#include "daemon/profiler/profiler.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define SERVICE_METRICS_NS UINT64_C(15000000000)

struct service {
	const struct options *options; /* borrowed */
	struct profiler *profiler;     /* borrowed */
	struct notify notify;
	struct privileges privileges;
	struct cost cost;
	struct cpu_budget budget;
	int64_t up_since_ns; /* since 1970 */
	uint64_t told_ns;    /* when metrics and the manager's status line were last updated */
	bool told_running;   /* whether they reported sampling */
	int metrics_error;   /* of the last write; logged once */
};

/* Call this first, before any fork. */
void service_init(struct service *service, const struct options *options,
		  struct profiler *profiler);
void service_deinit(struct service *service);

/*
 * Everything is open: drop privileges. Call it in the session's folder. Returns 0 or -errno with
 * diag.
 */
int service_settle(struct service *service, struct diag *diag);

/* The daemon is ready, and samples if it was asked to: report this. */
void service_ready(struct service *service);

/* Call this in each turn of the main loop. */
void service_tick(struct service *service, uint64_t now_ns);

/* The longest time to wait in the main loop. */
int service_wait_ms(const struct service *service, int wait_ms);

/* The daemon begins to end: from now on metrics report it as stopped. */
void service_stopping(struct service *service);

/* Add the profiler's lines and the service's own. */
void service_status(const struct service *service, struct control_answer *answer);

#endif
