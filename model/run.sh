#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh [-j N] [--reduced] [--list | --trail] [NAME...]: check the models of
# ring.pml, and litmus.py, all or those named, in the folder model/ below here.
# A line for each; exit 1 if one that must hold fails or was not searched to its
# end, or one without a guard does not fail as it must.
#   -j N       N at once, each with up to 6 GB of memory
#   --reduced  the smaller half
#   --list     names and settings
#   --trail    print the steps that lead to the failure of the models named
# SPIN, CC: others than spin and cc.
source=$(cd "$(dirname "$0")" && pwd)
SPIN=${SPIN:-spin}
CC=${CC:-cc}
mode=all
reduced=
jobs=1
while [ $# -gt 0 ]; do
	case $1 in
	-j)
		jobs=$2
		shift
		;;
	--reduced) reduced=$1 ;;
	--list | --trail) mode=${1#--} ;;
	-*)
		sed -n '3,12s/^# //p' "$0"
		exit 2
		;;
	*) break ;;
	esac
	shift
done
names=" $* "

# "holds" NAME SETTING..., or "fails" NAME "PROPERTY" SETTING...: with one
# guard less it breaks the property. A name with a + is of the smaller half.
# shellcheck disable=SC2086 # settings are words
table() {
	small="-DRECORDS=2 -DNESTED=2"
	least="-DRECORDS=2 -DNESTED=1"
	unfinished="nothing is delivered, or read, unfinished"
	two="no slot is written by two"
	ends="the reader ends"
	covers="repair covers, and counts, only what was reserved"

	holds discard -DRECORDS=3 -DNESTED=3
	holds discard-small+ $small
	holds discard-laps -DRECORDS=9 -DNESTED=2
	holds discard-3-bits+ -DBITS=3 -DSTART=4 -DRECORDS=6 -DNESTED=2
	holds discard-deep+ $small -DLEVELS=3
	holds discard-headers+ $small -DSUB=4 -DHEAD=1 -DSIZES=4
	holds discard-four-places $small -DPLACES=4
	holds discard-fine $small -DFINE
	holds discard-losses+ $small -DLEVELS=3 -DLOSSES
	holds discard-times+ $small -DTIMES
	holds discard-snapshot $small -DKEEPS=1
	holds discard-flush $small -DFLUSHES=1
	holds discard-flush-by-interrupt+ $small -DLOCAL_FLUSH
	holds discard-flush-times $least -DFLUSHES=1 -DTIMES -DEARLY
	holds discard-finalise-beside $small -DLIVE
	holds discard-finalise-losses $least -DLIVE -DLOSSES
	holds discard-death $small -DDEATH
	holds discard-death-small+ $least -DDEATH
	holds discard-death-deep -DRECORDS=1 -DNESTED=2 -DLEVELS=3 -DDEATH
	holds discard-death-flush $least -DFLUSHES=1 -DDEATH
	holds overwrite -DOVERWRITE -DRECORDS=3 -DNESTED=2
	holds overwrite-small+ -DOVERWRITE $small
	holds overwrite-3-bits+ -DOVERWRITE -DBITS=3 -DSTART=4 $least
	holds overwrite-deep -DOVERWRITE $small -DLEVELS=3
	holds overwrite-headers -DOVERWRITE $least -DSUB=4 -DHEAD=1 -DSIZES=3
	holds overwrite-fine -DOVERWRITE $least -DFINE
	holds overwrite-losses -DOVERWRITE $small -DLOSSES
	holds overwrite-snapshot+ -DOVERWRITE $small -DKEEPS=2
	holds overwrite-flush -DOVERWRITE $small -DFLUSHES=1
	holds overwrite-flush-by-interrupt+ -DOVERWRITE $small -DLOCAL_FLUSH
	holds overwrite-finalise-beside -DOVERWRITE $small -DLIVE
	holds overwrite-death+ -DOVERWRITE $least -DDEATH
	holds overwrite-death-flush -DOVERWRITE -DRECORDS=1 -DNESTED=2 -DFLUSHES=1 -DDEATH
	holds discard-without-ENTER $small -DWITHOUT_ENTER
	holds nobody-beside-without-ADD_RETURN $small -DWITHOUT_ADD_RETURN
	holds nobody-beside-without-CLOSE_FIRST $small -DWITHOUT_CLOSE_FIRST
	holds clock-in-order-without-FLUSH_TIME $least -DFLUSHES=1 -DTIMES -DWITHOUT_FLUSH_TIME

	fails K42+ "nothing outstanding is read as complete" -DK42
	fails ENTER+ "$two" -DOVERWRITE
	fails RECHECK+ "a loss is counted only where there was no room"
	fails CLOCK_IN_LOOP+ "stamps do not go back" $small -DTIMES
	fails LOST_IN_LOOP+ "losses told do not shrink" $small -DLEVELS=3 -DLOSSES
	fails EXACT_END "$unfinished"
	fails TOO_BIG "a slot lies in its sub-buffer" -DSIZES=3
	fails CLAIM+ "$unfinished" -DOVERWRITE
	fails RESET_FIRST "$ends" $small
	fails ID_FIRST "$two" -DOVERWRITE
	fails NOREF+ "$unfinished" -DOVERWRITE
	fails TAG+ "$unfinished" -DOVERWRITE
	fails PUT "$two" -DOVERWRITE -DKEEPS=1
	fails ASKED "$ends"
	fails ADD_RETURN+ "a packet is delivered once" $small -DFLUSHES=1
	fails CLOSE_FIRST "$unfinished" $small -DFLUSHES=1
	fails FLUSH_EMPTY "a packet is delivered once" $small -DFLUSHES=1
	fails FLUSH_TIME "stamps do not go back" $least -DFLUSHES=1 -DTIMES -DEARLY
	fails VALID "$covers" $small -DDEATH
	fails INVALIDATE "$covers" $small -DDEATH
	fails SPOILED+ "$covers" $small -DDEATH
	fails SPOILED_LOOK "$unfinished" $small -DDEATH
	fails OVERLAP+ "$covers" $small -DDEATH
	fails REACHED "$covers" $small -DDEATH
	fails FLUSHED "$covers" $least -DFLUSHES=1 -DDEATH
	fails DELIVERED "$unfinished" -DRECORDS=1 -DNESTED=3 -DDEATH
	fails ID_REPAIR "$unfinished" -DOVERWRITE $least -DDEATH

	hand_overs litmus+
}

wanted() { # NAME, with its mark
	case $names in
	"  ") [ -z "$reduced" ] || [ "$1" != "${1%+}" ] || return 1 ;;
	*" ${1%+} "*) ;;
	*) return 1 ;;
	esac
	found_any=1
}

build() { # FLAGS of cc, then settings: pan in $folder
	flags=$1
	shift
	rm -rf "$folder"
	mkdir -p "$folder" && cp "$source"/*.pml "$folder" && echo "$*" >"$folder/settings" || return 1
	# shellcheck disable=SC2086 # flags are words
	(
		cd "$folder" && $SPIN -a "$@" ring.pml >spin.log 2>&1 &&
			$CC -O2 -w -DSAFETY -DNOREDUCE -DCOLLAPSE -DMEMLIM=6000 $flags -o pan pan.c >>spin.log 2>&1
	) || {
		cat "$folder/spin.log"
		return 1
	}
}

tell() { # VERDICT
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$folder/out")
	depth=$(sed -n 's/.*depth reached \([0-9]*\).*/\1/p' "$folder/out")
	printf '%-38s %10s states, depth %5s, %3d s: %s\n' "$name" "${states:-?}" "${depth:-?}" \
		$(($(date +%s) - began)) "$1"
}

# The comment beside the assertion that was violated says which property it is.
broken_property() {
	# shellcheck disable=SC2046 # settings are words
	line=$(cd "$folder" && $SPIN -t $(cat settings) ring.pml 2>/dev/null |
		sed -n 's/^spin: \([a-z]*\.pml\):\([0-9]*\), Error: assertion violated.*/\1 \2/p' | head -n 1)
	[ -z "$line" ] || sed -n "${line#* }s,.*/\* \(.*\) \*/.*,\1,p" "$source/${line% *}"
}

# What the model printed on its way there.
said() {
	# shellcheck disable=SC2046 # settings are words
	(cd "$folder" && $SPIN -t $(cat settings) ring.pml) |
		sed -n 's/^ *\(read as complete.*\)/: \1/p' | head -n 1
}

# Step, level of the writer or name of the process, line of the model.
print_trail() {
	# shellcheck disable=SC2046 # settings are words
	(cd "$folder" && $SPIN -t -p $(cat settings) ring.pml) | awk -v source="$source" '
		function text_of(file, number) {
			if (!(file in known)) {
				known[file] = 1
				for (n = 1; (getline text < (source "/" file)) > 0; n++)
					lines[file, n] = text
			}
			text = lines[file, number]
			gsub(/^[ \t]+/, "", text)
			return text
		}
		/^ *[0-9]+:\tproc +[0-9]+ \([a-z:]+:1\) [a-z]+\.pml:[0-9]+/ {
			gsub(/^ */, "")
			split($0, word, /[ :\t()]+/) # step proc pid name 1 file line
			who = word[4] == "writer" ? "level " (word[3] - 1) : word[4]
			at = word[6] ":" word[7]
			text = text_of(word[6], word[7])
			if (who at != last && who != "init" &&
			    text !~ /^(#.*|ghost_.*|:: else.*|skip|fi|od|do|if|.*goto.*|})?;?$/ &&
			    text !~ /^[iu](\+\+| = 0)/)
				printf "%5d %-10s %-15s %s\n", word[1], who, at, text
			last = who at
		}
		/^ *read as complete/ || /^spin: .*assertion violated/
		/^spin: .*assertion violated/ { exit }'
}

holds() { # NAME SETTING...
	wanted "$1" || return 0
	name=${1%+}
	shift
	[ "$mode" != list ] || {
		echo "$name: $*"
		return
	}
	folder=model/$name
	began=$(date +%s)
	build "" "$@" || {
		bad=1
		return
	}
	(cd "$folder" && ./pan -E -m1000000 -w23 >out 2>&1)
	if ! grep -q 'errors: 0$' "$folder/out"; then
		[ "$mode" != trail ] || print_trail
		tell "FAILS: $(broken_property)"
		bad=1
	elif grep -qiE 'not completed|too small|memory limit|out of memory' "$folder/out"; then
		tell "NOT SEARCHED TO ITS END"
		bad=1
	else
		tell "holds"
	fi
}

fails() { # GUARD PROPERTY SETTING...
	name=without-$1
	[ "$1" != K42+ ] || name=$1
	wanted "$name" || return 0
	guard=${1%+}
	name=${name%+}
	property=$2
	shift 2
	case $guard in
	K42) ;;
	*) set -- "$@" "-DWITHOUT_$guard" ;;
	esac
	[ "$mode" != list ] || {
		echo "$name: $*"
		return
	}
	folder=model/$name
	began=$(date +%s)
	# Breadth first: the trail is the shortest there is.
	build -DBFS "$@" || {
		bad=1
		return
	}
	(cd "$folder" && ./pan -E -m100000 -w23 >out 2>&1)
	found=$(broken_property)
	[ "$mode" != trail ] || print_trail
	if [ "$found" = "$property" ]; then
		tell "fails, as it must: not \"$property\"$(said)"
	else
		tell "MUST FAIL: \"$property\"; found: ${found:-nothing}"
		bad=1
	fi
}

hand_overs() { # NAME
	wanted "$1" || return 0
	name=${1%+}
	[ "$mode" != list ] || {
		echo "$name: $name.py"
		return
	}
	command -v python3 >/dev/null || {
		printf '%-38s %s: NOT SEARCHED: python3 is missing\n' "$name" "$name.py"
		bad=1
		return
	}
	began=$(date +%s)
	mkdir -p model
	if python3 "$source/$name.py" >"model/$name.out"; then
		verdict="holds"
	else
		verdict="FAILS"
		bad=1
	fi
	if [ "$mode" = trail ] || [ "$verdict" != holds ]; then
		cat "model/$name.out"
	fi
	printf '%-38s %10s outcomes,                %3d s: %s\n' "$name" \
		"$(wc -l <"model/$name.out")" $(($(date +%s) - began)) "$verdict"
}

# Several at once: each by a call of its own.
if [ "$mode" = all ] && [ "$jobs" != 1 ]; then
	# shellcheck disable=SC2086 # an option or nothing
	list=$("$0" --list $reduced "$@") || exit 2
	echo "$list" | sed 's/:.*//' | xargs -P "$jobs" -n 1 "$0" || exit 1
	exit 0
fi

bad=0
found_any=
table
[ -n "$found_any" ] || {
	echo "run.sh: no such model: see --list" >&2
	exit 2
}
exit $bad
