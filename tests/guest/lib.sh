# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests in guests share, beyond what end-to-end tests do: booting,
# building the module and programs for a guest.
#
# A test begins with: . "$(dirname "$0")/lib.sh"
#   $GUEST  folder of these tests	$SCRIPTS  of scripts/guest and others
#   $T, $BIN, $CC, tap_ok and so on: tests/e2e/lib.sh
#
#	for guest in $(guest_names); do
#		guest_ready "$guest" || continue
#		module=$(guest_module "$guest") || ...
#		programs=$(guest_programs "$(guest_arch "$guest")") || ...
#		guest_run "$guest" "$GUEST/inside_x.sh" "$module" "$programs/oprofiled"
#		tap_is $? 0 "$guest: ..."
#	done
#	tap_end
. "$(dirname "$0")/../e2e/lib.sh"
GUEST=$E2E
SCRIPTS=$GUEST/../../scripts
guest_cache=$OPROF_GUEST_CACHE

# The guests of this run: two, or all (OPROF_CHECK_ALL), or OPROF_GUESTS.
guest_names()
{
	if [ -n "${OPROF_GUESTS:-}" ]; then
		echo "$OPROF_GUESTS"
	elif [ -n "${OPROF_CHECK_ALL:-}" ]; then
		"$SCRIPTS/guest-kernel" --list | awk '{ print $1 }'
	else
		echo arm64-nmi x86-6.1
	fi
}

guest_arch() # NAME
{
	case $1 in
	arm64*) echo arm64 ;;
	*) echo x86 ;;
	esac
}

# Make a guest's kernel ready. What can't be had is said, and skipped; what
# fails otherwise is a failed test. 1: go on with the next guest.
guest_ready() # NAME
{
	"$SCRIPTS/guest-kernel" "$1" >"$T/guest.kernel" 2>"$T/guest.err" && return 0
	if [ $? -eq 77 ]; then
		tap_skip "guest $1" "$(tail -n1 "$T/guest.err")"
	else
		tap_ok 1 "guest $1 can be made"
		tap_show "$T/guest.err"
	fi
	return 1
}

# Run SCRIPT in a guest with files (as scripts/guest -a has them). Options of
# scripts/guest are in $guest_options, words. The status is that of
# scripts/guest; $T/guest.out: what the script wrote; $T/guest.err: what
# there is to say of the guest; $T/guest.serial: the console.
guest_run() # NAME SCRIPT [FILE]...
{
	guest_name=$1
	guest_script=$2
	shift 2
	guest_adds=
	for guest_file in "$@"; do
		guest_adds="$guest_adds -a $guest_file"
	done
	guest_began=$(date +%s)
	# shellcheck disable=SC2086 # words
	"$SCRIPTS/guest" -g "$guest_name" -l "$T/guest.serial" ${guest_options:-} $guest_adds \
		"$guest_script" >"$T/guest.out" 2>"$T/guest.err" </dev/null
	guest_status=$?
	tap_note "$guest_name: ${guest_script##*/} took $(($(date +%s) - guest_began)) s"
	return $guest_status
}

# Why a guest's run failed, for who reads the log.
guest_show()
{
	tap_note "what it wrote:"
	tap_show "$T/guest.out" 200
	tap_note "what is said of it:"
	tap_show "$T/guest.err" 50
}

# Build a folder with a Kbuild for a guest, unless it was built before of the
# same content; print the folder that has the .ko files.
guest_build() # NAME FOLDER
{
	guest_hash=$( (cd "$2" && find . -type f | LC_ALL=C sort | xargs sha256sum &&
		cat "$("$SCRIPTS/guest-kernel" "$1")/recipe" "$SCRIPTS/guest-module") | sha256sum | cut -c1-24)
	guest_built=$guest_cache/modules/$1-$guest_hash
	if [ ! -d "$guest_built" ]; then
		# In the cache, so that to be moved there is to be there whole.
		mkdir -p "$guest_cache/modules"
		guest_new=$(mktemp -d "$guest_cache/modules/new.XXXXXX") || return
		"$SCRIPTS/guest-module" "$1" "$2" "$guest_new" >&2 || {
			guest_status=$?
			rm -rf "$guest_new"
			return $guest_status
		}
		# Another test may have been quicker.
		mv -T "$guest_new" "$guest_built" 2>/dev/null || rm -rf "$guest_new"
		find "$guest_cache/modules" -mindepth 1 -maxdepth 1 -mtime +7 \
			-exec rm -rf {} + 2>/dev/null
	fi
	echo "$guest_built"
}

# Print the path of oprof.ko for this guest, built of this tree.
guest_module() # NAME
{
	guest_tree=$T/module-tree
	[ -d "$guest_tree" ] || "$SCRIPTS/kmod-tree" "$guest_tree" >&2 || return
	guest_folder=$(guest_build "$1" "$guest_tree") || return
	echo "$guest_folder/oprof.ko"
}

# Print a checksum of all that the programs of another architecture are made of.
guest_programs_hash() # ARCH
{
	(cd "$SCRIPTS/.." && scripts/list-files >"$T/guest.files" &&
		grep -vE '^(LICENSES|bench|doc|kmod|model|scripts|tests)/|\.md$' "$T/guest.files" |
		xargs sha256sum >"$T/guest.inputs" && [ -s "$T/guest.inputs" ] &&
		cat scripts/guest-programs "$guest_cache/sysroot-$1/recipe" >>"$T/guest.inputs" &&
		aarch64-linux-gnu-gcc --version >>"$T/guest.inputs") || return
	echo "${CFLAGS:-} ${CPPFLAGS:-} ${LDFLAGS:-}" >>"$T/guest.inputs"
	sha256sum <"$T/guest.inputs" | cut -c1-24
}

# Build them below the build folder, anew only where a source has changed, and copy what guests get
# to FOLDER.
guest_build_programs() # ARCH FOLDER
{
	mkdir -p "$BIN/guest-$1" "$2/lib" "$2/libdb"
	# The folder is opened to be locked.
	# shellcheck disable=SC2094
	(
		flock 9
		"$SCRIPTS/guest-programs" "$1" "$BIN/guest-$1" >&2 &&
			find "$BIN/guest-$1" -maxdepth 1 -type f -perm -100 ! -name config.status -exec cp -t "$2" {} + &&
			cp "$BIN/guest-$1/lib/libbase.a" "$2/lib" &&
			cp "$BIN/guest-$1/libdb/libsdb.a" "$2/libdb"
	) 9<"$BIN/guest-$1" || return
	find "$2" -maxdepth 1 -type f ! -name oprof-module -exec aarch64-linux-gnu-strip --strip-debug {} +
}

# Print the folder of oprof's programs for an architecture. Those of another one are kept in the
# guests' cache, by the content of their sources: the last five of them, and those of this day.
guest_programs() # ARCH
{
	if [ "$1" = x86 ]; then
		echo "$BIN"
		return
	fi
	"$SCRIPTS/guest-programs" --sysroot "$1" >/dev/null || return
	guest_hash=$(guest_programs_hash "$1") || return
	guest_built=$guest_cache/programs/$1-$guest_hash
	if [ ! -d "$guest_built" ]; then
		# In the cache, so that to be moved there is to be there whole.
		mkdir -p "$guest_cache/programs"
		guest_new=$(mktemp -d "$guest_cache/programs/new.XXXXXX") && chmod 755 "$guest_new" || return
		guest_build_programs "$1" "$guest_new" || {
			guest_status=$?
			rm -rf "$guest_new"
			return $guest_status
		}
		# Sources that changed meanwhile: it is not known what these are made of.
		[ "$(guest_programs_hash "$1")" = "$guest_hash" ] || {
			mv -T "$guest_new" "$T/guest.programs" && echo "$T/guest.programs"
			return
		}
		# Another test may have been quicker.
		mv -T "$guest_new" "$guest_built" 2>/dev/null || rm -rf "$guest_new"
		[ -d "$guest_built" ] || return
	fi
	touch "$guest_built"
	find "$guest_cache/programs" -mindepth 1 -maxdepth 1 -printf '%T@ %p\n' | sort -rn |
		tail -n +6 | cut -d' ' -f2- | xargs -r -I{} find {} -maxdepth 0 -mtime +0 -exec rm -rf {} +
	echo "$guest_built"
}

# Compile a test's program for an architecture: guest_compile ARCH -O1 -o X X.c
guest_compile()
{
	guest_for=$1
	shift
	case $guest_for in
	x86) $CC "$@" ;;
	*) "$SCRIPTS/guest-programs" --compile "$guest_for" "$@" ;;
	esac
}
