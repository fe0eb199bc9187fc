// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/sample_failures.h"

#include "lib/log.h"

#include <string.h>

#define QUIET_NS UINT64_C(3600000000000)
#define END_NS	 UINT64_C(60000000000) /* failures are over after this time without a failure */

void sample_failures_report(struct sample_failures *failures, const char *path, int error,
			    const char *text, uint64_t now_ns)
{
	uint64_t *quiet_until_ns =
		&failures->quiet_until_ns[(unsigned int)-error % SAMPLE_FAILURES_ERRORS];

	failures->failed_ns = now_ns;
	if (now_ns < *quiet_until_ns)
		return;
	*quiet_until_ns = now_ns + QUIET_NS;
	failures->reported = true;
	log_error("samples are being lost: %s: %s", path, text && *text ? text : strerror(-error));
}

void sample_failures_report_end(struct sample_failures *failures, uint64_t now_ns)
{
	if (!failures->reported || now_ns < failures->failed_ns + END_NS)
		return;
	failures->reported = false;
	log_info("samples are stored again: no file has failed for a minute");
}
