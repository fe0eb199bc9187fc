# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/service/cost.c daemon/service/cost.h \
	daemon/service/cpu_budget.c daemon/service/cpu_budget.h \
	daemon/service/metrics.c daemon/service/metrics.h \
	daemon/service/options.c daemon/service/options.h \
	daemon/service/service.c daemon/service/service.h

test_programs += \
	tests/unit/daemon/service/test_cost \
	tests/unit/daemon/service/test_cpu_budget \
	tests/unit/daemon/service/test_metrics \
	tests/unit/daemon/service/test_options \
	tests/unit/daemon/service/test_service
