# shellcheck shell=sh disable=SC2034,SC2154 # variables are for the scripts, or inside.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# What scripts in a guest share that call optrace; they include inside.sh first.
CALL=sched_get_priority_min # that load_calls calls

run() # COMMAND...
{
	"$@" >"$work/out" 2>"$work/err"
	status=$?
}

# told WORD: the number before it in optrace's sum
told()
{
	sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$work/err" | head -n 1
}

# kept NAME FOLDER: a number of the folder's own
kept()
{
	optrace stats --json "$2" 2>/dev/null | sed -n "s/^ *\"$1\": *\([0-9]*\),*$/\1/p" | head -n 1
}

calls_in() # FOLDER
{
	optrace events -e "syscall_*_$CALL" "$1" 2>>"$work/reader" | wc -l
}

# All that was told of is in the folder, and what was lost is told there.
agrees() # FOLDER TEXT
{
	is "$(kept records "$1")" "$(told 'events in')" "$2: as many events as were told"
	is "$(kept lost_events "$1")" "$(told lost)" "$2: as many losses"
}
