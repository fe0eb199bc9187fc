# shellcheck shell=sh disable=SC2034 # variables are for the tests
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests share that profile in guests: a boot with oprof's programs and
# the module, whose TAP becomes the test's. A test begins with
#
#	. "$(dirname "$0")/profile.sh"
#	profile_each one_guest
#	tap_end
#
# and has a function one_guest NAME, which compiles what it needs into
# $T/NAME, and calls profile_run. What runs in the guest begins with inside.sh.
#
# Or it is in parts, which share a boot of each guest:
#
#	profile_parts "PART..." [OPTION...]	options of scripts/guest
#
# profile_once names parts, with a space between them, that test little of the architecture's: they run
# in one guest, the first that boots and comes to its end, unless OPROF_CHECK_ALL is set.
#
# A part is a file part_PART.sh with a function part_PART GUEST, which does the same; its script runs
# in the guest when those of the parts before have ended, and leaves the guest as it has found it.
# part_PART_after GUEST, where there is one, looks at what the guest has sent. OPROF_GUEST_PARTS
# names those that shall run.
#
# Environment: OPROF_GUESTS, OPROF_CHECK_ALL: lib.sh. OPROF_TEST_SEED repeats what was
# random. OPROF_GUEST_SOURCE=perf: without the module, where that makes sense.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

seed=${OPROF_TEST_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
profile_source=${OPROF_GUEST_SOURCE:-kmod}

# profile_each FUNCTION: call it for each guest that can be had
profile_each()
{
	tap_note "OPROF_TEST_SEED=$seed"
	for profile_guest in $(guest_names); do
		guest_ready "$profile_guest" || continue
		mkdir -p "$T/$profile_guest"
		"$1" "$profile_guest"
	done
}

# profile_first FUNCTION: for the first guest that can be had and comes to its end, and with
# OPROF_CHECK_ALL for each: what tests little of the architecture's
profile_first()
{
	profile_first_function=$1
	profile_each profile_unless_ran
}

profile_unless_ran() # NAME
{
	if [ -n "${OPROF_CHECK_ALL:-}" ] || [ -z "${profile_first_ran:-}" ]; then
		guest_status=
		"$profile_first_function" "$1"
		! profile_ended || profile_first_ran=$1
	else
		tap_note "$1: what has run in $profile_first_ran is not repeated"
	fi
}

# Has guest_run run a guest to its end? A test of it may have failed, and was told as such.
profile_ended()
{
	[ "${guest_status:-}" = 0 ] || [ "${guest_status:-}" = 1 ]
}

# A step STATUS of a guest's did not succeed: 77 is a skip, else a failure; FILE says why.
profile_lacks() # NAME STATUS FILE
{
	if [ "$2" = 77 ]; then
		tap_skip "$1" "$(tail -n 1 "$3")"
	else
		tap_ok 1 "$1: what it needs can be built"
		tap_show "$3"
	fi
}

# profile_prepare NAME [VARIABLE=VALUE]...: the programs of oprof, and the
# module, built with these variables; false (and told) if they can't be had.
profile_prepare()
{
	[ "${profile_prepared:-}" != "$*" ] || return 0 # by the part before
	profile_with=$*
	profile_of=$1
	shift
	profile_programs=$(guest_programs "$(guest_arch "$profile_of")" 2>"$T/err") || {
		profile_lacks "$profile_of" $? "$T/err"
		return 1
	}
	profile_module=
	[ "$profile_source" != kmod ] || profile_module=$(profile_build "$profile_of" "$@" 2>"$T/err") || {
		profile_lacks "$profile_of" $? "$T/err"
		return 1
	}
	profile_prepared=$profile_with
}

# Of what makes no sense without the module.
profile_only_module() # NAME
{
	[ "$profile_source" != kmod ] || return 0
	tap_skip "$1${profile_part:+: $profile_part}" "is about the module"
	return 1
}

# The module, of a tree that tells the variables from others.
profile_build() # NAME [VARIABLE=VALUE]...
{
	profile_build_of=$1
	shift
	if [ $# -eq 0 ]; then
		guest_module "$profile_build_of"
		return
	fi
	"$SCRIPTS/kmod-tree" "$T/variant" || return
	printf 'export %s\n' "$@" >"$T/variant.mk"
	cat "$T/variant/Kbuild" >>"$T/variant.mk"
	cp "$T/variant.mk" "$T/variant/Kbuild"
	profile_folder=$(guest_build "$profile_build_of" "$T/variant") || return
	echo "$profile_folder/oprof.ko"
}

# profile_compile NAME PROGRAM [ARGUMENT]...: tests/guest/PROGRAM.c into $T/NAME/PROGRAM
profile_compile()
{
	profile_compile_for=$1
	profile_compile_what=$2
	shift 2
	guest_compile "$(guest_arch "$profile_compile_for")" -D_GNU_SOURCE -I"$GUEST/../.." \
		-I"$GUEST/../../include" -O1 "$@" -o "$T/$profile_compile_for/$profile_compile_what" \
		"$GUEST/$profile_compile_what.c" || tap_bail "$profile_compile_what.c does not compile"
}

# profile_run NAME SCRIPT [FILE]...: boot it with all that; its TAP becomes
# ours, its output is $T/guest.out. $profile_settings: more lines for inside.sh. Of a part: it is
# booted with the others'.
profile_run()
{
	if [ -n "${profile_part:-}" ]; then
		profile_files="$profile_files $2=/parts/$profile_part.sh"
		profile_ready="$profile_ready $profile_part"
		shift 2
		profile_files="$profile_files $*"
	else
		profile_boot "$@"
	fi
}

profile_boot() # NAME SCRIPT [FILE]...
{
	profile_of=$1
	profile_script=$2
	shift 2
	cat >"$T/settings" <<-END
		guest=$profile_of
		seed=$seed
		source=$profile_source
		all=${OPROF_CHECK_ALL:-}
		${profile_settings:-}
	END
	for profile_program in oprof opcontrol oprofiled opreport; do
		set -- "$profile_programs/$profile_program" "$@"
	done
	guest_run "$profile_of" "$profile_script" "$GUEST/inside.sh" "$T/settings=/settings" \
		"$OPROF_EVENTS_DIR=/events" ${profile_module:+"$profile_module"} "$@"
	profile_status=$?
	profile_take_tap "$profile_of"
	tap_show "$T/guest.err"
	# 1: a test of it failed, and was told as such; of any other end nothing was.
	profile_ends=$profile_status
	[ $profile_status != 1 ] || profile_ends=0
	tap_is $profile_ends 0 "$profile_of: comes to its end, its kernel's log is clean"
	return $profile_status
}

profile_parts() # PARTS [OPTION]...
{
	profile_wanted=${OPROF_GUEST_PARTS:-$1}
	shift
	profile_options=$*
	for profile_part in $profile_wanted; do
		# shellcheck disable=SC1090 # any of them
		. "$GUEST/part_$profile_part.sh"
	done
	profile_each profile_boot_parts
}

# Has the part run in another guest, and is not needed in this one?
profile_has_run()
{
	[ -z "${OPROF_CHECK_ALL:-}" ] || return
	case " ${profile_once:-} " in
	*" $profile_part "*) ;;
	*) return 1 ;;
	esac
	case " ${profile_ran:-} " in
	*" $profile_part "*) ;;
	*) return 1 ;;
	esac
}

profile_boot_parts() # NAME
{
	profile_files=
	profile_ready=
	profile_nr=0
	for profile_part in $profile_wanted; do
		if profile_has_run; then
			tap_note "$1: $profile_part has run in another guest"
			continue
		fi
		profile_before="$tap_nr $profile_ready"
		"part_$profile_part" "$1"
		[ "$tap_nr $profile_ready" != "$profile_before" ] ||
			tap_ok 1 "$1: $profile_part is ready, or is skipped with a reason"
		profile_nr=$((profile_nr + 1))
	done
	profile_part=
	[ -n "$profile_ready" ] || return
	echo "$profile_ready" >"$T/$1/order"
	# Each part has as long as a boot of its own would; with all that is slow, ten times that. Two
	# guests that hang end before the test's own limit in scripts/check, which tells less.
	profile_seconds=$((profile_nr * 300))
	[ $profile_seconds -lt 1700 ] || profile_seconds=1700
	[ -z "${OPROF_CHECK_ALL:-}" ] || profile_seconds=$((profile_nr * 3000))
	guest_options="-t $profile_seconds -o $T/$1/out $profile_options"
	# shellcheck disable=SC2086 # words
	profile_boot "$1" "$GUEST/inside_parts.sh" "$T/$1/order=/parts/order" $profile_files
	! profile_ended || profile_ran="${profile_ran:-} $profile_ready"
	mv "$T/guest.out" "$T/$1/all.out"
	for profile_part in $profile_ready; do
		command -v "part_${profile_part}_after" >/dev/null || continue
		sed -n "/^# part $profile_part\$/,/^# part /p" "$T/$1/all.out" >"$T/guest.out"
		"part_${profile_part}_after" "$1"
	done
	profile_part=
}

# The guest's TAP in our numbers, its name in front, and that of the part. A plan that was not kept
# is a failure.
profile_take_tap() # NAME
{
	awk -v name="$1" -v nr="$tap_nr" '
		function over(complete) { # a part, or all
			complete = ran && plan == ran
			print complete ? "ok" : "not ok", ++nr, "-", name part ": all its tests ran"
			all_bad += bad + !complete
			ran = plan = bad = 0
		}
		/^# part [a-z_]+$/ {
			if (part)
				over()
			part = ": " $3
			print
			next
		}
		/^(not )?ok [0-9]+/ {
			ran++
			is = /^not/ ? "not ok" : "ok"
			if (is != "ok") bad++
			sub(/^(not )?ok [0-9]+( - )?/, "")
			print is, ++nr, "-", name part ": " $0
			next
		}
		/^1\.\.[0-9]+$/ { plan = substr($0, 4) + 0; next }
		/^Bail out!/ { $0 = "# " $0 }
		/^# @/ { next } # folders
		{ print /^#/ ? $0 : "# " $0 }
		END {
			over()
			print nr, all_bad >counts
		}' counts="$T/counts" "$T/guest.out"
	read -r tap_nr profile_bad <"$T/counts"
	tap_failed=$((tap_failed + profile_bad))
}

# profile_read_folders NAME FOLDER...: trace folders that the guest sent by send_folders, all of these
# and perhaps more; babeltrace2 reads each, and as much as we do. They are $T/NAME/folders/FOLDER.
profile_read_folders()
{
	profile_of=$1
	shift
	rm -rf "$T/$profile_of/folders" # of the part before
	mkdir -p "$T/$profile_of/folders"
	sed -n 's/^# @//p' "$T/guest.out" | base64 -d 2>/dev/null | gzip -dc 2>/dev/null |
		tar -C "$T/$profile_of/folders" -xf - 2>/dev/null
	sed -i '/^# @/d' "$T/guest.out"
	for profile_folder in "$@"; do
		[ -d "$T/$profile_of/folders/$profile_folder" ]
		tap_ok $? "$profile_of: $profile_folder came here"
	done
	if ! command -v babeltrace2 >/dev/null; then
		tap_skip "$profile_of: babeltrace2 reads its folders" "babeltrace2 is not installed"
		return
	fi
	for profile_folder in "$T/$profile_of/folders"/*; do
		[ -d "$profile_folder" ] || continue
		babeltrace2 "$profile_folder" >"$T/text" 2>"$T/reader"
		tap_ok $? "$profile_of: babeltrace2 reads ${profile_folder##*/}"
		grep -v '^WARNING: Tracer .*discarded .*\(event\|packet\)s* between\|^$' "$T/reader" >"$T/wrong"
		[ ! -s "$T/wrong" ]
		tap_ok $? "$profile_of: and finds nothing wrong"
		[ ! -s "$T/wrong" ] || tap_show "$T/wrong" 5
		# A snapshot's, overwritten before their turn came.
		profile_packets=$(sed -n 's/^WARNING: Tracer discarded \([0-9]*\) packets* between.*/\1/p' "$T/reader" |
			awk '{ sum += $1 } END { print sum + 0 }')
		tap_is "$profile_packets" "$("$BIN/optrace" stats --json "$profile_folder" 2>/dev/null |
			sed -n 's/^ *"lost_packets": *\([0-9]*\),*$/\1/p')" \
			"$profile_of: as many packets are missing as we say"
		tap_is "$(wc -l <"$T/text")" "$("$BIN/optrace" events "$profile_folder" 2>/dev/null | wc -l)" \
			"$profile_of: as many events as we read"
	done
}
