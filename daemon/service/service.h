/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon as a service of its machine: tells its manager how it is, keeps
 * no more privileges than it needs, measures what it costs, writes metrics.
 * Not for: sampling (profiler.c), waiting (oprofiled.c).
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
	uint64_t told_ns;    /* when metrics and the manager's status line were last renewed */
	bool told_running;   /* what they said of sampling */
	int metrics_error;   /* of the last time, so that it is told once */
};

/* First of all, before anything is forked. */
void service_init(struct service *service, const struct options *options,
		  struct profiler *profiler);
void service_deinit(struct service *service);

/* All is open: drop privileges. In the session's folder. 0 or -errno with diag. */
int service_settle(struct service *service, struct diag *diag);

/* Sampling has begun, if it is to: tell so. */
void service_ready(struct service *service);

/* After each turn of the main loop. */
void service_tick(struct service *service, uint64_t now_ns);

/* The most to wait in the main loop. */
int service_wait_ms(const struct service *service, int wait_ms);

/* Ending begins: from now on metrics do not look alive. */
void service_stopping(struct service *service);

/* The profiler's lines and the service's own. */
void service_status(const struct service *service, struct control_answer *answer);

#endif
