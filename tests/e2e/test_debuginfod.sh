#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Debug files from a server: a small one, on loopback, that serves one file
# where a debuginfod would. And a server that is not there, and one that has
# nothing: the report says what it can without.
. "$(dirname "$0")/lib.sh"

ls /usr/lib*/libdebuginfod.so.1 /usr/lib/*/libdebuginfod.so.1 >"$T/library" 2>/dev/null
[ -s "$T/library" ] || tap_skip_all "there is no libdebuginfod"
command -v python3 >/dev/null || tap_skip_all "there is no python3"

cat >"$T/a.c" <<'END'
__attribute__((noinline)) static int hidden(volatile int *x) { while (*x < 100) ++*x; return *x; }
int main(int argc, char **argv) { (void)argv; return hidden(&argc); }
END
$CC -g -O1 -Wl,--build-id -o "$T/program" "$T/a.c" || tap_bail "it does not build"
id=$(readelf -n "$T/program" | sed -n 's/.*Build ID: //p')
mkdir -p "$T/www/buildid/$id"
objcopy --only-keep-debug "$T/program" "$T/www/buildid/$id/debuginfo"
"$BIN/tests/tools/session_make" -s "$T/session" "$T/program" >/dev/null || tap_bail "no session"
strip "$T/program"

python3 -u - "$T/www" >"$T/port" 2>"$T/requests" <<'END' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1])
server.serve_forever()
END
cleanup_pid $!
until_true test -s "$T/port"
server="http://127.0.0.1:$(cat "$T/port")"

# report NAME: with the debuginfod of $urls
report()
{
	DEBUGINFOD_URLS=$urls DEBUGINFOD_CACHE_PATH="$T/client" DEBUGINFOD_TIMEOUT=5 \
		"$BIN/opreport" -l -n --session-dir="$T/session" "$@" >"$T/out" 2>"$T/err"
}

urls=
report
tap_is "$? $(grep -c hidden "$T/out")" "0 0" "without_a_server_exported_names_are_all"

urls="http://127.0.0.1:1/"
report
tap_is "$? $(grep -c hidden "$T/out")" "0 0" "a_server_that_is_not_there_costs_nothing_else"

urls=$server/nothing/
rm -rf "$T/client"
report
tap_is "$? $(grep -c hidden "$T/out")" "0 0" "a_server_that_does_not_have_it_costs_nothing_else"

urls=$server/
rm -rf "$T/client"
report
tap_is "$? $(grep -c hidden "$T/out")" "0 1" "names_come_from_the_server"
report -g
tap_has "$T/out" 'a\.c:1 .*hidden' "lines_come_from_the_server"

# What was fetched is kept with the symbols.
rm -rf "$T/client"
: >"$T/requests"
report
tap_is "$? $(grep -c hidden "$T/out") $(grep -c GET "$T/requests")" "0 1 0" \
	"what_was_fetched_is_not_asked_for_again"
tap_end
