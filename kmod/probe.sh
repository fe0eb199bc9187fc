#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# probe.sh FOLDER HEADER COMPILER...: try to compile each FOLDER/NAME.c and
# define COMPAT_HAS_NAME to 1 or 0 in HEADER. The kernel's version would not be
# sufficient, since stable releases get functions of later kernels.
set -eu
folder=$1
header=$2
shift 2
mkdir -p "$(dirname "$header")"
{
	echo "/* Made by kmod/probe.sh. */"
	for file in "$folder"/*.c; do
		name=$(basename "$file" .c | tr '[:lower:]' '[:upper:]')
		if "$@" -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
			-fsyntax-only "$file" >/dev/null 2>&1; then
			echo "#define COMPAT_HAS_$name 1"
		else
			echo "#define COMPAT_HAS_$name 0"
		fi
	done
} >"$header.new"
# If the compiler or the headers do not work at all, every result is 0.
grep -q '^#define COMPAT_HAS_ALWAYS 1$' "$header.new" || {
	echo "kmod/probe.sh: nothing compiles against these headers:" >&2
	"$@" -fsyntax-only "$folder/always.c" >&2 || :
	exit 1
}
mv "$header.new" "$header"
