/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon as a service of the machine: notifies the service manager, drops privileges that are
 * not needed, measures the daemon's cost, writes metrics.
 *
 * Elsewhere: sampling (profiler.c), waiting (oprofiled.c).
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
#include "lib/folder.h"

#include <stdbool.h>
#include <stdint.h>

#define SERVICE_METRICS_NS UINT64_C(15000000000)

struct service {
	char user[FOLDER_USER_BYTES];  /* name of the user as whom the daemon runs */
	const struct options *options; /* borrowed */
	struct profiler *profiler;     /* borrowed */
	struct notify notify;
	struct privileges privileges;
	struct cost cost;
	struct cpu_budget budget;
	int64_t up_since_ns; /* since 1970 */
	/* time at which metrics and the manager's status line were last updated */
	uint64_t told_ns;
	bool told_running; /* whether the last update reported that sampling runs */
	int metrics_error; /* error of the last write; an error is logged once */
};

/* Must be called before all other functions and before any fork. */
void service_init(struct service *service, const struct options *options,
		  struct profiler *profiler);
void service_deinit(struct service *service);

/*
 * Drops privileges. To be called in the session's folder, when everything that needs privileges is
 * open. Returns 0 or -errno with diag.
 */
int service_settle(struct service *service, struct diag *diag);

/*
 * Reports that the daemon is ready. If the options request sampling from the start, sampling must
 * have begun.
 */
void service_ready(struct service *service);

/* To be called in each iteration of the main loop. */
void service_tick(struct service *service, uint64_t now_ns);

/*
 * Returns how long the main loop may wait: wait_ms, or less if the watchdog must be notified
 * earlier.
 */
int service_wait_ms(const struct service *service, int wait_ms);

/*
 * To be called when the daemon begins to end. From then on, the metrics report that the daemon is
 * not running.
 */
void service_stopping(struct service *service);

/* Adds the profiler's lines and the service's own lines. */
void service_status(const struct service *service, struct control_answer *answer);

#endif
