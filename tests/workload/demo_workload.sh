#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# demo_workload.sh PROGRAM SECONDS: some everyday work, sorting and packing,
# beside PROGRAM (built from demo_workload.c), one for each CPU, so that it is
# to be found hottest on a busy machine too.
programs=
for _ in $(seq "$(nproc)"); do
	"$1" "$2" &
	programs="$programs $!"
done
end=$(($(date +%s) + $2))
while [ "$(date +%s)" -lt "$end" ]; do
	od -An -v -tx4 -N 200000 /dev/urandom | tr -s ' ' '\n' | sort | gzip >/dev/null
	sleep 0.1
done
# shellcheck disable=SC2086 # pids are words
wait $programs
