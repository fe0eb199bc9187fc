#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures a page that opreport --html makes of a million distinct addresses, in
# headless Chromium: the page's size, the time to open it, and the time to draw
# a frame.
. "$(dirname "$0")/bench.sh"
bench_init "$@"
bench_wanted page_ || exit 0
build=${OPROF_TOP_BUILDDIR:-$PWD}
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d "${TMPDIR:-/tmp}/oprof-bench.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT

"$build/tests/tools/session_make" -k 1000000 "$T/session" "$build/opreport" >/dev/null || exit 1
"$build/opreport" "--session-dir=$T/session" --html "$T/page.html" 2>/dev/null || exit 1
bench_print page_bytes_1e6 "$(awk -v b="$(wc -c <"$T/page.html")" 'BEGIN { print b / 1e6 }')" MB
python3 "$here/../tests/page/measure_page.py" "$T/page.html" | while read -r name value unit; do
	bench_print "$name" "$value" "$unit"
done
