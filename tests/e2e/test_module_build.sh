#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprof-module builds the kernel module with the installed kernel headers, keeps
# it, and builds it again if its sources, headers or kernel have changed. Each
# reason that prevents this is reported with its remedy. opcontrol works without
# a module. Nothing is loaded: a folder takes the place of the machine on which
# oprof-module runs. With OPROF_CHECK_ALL=1, DKMS builds the module, too.
. "$(dirname "$0")/lib.sh"

[ -x "$BIN/oprof-module" ] || tap_bail "there is no oprof-module in $BIN"
R=$(find /lib/modules -mindepth 2 -maxdepth 2 -name build 2>/dev/null | sort | tail -n1)
R=$(basename "$(dirname "$R")")
[ -r "/lib/modules/$R/build/Makefile" ] ||
	tap_skip_all "no kernel headers are installed (linux-headers-amd64)"
running=$(uname -r)
headers=/lib/modules/$R/build
# As regular expressions: a release may be 6.12.0+.
R_re=$(printf '%s' "$R" | sed 's/[+.]/[&]/g')
running_re=$(printf '%s' "$running" | sed 's/[+.]/[&]/g')
M=$T/machine   # the folder that takes the place of the machine
O=$T/kept      # the folder in which modules are kept
mini=$T/mini   # sources that build in a second
export TMPDIR="$T/tmp"
mkdir -p "$TMPDIR"

module()
{
	"$BIN/oprof-module" "$@" >"$T/out" 2>"$T/err"
}

# refuses REASON REMEDY TEXT, of the module call before: its two lines on stderr
refuses()
{
	tap_is "$status" 1 "$3: refused"
	tap_has "$T/err" "^oprof-module: .*$1" "$3: the reason is reported"
	tap_has "$T/err" "^oprof-module: -> .*$2" "$3: so is the remedy"
}

# A module of one file, whose only content is TEXT.
mini_source()
{
	mkdir -p "$mini"
	echo 'obj-m := oprof.o' >"$mini/Kbuild"
	cat >"$mini/oprof.c" <<END
#include <linux/module.h>
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("$1");
MODULE_VERSION("1");
END
}

# A machine on which nothing prevents loading a module.
new_machine()
{
	rm -rf "$M"
	mkdir -p "$M/proc/self" "$M/proc/sys/kernel" "$M/sys/kernel/security" "$M/etc" \
		"$M/lib/modules/$running" "$M/sys/module/module/parameters"
	: >"$M/proc/modules"
	: >"$M/proc/mounts"
	printf 'CapEff:\t000001ffffffffff\n' >"$M/proc/self/status"
	echo "         0          0 4294967295" >"$M/proc/self/uid_map"
	echo 0 >"$M/proc/sys/kernel/modules_disabled"
	echo "[none] integrity confidentiality" >"$M/sys/kernel/security/lockdown"
	echo N >"$M/sys/module/module/parameters/sig_enforce"
	printf 'PRETTY_NAME="x"\nID=debian\n' >"$M/etc/os-release"
}

# load [OPTION...]: the command is always refused, or the module is loaded already
load()
{
	module load --root "$M" "$@"
	status=$?
}

# A module as modprobe would find it: installed RELEASE
installed()
{
	mkdir -p "$M/lib/modules/$running/updates/dkms"
	printf 'x\0vermagic=%s SMP mod_unload \0y\n' "$1" >"$M/lib/modules/$running/updates/dkms/oprof.ko"
	echo "updates/dkms/oprof.ko:" >"$M/lib/modules/$running/modules.dep"
}

has_module_of() # FILE RELEASE
{
	tr '\0' '\n' <"$1" | grep -q "vermagic=$2 "
}

# ---- building and keeping ----

mini_source one
module build --release "$R" --source "$mini" --output "$O"
tap_is $? 0 "a module is built for $R"
tap_is "$(cat "$T/out")" "$O/$R/oprof.ko" "its path is printed, and nothing else"
tap_has "$T/err" 'building the module .*build.log' "progress is reported, with the log"
has_module_of "$O/$R/oprof.ko" "$R"
tap_ok $? "it is for that kernel"
was=$(stat -c %i.%Y "$O/$R/oprof.ko")
module build --release "$R" --source "$mini" --output "$O"
tap_is "$? $(cat "$T/out" "$T/err")" "0 $O/$R/oprof.ko" "an existing module is not built again"
tap_is "$(stat -c %i.%Y "$O/$R/oprof.ko")" "$was" "nor written"
module build --headers "$headers" --source "$mini" --output "$O" --lines
tap_is "$? $(cat "$T/out" "$T/err")" "0 path $O/$R/oprof.ko" "the headers contain the release of their kernel"
mini_source two
module build --release "$R" --source "$mini" --output "$O"
tap_is $? 0 "other sources"
tap_has "$T/err" building "are built"
grep -q description=two "$O/$R/oprof.ko"
tap_ok $? "and take the place of the old ones"
sed -i 's/^headers .*/headers 0/' "$O/$R/built-of"
module build --release "$R" --source "$mini" --output "$O"
tap_has "$T/err" building "other headers: built again"
was=$(stat -c %i "$O/$R/oprof.ko")
module build --release "$R" --source "$mini" --output "$O" --force
tap_has "$T/err" building "--force: built again"
[ "$(stat -c %i "$O/$R/oprof.ko")" != "$was" ]
tap_ok $? "in the place of what was there"
cd "$T" || exit 1
module build --release "$R" --source mini --output kept
tap_is "$? $(cat "$T/out")" "0 $O/$R/oprof.ko" "names of folders may be relative"
module build --release "$R" --source mini --output 'back\nslash'
tap_is "$? $(cat "$T/out")" "0 $T/back\\nslash/$R/oprof.ko" "a backslash in a relative name stays as it is"
# The links are to a folder that another user may change: make must not run there.
ln -s "$mini" "$T/link"
ln -s mini "$T/relative-link"
for link in link relative-link; do
	module build --release "$R" --source "$T/$link" --output "$O" --force
	tap_is "$? $(cd "$mini" && echo *)" "0 Kbuild oprof.c" \
		"sources behind a link ($link) are copied, and nothing is built in their folder"
done
# The sources change when they have been copied.
mkdir "$T/changes"
printf '#!/bin/sh\n%s "$@" || exit 1\n[ "$1" != -R ] || echo "/* changed */" >>"%s"\n' \
	"$(command -v cp)" "$mini/oprof.c" >"$T/changes/cp"
chmod +x "$T/changes/cp"
PATH="$T/changes:$PATH" module build --release "$R" --source "$mini" --output "$O" --force
tap_is $? 0 "sources change after they were copied: the copy is built"
module build --release "$R" --source "$mini" --output "$O"
tap_has "$T/err" building "and the next build notices the change"
mini_source two

echo 'this is no C' >>"$mini/oprof.c"
module build --release "$R" --source "$mini" --output "$O"
status=$?
refuses "other sources; the module does not build for $R_re: .*error.*$O/$R_re/build.log" \
	'report it with that log' "sources that do not compile"
[ -s "$O/$R/build.log" ]
tap_ok $? "the log is there"
mini_source two
# A compiler that never ends, to be interrupted.
mkdir -p "$T/slow" "$T/slow-headers"
printf '#!/bin/sh\nmkdir -p %s\nexec sleep 1000\n' "$T/slow/begun" >"$T/slow/make"
chmod +x "$T/slow/make"
PATH="$T/slow:$PATH" "$BIN/oprof-module" build --release "$R" --source "$mini" \
	--output "$T/cut" >/dev/null 2>&1 &
slow=$!
cleanup_pid $slow
until_true test -d "$T/slow/begun"
ls "$TMPDIR"/oprof-module.* >/dev/null 2>&1
tap_ok $? "a build is under way"
kill -TERM $slow
wait $slow
tap_is $? 143 "is ended by a signal"
tap_is "$(ls -A "$TMPDIR")$(ls -A "$T/cut/$R")" "build.log" "and leaves nothing half made"

# ---- what prevents a build ----

module build --release 5.10.0-20-amd64 --source "$mini" --output "$O"
status=$?
refuses 'Linux 5.10.0-20-amd64 is too old .* 6.1' 'source=perf' "an old kernel"
module build --release "$R" --source "$T/nowhere" --output "$T/none"
status=$?
refuses "sources are not in $T/nowhere" 'make install' "no sources"
new_machine
for pair in "debian=apt-get install linux-headers-9.9.9-lts" "ubuntu=apt-get install linux-headers-9.9.9-lts" \
	"fedora=dnf install kernel-devel-9.9.9-lts" "arch=pacman -S linux-lts-headers" \
	"opensuse-leap=zypper install kernel-lts-devel" "alpine=apk add linux-lts-dev" \
	"gentoo=make modules_prepare" "homemade=install linux-headers-9.9.9-lts by"; do
	echo "ID=${pair%%=*}" >"$M/etc/os-release"
	module build --root "$M" --release 9.9.9-lts --source "$mini"
	status=$?
	refuses 'no kernel headers for 9.9.9-lts' "${pair#*=}" "no headers on ${pair%%=*}"
done
printf 'ID="mine"\nID_LIKE="rhel centos"\n' >"$M/etc/os-release"
module build --root "$M" --release 9.9.9-1.x86_64 --source "$mini"
status=$?
refuses 'no kernel headers' 'dnf install kernel-devel-9.9.9-1.x86_64' "one like another distribution"
echo "ID=arch" >"$M/etc/os-release"
module build --root "$M" --release 9.9.9-arch1-1 --source "$mini"
status=$?
refuses 'no kernel headers' 'linux-headers \(if these headers are not for 9.9.9-arch1-1: also update the kernel' \
	"headers of another release than the running one's"
rmdir "$M/lib/modules/$running"
module build --root "$M" --source "$mini"
status=$?
refuses "no kernel headers for $running_re" 'boot, if an update has replaced the running kernel' \
	"a kernel that an update has replaced"
mkdir "$M/lib/modules/$running"
if [ ! -e "/lib/modules/$running/build" ]; then
	module build --source "$mini" --output "$O"
	status=$?
	refuses "no kernel headers for $running_re" "$running_re" "this machine's own kernel"
fi

# The same machine without some of its commands.
without() # PATTERN
{
	rm -rf "$T/commands"
	mkdir "$T/commands"
	for folder in /usr/local/bin /usr/bin /bin; do
		ln -s "$folder"/* "$T/commands" 2>/dev/null
	done
	find "$T/commands" -name "$1" -exec rm {} +
	PATH="$T/commands" "$BIN/oprof-module" build --release "$R" --source "$mini" \
		--output "$T/none" >"$T/out" 2>"$T/err"
	status=$?
}
without '*gcc*'
refuses 'gcc.*, with which the kernel .* was built, is not installed' 'gcc' "no compiler"
without 'make'
refuses 'make, which builds the module, is not installed' 'make' "no make"
: >"$T/file"
module build --release "$R" --source "$mini" --output "$T/file/x"
status=$?
refuses "cannot write to $T/file/x/$R_re, where the module is stored" '--output DIR' \
	"an output that can't be written"
mkdir -p "$T/log/$R/build.log"
module build --release "$R" --source "$mini" --output "$T/log"
status=$?
refuses "cannot write to $T/log/$R_re, where the module is stored" '--output DIR' \
	"an output that is there and can't be written"
TMPDIR=$T/nowhere module build --force --release "$R" --source "$mini" --output "$O"
status=$?
refuses "cannot create a temporary folder in $T/nowhere" 'TMPDIR=DIR' \
	"--force: to be built again, without room for temporary files"
module build --release ../x --source "$mini" --output "$O"
tap_is $? 1 "a path is refused as a release"
module build --colour
tap_is $? 1 "an unknown option is refused"

# Folders of a size of their own, seen by nobody else: small SIZE build OPTION...
small()
{
	mkdir -p "$T/small"
	unshare -m sh -c 'mount -t tmpfs -o "size=$1,mode=755" none "$2" && shift 2 && "$@"' - "$1" "$T/small" \
		"$BIN/oprof-module" build --release "$R" --source "$mini" --force --output "$2" \
		>"$T/out" 2>"$T/err"
	status=$?
}
if unshare -m true 2>/dev/null; then
	TMPDIR=$T/small small 128k "$O"
	refuses "no space is left in $T/small, where the module is built" 'free .* there' \
		"a full disk where it is built"
	[ -f "$O/$R/oprof.ko" ]
	tap_ok $? "what was built before is still there"
	small 16k "$T/small"
	refuses "no space is left in $T/small/$R_re, where the module is stored" 'free space there' \
		"a full disk where it is kept"
fi
# Killed while the new one takes the place of the old one, the last one that was built.
mkdir -p "$T/killed"
printf '#!/bin/sh\nnr=$(cat %s 2>/dev/null || echo 0)\necho $((nr + 1)) >%s\n%s\nexec /bin/mv "$@"\n' \
	"$T/moved" "$T/moved" "[ \$nr != \$MOVES ] || kill -9 \$PPID" >"$T/killed/mv"
chmod +x "$T/killed/mv"
for moves in 1 2; do
	mini_source "after$moves"
	rm -f "$T/moved"
	MOVES=$moves PATH="$T/killed:$PATH" "$BIN/oprof-module" build --release "$R" --source "$mini" \
		--output "$O" >"$T/out" 2>&1
	tap_is $? 137 "a build is killed before its file $moves is there"
	module build --release "$R" --source "$mini" --output "$O"
	grep -q "description=after$moves" "$O/$R/oprof.ko"
	tap_ok $? "the module before it is not taken for the new one"
done
rm -rf "$TMPDIR"/oprof-module.*

# ---- what prevents loading ----

if [ "$(id -u)" = 0 ]; then
	new_machine
	rm "$M/proc/modules"
	load
	refuses 'CONFIG_MODULES' 'kernel' "a kernel without modules"
	new_machine
	printf 'CapEff:\t00000000a80425fb\n' >"$M/proc/self/status"
	load
	refuses 'CAP_SYS_MODULE.*container' 'outside of the container' "a container"
	new_machine
	echo "         0     100000      65536" >"$M/proc/self/uid_map"
	load
	refuses 'container' 'outside of the container' "a container of a user"
	new_machine
	echo 1 >"$M/proc/sys/kernel/modules_disabled"
	load
	refuses 'until the next boot .*modules_disabled' 'boot' "modules switched off"
	new_machine
	load --source "$mini" --no-build
	refuses 'must be built first' 'opcontrol --init' "--no-build with nothing built"
	load --source "$mini"
	refuses "no kernel headers for $running_re" "apt-get install linux-headers-$running_re" \
		"no headers for the running kernel"

	installed "$running"
	echo "none [integrity] confidentiality" >"$M/sys/kernel/security/lockdown"
	load
	refuses 'locked down \(integrity\) and accepts only signed modules, but .*oprof.ko is not signed' \
		'sign it .*SIGNING' "a locked-down kernel"
	echo "[none] integrity confidentiality" >"$M/sys/kernel/security/lockdown"
	echo Y >"$M/sys/module/module/parameters/sig_enforce"
	load
	refuses 'only signed modules \(module.sig_enforce\), but .* is not signed' 'sign it' \
		"a kernel that wants signatures"

	new_machine
	mkdir -p "$M/var/lib/oprofile/module/$running"
	cp "$O/$R/oprof.ko" "$O/$R/built-of" "$M/var/lib/oprofile/module/$running"
	load --source "$mini"
	refuses "oprof.ko is for the kernel $R_re, not $running_re; there are no kernel headers" \
		'linux-headers' "a module of another kernel"
	sed -i "s/vermagic=$R /vermagic=$running /" "$M/var/lib/oprofile/module/$running/oprof.ko"
	module status --root "$M" --source "$mini"
	tap_ok $? "one of this kernel and these sources would be loaded"
	tap_has "$T/out" "^built $M/var/lib/oprofile/module/$running_re/oprof.ko" "status shows which one"
	chown 64242 "$M/var/lib/oprofile"
	load --source "$mini"
	refuses "other users may change or replace $M/var/lib/oprofile," "--output DIR" \
		"one in a folder below another user's"
	module status --root "$M" --source "$mini"
	tap_has "$T/out" "^built no$" "status does not read it"
	tap_has "$T/out" "^reason other users may change" "and shows why"
	module build --root "$M" --source "$mini"
	status=$?
	refuses "other users may change or replace $M/var/lib/oprofile," "--output DIR" "nor is it built there"
	chown 0 "$M/var/lib/oprofile"
	chown 64242 "$M/var/lib/oprofile/module/$running/oprof.ko"
	load --source "$mini"
	refuses "other users may change or replace .*/oprof.ko," "--output DIR" "one that another user made"
	chown 0 "$M/var/lib/oprofile/module/$running/oprof.ko"
	mv "$M/var/lib/oprofile/module/$running/built-of" "$T/built-of"
	mkfifo "$M/var/lib/oprofile/module/$running/built-of"
	load --source "$mini"
	refuses "other users may change or replace .*/built-of," "--output DIR" "a pipe beside it"
	mv "$T/built-of" "$M/var/lib/oprofile/module/$running/built-of"
	chmod 777 "$M/var/lib/oprofile/module"
	load --source "$mini"
	refuses "other users may change or replace $M/var/lib/oprofile/module," "--output DIR" \
		"one in a folder where everybody may write"
	chmod 755 "$M/var/lib/oprofile/module"
	chmod 1777 "$M/var/lib/oprofile/module/$running"
	load --source "$mini"
	refuses "other users may change or replace $M/var/lib/oprofile/module/$running_re," "--output DIR" \
		"one in a folder like /tmp"
	chmod 755 "$M/var/lib/oprofile/module/$running"
	ln "$M/var/lib/oprofile/module/$running/oprof.ko" "$T/hard"
	load --source "$mini"
	refuses "other users may change or replace .*/oprof.ko," "--output DIR" "one that has another name"
	rm "$T/hard"
	mkdir -m 1777 "$M/shared"
	module build --root "$M" --source "$mini" --output "$M/shared/new"
	status=$?
	refuses "other users may change or replace $M/shared/new," "--output DIR" \
		"a folder that anybody may create"
	mv "$M/var/lib/oprofile/module" "$M/shared/module"
	ln -s "../../../shared/module" "$M/var/lib/oprofile/module"
	module status --root "$M" --source "$mini"
	tap_has "$T/out" "^built $M/shared/module/$running_re/oprof.ko" "a link of root's is followed"
	chown -h 64242 "$M/var/lib/oprofile/module"
	load --source "$mini"
	refuses "other users may change or replace $M/var/lib/oprofile/module," "--output DIR" \
		"but not one of another user's"
	rm "$M/var/lib/oprofile/module"
	mv "$M/shared/module" "$M/var/lib/oprofile/module"
	mini_source three
	load --source "$mini"
	refuses 'oprof.ko was built from other sources; there are no kernel headers' 'linux-headers' \
		"a stale module"
	module status --root "$M" --source "$mini"
	tap_is $? 1 "status reports this"
	tap_has "$T/out" '^built no: .*other sources' "and the reason"
	tap_has "$T/out" '^reason .*other sources; there are no kernel headers' "with the reason"
	tap_has "$T/out" '^remedy apt-get install' "and the remedy"
	module status --root "$M" --source "$T/nowhere"
	tap_ok $? "without sources, as on a board, it is not compared with them"
	mkdir -p "$M/sys/module/oprof"
	load
	tap_is "$status" 0 "a loaded module is not loaded again"
	tap_is "$(cat "$T/err")" "oprof-module: the module is loaded" "nor compared with the kept one, because the version of its sources is unknown"
	kept=$M/var/lib/oprofile/module/$running
	tr '\0' '\n' <"$kept/oprof.ko" | sed -n 's/.*srcversion=//p' >"$M/sys/module/oprof/srcversion"
	mini_source after2 # as built
	load --source "$mini"
	tap_is "$(cat "$T/err")" "oprof-module: the module is loaded" "nor is a difference reported if it was built from these sources"
	mini_source three
	load --source "$mini"
	tap_has "$T/err" 'built from other sources, and is loaded; .*opcontrol --deinit' \
		"a loaded module that is stale is reported"
	echo 0123456789ABCDEF >"$M/sys/module/oprof/srcversion"
	load --source "$mini"
	tap_has "$T/err" "built from other sources than $kept/oprof.ko; .*opcontrol --deinit" \
		"so is one that is older than the kept module"
	tap_is "$status" 0 "this is not an error"
	if ! [ -d /sys/module/oprof ]; then
		echo "x /mnt/o oprofilefs rw 0 0" >"$M/proc/mounts"
		module unload --root "$M"
		status=$?
		refuses 'mounted at /mnt/o, too' 'umount /mnt/o' "unloading one that is mounted elsewhere"
		echo "x /dev/oprofile oprofilefs rw 0 0" >"$M/proc/mounts"
		module unload --root "$M"
		status=$?
		refuses 'mounted at /dev/oprofile' 'opcontrol --deinit' "unloading one that is mounted"
	fi
	rm -r "$M/sys/module/oprof"
	module unload --root "$M"
	tap_is $? 0 "unloading succeeds if no module is loaded"
	su_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
	if $su_nobody true 2>/dev/null && $su_nobody test -x "$BIN/oprof-module"; then
		chmod -R a+rX "$M"
		$su_nobody "$BIN/oprof-module" load --root "$M" >"$T/out" 2>"$T/err"
		status=$?
		refuses 'only root' 'sudo opcontrol --init' "a user"
	else
		tap_skip "a user cannot load the module" "the user nobody cannot run the programs in this folder"
	fi
fi

# ---- root's module, where other users may change things ----

# build_in OUTPUT: a build of the small module, with its status
build_in()
{
	module build --release "$R" --source "$mini" --output "$1"
	status=$?
}

# Lists what users other than root may write to. If there is an access list, the bits of the group
# are its mask.
others_write() # FOLDER
{
	find "$1" ! -type l -perm /022
}

# left_link NAME: builds in a folder that belonged to another user, who left there a link NAME.PID
# to a file of root's
left_link()
{
	rm -rf "$T/given"
	mkdir -p "$T/given/$R"
	echo precious >"$T/precious"
	sh -c 'ln -s "$1" "$2.$$" && shift 2 && exec "$@"' - "$T/precious" "$T/given/$R/$1" \
		"$BIN/oprof-module" build --release "$R" --source "$mini" --output "$T/given" \
		>"$T/out" 2>"$T/err"
	status=$?
}

if [ "$(id -u)" = 0 ]; then
	mkdir -p "$T/walk/theirs"
	chown 64242 "$T/walk/theirs"
	build_in "$T/walk/new/../theirs"
	refuses "other users may change or replace $T/walk/theirs," "--output DIR" \
		".. behind a missing folder, to another user's folder"
	tap_is "$(ls -A "$T/walk/theirs")" "" "nothing is made there"
	build_in "$T/walk/new/../ours/deep"
	tap_is "$status $(cat "$T/out")" "0 $T/walk/ours/deep/$R/oprof.ko" \
		".. behind a missing folder, to folders of root's: they are made"
	tap_is "$(others_write "$T/walk/ours")" "" "only root may write to them"

	# Kernel headers and sources of another user: make would run their commands as root.
	new_machine
	mkdir -p "$M/lib/modules/$R" "$T/their-headers" "$T/their-source"
	ln -s "$T/their-headers" "$M/lib/modules/$R/build"
	printf 'modules:\n\t@echo "error: these headers are used"; exit 1\n' >"$T/their-headers/Makefile"
	cp "$mini"/* "$T/their-source"
	chown 64242 "$T/their-headers" "$T/their-source"
	module build --root "$M" --release "$R" --source "$mini" --output "$T/refused"
	status=$?
	refuses "other users may change or replace $T/their-headers, where the kernel headers are" \
		"if you trust the users who may change it: oprof-module build --headers $M/lib/modules/$R_re/build --release $R_re --source $mini --output $T/refused\$" \
		"kernel headers of another user"
	# A pipe in the place of each file that is read before the folder is refused.
	mkdir -p "$T/their-headers/include/config" "$T/their-headers/include/generated"
	for name in .config .kernelvariables include/config/auto.conf include/generated/utsrelease.h; do
		mkfifo "$T/their-headers/$name"
	done
	timeout 60 "$BIN/oprof-module" status --root "$M" --release "$R" --source "$mini" >"$T/out" 2>"$T/err"
	tap_is $? 1 "pipes in headers of another user do not stop status"
	tap_has "$T/out" "^remedy if you trust the users" "which refuses the headers"
	module build --release "$R" --source "$mini" --output "$M/var/lib/oprofile/module"
	timeout 60 "$BIN/oprof-module" status --root "$M" --release "$R" --source "$mini" >"$T/out" 2>"$T/err"
	tap_is $? 0 "nor do they stop status if a module is kept"
	tap_has "$T/out" "^built $M/var/lib/oprofile/module/$R_re/oprof.ko" "which can be loaded: such headers are not compared"
	tap_has "$T/err" "oprof.ko was not compared with the kernel headers: other users may change or replace $T/their-headers\$" \
		"and a message reports that"
	timeout 60 "$BIN/oprof-module" status --root "$M" --headers "$T/their-headers" --source "$mini" >"$T/out" 2>"$T/err"
	tap_ok $(($? == 124)) "nor do pipes in headers that the caller chose"
	rm -r "$T/their-headers/include" "$T/their-headers/.config" "$T/their-headers/.kernelvariables"
	chown 0 "$T/their-headers"
	chmod 777 "$T/their-headers"
	module build --root "$M" --release "$R" --source "$mini" --output "$T/refused"
	status=$?
	refuses "other users may change or replace $T/their-headers, where the kernel headers are" \
		"chmod go-w $T/their-headers; if you trust the users who may change it: oprof-module build --headers" \
		"kernel headers in a folder to which all may write"
	chmod 1777 "$T/their-headers"
	module build --root "$M" --release "$R" --source "$mini" --output "$T/refused"
	status=$?
	refuses "other users may change or replace $T/their-headers, where the kernel headers are" \
		"if you trust the users who may change it: oprof-module" "kernel headers in a folder like /tmp"
	tap_is "$(grep -c chmod "$T/err")" 0 "whose mode must stay as it is"
	module build --root "$M" --release "$R" --source "$mini" --output "$T/it's refused"
	status=$?
	tap_has "$T/err" "--output '$T/it'.''s refused'\$" "the remedy is a command as a shell reads it"
	module build --root "$M" --release "$R" --headers "$M/lib/modules/$R/build" --source "$mini" \
		--output "$T/refused"
	status=$?
	refuses "the module does not build for $R_re: error: these headers are used" 'report it' \
		"headers that the caller chose are used, whoever owns them"
	mkdir "$T/script"
	sed "s,^installed_source=.*,installed_source=$T/their-source," "$BIN/oprof-module" >"$T/script/oprof-module"
	chmod +x "$T/script/oprof-module"
	"$T/script/oprof-module" build --release "$R" --output "$T/refused" >"$T/out" 2>"$T/err"
	status=$?
	refuses "other users may change or replace $T/their-source, where the module's sources are" \
		"if you trust the users who may change it: oprof-module build --source $T/their-source" "installed sources of another user"
	chown 64242 "$T/script"
	"$T/script/oprof-module" build --release "$R" --output "$T/refused" >"$T/out" 2>"$T/err"
	status=$?
	refuses "other users may change or replace $T/their-source, where the module's sources are" \
		"--source" "installed sources of another user, though another user may change the script, too"
	cp -R "$T/their-source" "$T/script/module-src"
	"$T/script/oprof-module" build --release "$R" --output "$T/trusted" >"$T/out" 2>"$T/err"
	tap_is "$? $(cat "$T/out")" "0 $T/trusted/$R/oprof.ko" "sources beside the script are trusted like the script"
	chown 0 "$T/script"
	chown 64242 "$T/script/module-src"
	"$T/script/oprof-module" build --release "$R" --output "$T/refused" >"$T/out" 2>"$T/err"
	status=$?
	refuses "other users may change or replace $T/script/module-src" "if you trust the users" \
		"sources of another user beside a script of root's"
	module build --release "$R" --source "$T/their-source" --output "$T/trusted"
	tap_is $? 0 "sources that the caller chose are built, whoever owns them"

	# Another user may have made a hard link in a folder like /tmp to a link of root's.
	mkdir -m 1777 "$T/like-tmp"
	ln -s "$T/walk/ours" "$T/like-tmp/link"
	build_in "$T/like-tmp/link"
	refuses "other users may change or replace $T/like-tmp/link," "--output DIR" \
		"a link in a folder like /tmp, even one of root's"
	# Another process of root's makes each folder just before mv moves the new one there.
	mkdir "$T/race" "$T/both"
	printf '#!/bin/sh\n[ ! -d "$2" ] || mkdir "$3"\nexec %s "$@"\n' "$(command -v mv)" >"$T/race/mv"
	chmod +x "$T/race/mv"
	PATH="$T/race:$PATH" build_in "$T/both/new"
	tap_is "$status $(find "$T/both" -name '.new*')" "0 " \
		"two processes make the same folders: the build goes on, and leaves nothing else there"

	left_link .oprof.ko
	tap_is "$status $(cat "$T/precious")" "0 precious" \
		"a folder that was another user's: the build follows no link .oprof.ko.PID"
	[ -f "$T/given/$R/oprof.ko" ] && [ ! -L "$T/given/$R/oprof.ko" ]
	tap_ok $? "the module is no link"
	echo 'this is no C' >>"$mini/oprof.c"
	left_link .room
	tap_is "$status $(cat "$T/precious")" "1 precious" "a build that fails follows no link .room.PID"
	mini_source three
	# All temporary names are mktemp's, and no folder is made with mkdir, which obeys the access list
	# of the folder above. make may call mkdir for its own folders.
	mkdir "$T/names" "$T/names-built"
	printf '#!/bin/sh\nfor last; do :; done\ncase $last in /*) echo "$last" >>"%s" ;; esac\nexec %s "$@"\n' "$T/templates" \
		"$(command -v mktemp)" >"$T/names/mktemp"
	printf '#!/bin/sh\nfor last; do :; done\ncase $last in %s*) exit 1 ;; esac\nexec %s "$@"\n' \
		"$T/names-built" "$(command -v mkdir)" >"$T/names/mkdir"
	chmod +x "$T/names/mktemp" "$T/names/mkdir"
	PATH="$T/names:$PATH" build_in "$T/names-built/new"
	tap_is "$status $(grep -c . "$T/templates") $(grep -vc 'XXXXXX$' "$T/templates")" "0 6 0" \
		"two folders, three files and the folder of the build get unpredictable names, without mkdir"
	echo 'this is no C' >>"$mini/oprof.c"
	rm "$T/templates"
	PATH="$T/names:$PATH" build_in "$T/names-built/new"
	tap_is "$status $(grep -c '/\.room\.' "$T/templates") $(grep -vc 'XXXXXX$' "$T/templates")" "1 2 0" \
		"so do the files with which a build that fails measures the space"
	mini_source three

	mkdir "$T/list"
	if ! command -v setfacl >/dev/null; then
		tap_skip "a default access list does not let others write to what is new" "setfacl is not installed (acl)"
	elif ! setfacl -d -m u:64242:rwx "$T/list" 2>/dev/null; then
		tap_skip "a default access list does not let others write to what is new" "no such lists here"
	else
		build_in "$T/list/new"
		tap_is "$status $(others_write "$T/list")" "0 " \
			"a default access list does not let others write to what is new"
	fi
	# A file system on which everybody may write to each folder.
	mkdir "$T/loose" "$T/each"
	for command in mkdir mv; do
		printf '#!/bin/sh\n%s "$@" || exit 1\nfor last; do :; done\n[ ! -d "$last" ] || chmod 777 "$last"\n' \
			"$(command -v $command)" >"$T/loose/$command"
		chmod +x "$T/loose/$command"
	done
	PATH="$T/loose:$PATH" build_in "$T/each/new"
	refuses "other users may change or replace $T/each/new," "--output DIR" \
		"a new folder in which others may write"
	tap_is "$(ls -A "$T/each/new")" "" "nothing is written there"
	# A file system on which everybody may write to each file, or to each file of a build.
	mkdir "$T/loose-files" "$T/loose-work"
	printf '#!/bin/sh\n%s "$@" || exit 1\nfor last; do :; done\ncase $last in *.ko) chmod 666 "$last" ;; esac\n' \
		"$(command -v mv)" >"$T/loose-files/mv"
	printf '#!/bin/sh\nmade=$(%s "$@") || exit 1\ncase $made in */oprof-module.*) chmod 777 "$made" ;; esac\necho "$made"\n' \
		"$(command -v mktemp)" >"$T/loose-work/mktemp"
	chmod +x "$T/loose-files/mv" "$T/loose-work/mktemp"
	PATH="$T/loose-files:$PATH" build_in "$T/loose-kept"
	refuses "other users may change or replace $T/loose-kept/$R_re/oprof.ko," "--output DIR" \
		"a new module to which others may write"
	PATH="$T/loose-work:$PATH" build_in "$T/loose-built"
	refuses "other users may change or replace .*/oprof-module\.[^/]*, where the module would be built" \
		"set TMPDIR" "a folder of the build in which others may write"
	tap_is "$(find "$T/loose-built" -name oprof.ko)" "" "nothing is built there"
	# cut runs while the file built-of is written.
	printf '#!/bin/sh\nchmod 666 "%s"/oprof-module.*/built-of 2>/dev/null\nexec %s "$@"\n' "$T/sticky" \
		"$(command -v cut)" >"$T/loose-work/cut"
	rm "$T/loose-work/mktemp"
	chmod +x "$T/loose-work/cut"
	mkdir -m 1777 "$T/sticky"
	TMPDIR=$T/sticky PATH="$T/loose-work:$PATH" build_in "$T/loose-built"
	refuses "other users may change or replace .*/oprof-module\.[^/]*/built-of, where" "set TMPDIR" \
		"a list of what the module is built of to which others may write"

	mkdir "$T/mask"
	before=$(umask)
	umask 000
	build_in "$T/mask/new"
	umask "$before"
	tap_is "$status $(others_write "$T/mask")" "0 " "a umask of 000 does not let others write to what is new"

	# Only root's own sticky folder is like /tmp.
	mkdir -m 1777 "$T/theirs-sticky"
	mkdir "$T/theirs-sticky/ours"
	chown 64242 "$T/theirs-sticky"
	build_in "$T/theirs-sticky/ours"
	refuses "other users may change or replace $T/theirs-sticky," "--output DIR" \
		"a folder of root's in another user's sticky folder"

	mkdir "$T/theirs" "$T/spy"
	chown 64242 "$T/theirs"
	printf '#!/bin/sh\necho "$TMPDIR $*" >>"%s"\nexec %s "$@"\n' "$T/made" "$(command -v make)" \
		>"$T/spy/make"
	chmod +x "$T/spy/make"
	for folder in theirs theirs-sticky; do
		rm -f "$T/made"
		TMPDIR=$T/$folder PATH="$T/spy:$PATH" build_in "$T/ours-$folder"
		tap_is "$status $(grep -cm1 " M=$(realpath /tmp)/oprof-module\." "$T/made") $(grep -cF "$T/$folder" "$T/made")" "0 1 0" \
			"the module is built in /tmp, not in a TMPDIR of another user: $folder"
		tap_has "$T/err" "other users may change or replace $T/$folder: .* in /tmp" "and the reason is reported"
	done
	rm -f "$T/made"
	TMPDIR=$T/sticky PATH="$T/spy:$PATH" build_in "$T/sticky-built"
	[ "$status" = 0 ] && grep -Eq "^$T/sticky/(oprof-module[^ /]*) .* M=$T/sticky/\1/" "$T/made"
	tap_ok $? "a TMPDIR like /tmp is used; the compiler's files are in the folder of the build"

	if $su_nobody true 2>/dev/null && $su_nobody test -x "$BIN/oprof-module"; then
		mkdir "$T/user"
		chown 65534 "$T/user"
		TMPDIR=$T/user $su_nobody "$BIN/oprof-module" build --release "$R" --source "$mini" \
			--output "$T/user/new/../kept" >"$T/out" 2>"$T/err"
		tap_is "$? $(cat "$T/out")" "0 $T/user/new/../kept/$R/oprof.ko" \
			"an ordinary user's path leads through new folders and .."
		tap_is "$(cd "$T/user" && echo -- * .[!.]* kept/*/* kept/*/.[!.]*)" \
			"-- kept new .[!.]* kept/$R/build.log kept/$R/built-of kept/$R/oprof.ko kept/*/.[!.]*" \
			"the build leaves nothing else"
	else
		tap_skip "an ordinary user's path leads through new folders and .." \
			"the user nobody cannot run the programs in this folder"
	fi
fi

# ---- opcontrol without a module ----

if [ "$(id -u)" = 0 ] && perf_system_works && ! [ -d /sys/module/oprof ]; then
	mkdir "$T/bin"
	cp "$BIN/opcontrol" "$BIN/oprofiled" "$T/bin"
	printf '#!/bin/sh\nexec "%s/oprof-module" "$@" --root "%s" --source "%s"\n' "$BIN" "$M" "$mini" \
		>"$T/bin/oprof-module"
	chmod +x "$T/bin/oprof-module"
	S=$T/session
	new_machine
	control()
	{
		"$T/bin/opcontrol" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
	}
	$CC -O1 -g -o "$T/load" "$E2E/guest_load.c" || tap_bail "the workload does not build"

	for try in first second; do
		control --init
		tap_is $? 0 "init without a module succeeds, the $try time"
		tap_has "$T/err" "no kernel module: there are no kernel headers for $running_re" "it shows why"
		tap_has "$T/err" "-> apt-get install linux-headers-$running_re" "and the remedy"
		tap_has "$T/err" 'perf is the source' "and the source that is used instead"
	done
	control --status
	tap_has "$T/out" '^source perf$' "status without a daemon: the source that a start would use"
	tap_has "$T/out" '^module absent$' "no module is loaded"
	tap_has "$T/out" '^module_reason there are no kernel headers' "and the reason, again"
	control --setup --event=cpu-clock --frequency=997 --separate=lib --start
	tap_is $? 0 "sampling begins"
	cleanup_pid "$(cat "$S/lock")"
	"$T/load" 500
	control --dump
	control --status
	tap_has "$T/out" '^source perf$' "the daemon samples by perf"
	tap_has "$T/out" "^module_remedy apt-get install linux-headers-$running_re" "status repeats the remedy"
	control --health
	tap_has "$T/out" '^  source    perf: no kernel module: there are no kernel headers' "health shows this"
	tap_has "$T/out" '^            -> apt-get install' "with the remedy"
	"$BIN/opreport" "--session-dir=$S" -l >"$T/report" 2>/dev/null
	tap_has "$T/report" ' load ' "the workload is in the report"
	control --deinit
	tap_is $? 0 "deinit"
	tap_has "$T/out" 'Daemon ended' "ends the daemon"
	control --deinit
	tap_is $? 0 "a second one finds nothing to do"
	control --init --source=perf
	tap_is $? 0 "perf was chosen: init has nothing to do"
	tap_has "$T/err" 'the kernel module is not loaded: .*--source=perf' "and shows this"
	control --setup --source=kmod
	control --init
	tap_is $? 1 "the module alone was chosen: init without one is an error"
	control --status
	tap_has "$T/out" '^source kmod$' "and a start would use no other source"
fi

# ---- the real one ----

[ -z "${OPROF_NO_MODULE_BUILD:-}" ] ||
	tap_skip "oprof.ko builds for this machine's headers" "it is built for guests in this run"
for build in /lib/modules/*/build; do
	[ -z "${OPROF_NO_MODULE_BUILD:-}" ] || break
	R=$(basename "$(dirname "$build")")
	module build --release "$R" --output "$O.real"
	tap_is "$? $(cat "$T/out")" "0 $O.real/$R/oprof.ko" "oprof.ko builds for $R" || tap_show "$T/err"
	has_module_of "$O.real/$R/oprof.ko" "$R"
	tap_ok $? "and is for $R"
	module build --release "$R" --output "$O.real"
	tap_is "$(cat "$T/err")" "" "once"
done

# ---- DKMS ----

if [ -n "${OPROF_CHECK_ALL:-}" ] && command -v dkms >/dev/null && [ "$(id -u)" = 0 ]; then
	version=$("$BIN/oprof-module" --version | awk '{ print $2 }')
	mkdir -p "$T/dkms/source" "$T/dkms/tree" "$T/dkms/install/$R"
	cp -R "$BIN/module-src" "$T/dkms/source/oprof-$version"
	for verb in add build install; do
		dkms "$verb" -m oprof -v "$version" -k "$R" --dkmstree "$T/dkms/tree" \
			--sourcetree "$T/dkms/source" --installtree "$T/dkms/install" >"$T/out" 2>&1
		tap_is $? 0 "dkms $verb" || tap_show "$T/out"
	done
	has_module_of "$(find "$T/dkms/install/$R" -name 'oprof.ko' | head -n1)" "$R"
	tap_ok $? "DKMS has installed the module of $R"
	dkms remove -m oprof -v "$version" --all --dkmstree "$T/dkms/tree" \
		--sourcetree "$T/dkms/source" --installtree "$T/dkms/install" >"$T/out" 2>&1
	tap_is "$(find "$T/dkms/install" -name 'oprof.ko*')" "" "and removes it"
fi
tap_end
