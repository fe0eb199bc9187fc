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

/* Must be called before all other functions and before any fork. */
void service_init(struct service *service, const struct options *options,
		  struct profiler *profiler);
void service_deinit(struct service *service);

/*
 * Drops privileges. Call it in the session's folder, when everything that needs privileges is open.
 * Returns 0 or -errno with diag.
 */
int service_settle(struct service *service, struct diag *diag);

/* Reports that the daemon is ready. If sampling at once was requested, it must have begun. */
void service_ready(struct service *service);

/* Call this in each turn of the main loop. */
void service_tick(struct service *service, uint64_t now_ns);

/* Returns how long the main loop may wait: wait_ms, or less for the watchdog. */
int service_wait_ms(const struct service *service, int wait_ms);

/* Call this when the daemon begins to end. From then on metrics report the daemon as stopped. */
void service_stopping(struct service *service);

/* Adds the profiler's lines and the service's own lines. */
void service_status(const struct service *service, struct control_answer *answer);

#endif
