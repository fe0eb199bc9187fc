# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# What guest-kernel, guest-module, guest-programs and guest share: the table
# of guests, the cache, and how a folder of the cache is made once.
#
# cache/NAME/ of a guest: image, release (a line), arch (x86 or arm64), build
# (what modules are built against), modules/ (of Debian's kernels), and
# recipe, which says what it was made of and is written last.

guests_home=$(cd "$(dirname "$0")/guests" && pwd)
cache=${OPROF_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/oprof/guest}

# NAME KIND WHAT SECONDS: WHAT is Debian's meta-package, or the fragments of a
# configuration for the kernel of linux-source-6.12; SECONDS is what booting
# takes at most on an idle machine.
guests_table()
{
	cat <<-END
		x86-6.1   package linux-image-amd64      6
		x86-6.12  package linux-image-6.12-amd64 8
		x86-7.2   sid     linux-image-amd64      10
		x86-rt    package linux-image-rt-amd64   8
		x86-kasan source  base+x86+kasan         20
		x86-kcsan source  base+x86+kcsan         12
		arm64-nmi source  base+arm64             5
		arm64-6.1 arm64   linux-image-arm64      15
	END
}

guest_field() # NAME NUMBER
{
	guests_table | awk -v name="$1" -v field="$2" '$1 == name { print $field }'
}

guests_names()
{
	guests_table | awk '{ print $1 }'
}

guest_kind() # NAME
{
	guest_field "$1" 2
}

guest_what() # NAME
{
	guest_field "$1" 3
}

guest_boot_seconds() # NAME
{
	guest_field "$1" 4
}

guest_arch() # NAME
{
	case $1 in
	arm64*) echo arm64 ;;
	*) echo x86 ;;
	esac
}

say()
{
	echo "guest: $*" >&2
}

# What a guest needs can't be had here.
lacking()
{
	say "$*"
	exit 77
}

need() # COMMAND...
{
	for need_one in "$@"; do
		command -v "$need_one" >/dev/null || lacking "$need_one is missing: scripts/setup installs it"
	done
}

# Hold the lock of this name until the process ends; it may take as long as
# another one needs to build a kernel.
lock() # FD NAME
{
	mkdir -p "$cache"
	eval "exec $1>\"\$cache/$2.lock\""
	flock -n "$1" || {
		say "waiting for another run that makes $2"
		flock "$1"
	}
}

# Is cache/NAME there, made of this? "-" for a version: apt has no lists, and
# whatever is there goes on serving.
is_made_of() # NAME RECIPE
{
	case $2 in
	*' -') [ -r "$cache/$1/recipe" ] ;;
	*) [ "$(cat "$cache/$1/recipe" 2>/dev/null)" = "$2" ] ;;
	esac
}

# A new folder NAME.new has been filled: it takes the place of NAME.
put_in_place() # NAME RECIPE
{
	echo "$2" >"$cache/$1.new/recipe"
	if [ -e "$cache/$1" ]; then
		mv "$cache/$1" "$cache/$1.old"
	fi
	mv "$cache/$1.new" "$cache/$1"
	rm -rf "${cache:?}/$1.old"
}

# The output of a long command goes to a file, whose end is shown if it fails.
quietly() # LOG COMMAND...
{
	quietly_log=$1
	shift
	"$@" >"$quietly_log" 2>&1 </dev/null && return
	tail -n 30 "$quietly_log" >&2
	return 1
}

# ---- packages ----

# The one that a meta-package of this name stands for, followed to the end.
package_of() # META [APT_OPTION...]
{
	package_meta=$1
	shift
	package_found=$(apt-cache "$@" depends "$package_meta" 2>/dev/null |
		awk '/^ *Depends: linux-(image|headers|source|kbuild)-[0-9]/ { print $2; exit }')
	case $package_found in
	'') echo "$package_meta" ;;
	*) package_of "$package_found" "$@" ;;
	esac
}

version_of() # PACKAGE [APT_OPTION...]
{
	version_package=$1
	shift
	apt-cache "$@" policy "$version_package" 2>/dev/null |
		awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# Unpack packages, downloaded by apt, into a folder.
unpack_packages() # FOLDER PACKAGE... [-- APT_OPTION...]
{
	unpack_folder=$1
	shift
	unpack_names=
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		unpack_names="$unpack_names $1"
		shift
	done
	[ $# -eq 0 ] || shift
	unpack_debs=$(mktemp -d)
	chmod 755 "$unpack_debs"
	say "fetching$unpack_names"
	# shellcheck disable=SC2086 # names are words
	(cd "$unpack_debs" && quietly "$unpack_debs/log" apt-get -q "$@" download $unpack_names) || {
		rm -rf "$unpack_debs"
		lacking "apt can't download$unpack_names"
	}
	mkdir -p "$unpack_folder"
	for unpack_one in "$unpack_debs"/*.deb; do
		dpkg-deb -x "$unpack_one" "$unpack_folder" || exit 1
	done
	rm -rf "$unpack_debs"
}
