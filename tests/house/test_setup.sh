#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/setup on machines that lack things: a folder of links to all
# commands but some stands for the machine, a script for apt-get.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tree=$(mktemp -d) || exit 99
trap 'rm -rf "$tree"' EXIT
nr=0

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# /' "$tree/out"
	fi
}

without() { # COMMAND...: begin a machine that lacks these, and apt-get
	rm -rf "${tree:?}/bin"
	mkdir "$tree/bin"
	for folder in /usr/local/bin /usr/bin /bin /usr/sbin /sbin; do
		ln -s "$folder"/* "$tree/bin" 2>/dev/null
	done
	(cd "$tree/bin" && rm -f "$@" apt-get)
}

# An apt-get that does nothing but write down what it was asked.
give_apt() { # STATUS of install
	cat >"$tree/bin/apt-get" <<END
#!/bin/sh
echo "\$DEBIAN_FRONTEND: \$*" >>"$tree/asked"
[ "\$1" != install ] || exit $1
END
	printf '#!/bin/sh\nexec "$@"\n' >"$tree/bin/sudo.new"
	rm -f "$tree/bin/sudo" # a link: not to be written through
	mv "$tree/bin/sudo.new" "$tree/bin/sudo"
	chmod +x "$tree/bin/apt-get" "$tree/bin/sudo"
	: >"$tree/asked"
}

setup() {
	PATH="$tree/bin" "$top/scripts/setup" "$@" >"$tree/out" 2>&1
}

asked() { # PATTERN
	grep -q "^noninteractive: install .*$1" "$tree/asked"
}

echo 1..6
without cppcheck shellcheck
! setup --check && grep -q '^ .* cppcheck' "$tree/out" && grep -q '^ .* shellcheck' "$tree/out"
result $? "without_apt_the_exact_list_is_printed"

give_apt 0
setup --check && asked ' cppcheck' && asked ' shellcheck'
result $? "with_apt_what_is_missing_is_installed_without_a_question"

! asked ' valgrind' && ! asked ' make'
result $? "what_is_there_is_not_installed_again"

without make
give_apt 0
setup --build && asked ' make' && ! asked ' cppcheck'
result $? "build_asks_for_no_tools_of_the_check"

without make
give_apt 100
! setup --build && grep -q 'could not install.* make' "$tree/out"
result $? "an_apt_that_fails_is_told_with_the_list"

! setup --nonsense && grep -q -e '--build' "$tree/out"
result $? "an_unknown_option_shows_the_usage"
