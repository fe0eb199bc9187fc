# SPDX-License-Identifier: GPL-2.0-or-later
control_libcontrol_a_SOURCES += \
	control/doctor/doctor.c control/doctor/doctor.h \
	control/doctor/doctor_files.c \
	control/doctor/doctor_perf.c

test_programs += \
	tests/unit/control/doctor/test_doctor
