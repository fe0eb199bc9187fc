#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# demo_workload.sh PROGRAM SECONDS: some everyday work, sorting and packing,
# beside PROGRAM (built from demo_workload.c), which is to be found hottest.
"$1" "$2" &
program=$!
end=$(($(date +%s) + $2))
while [ "$(date +%s)" -lt "$end" ]; do
	od -An -v -tx4 -N 200000 /dev/urandom | tr -s ' ' '\n' | sort | gzip >/dev/null
	sleep 0.1
done
wait $program
