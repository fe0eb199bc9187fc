# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# Apt for another architecture or suite, in folders of its own: nothing of it
# is known to the machine's apt. The mirror is the one that is configured.

# "URI CODENAME KEYRING" of each of Debian's archives that apt is configured
# with; CODENAME ends in -security or -updates for those.
elsewhere_archives()
{
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME)' 'Created-By: Packages' \
		2>/dev/null | awk '$1 == "Debian" { print $2, $3 }' | sort -u
}

elsewhere_sources() # SUITE (empty: the machine's)
{
	elsewhere_keys=/usr/share/keyrings/debian-archive-keyring.gpg
	elsewhere_option=
	[ ! -r $elsewhere_keys ] || elsewhere_option="[signed-by=$elsewhere_keys]"
	elsewhere_archives | while read -r elsewhere_uri elsewhere_codename; do
		case $1,$elsewhere_codename in
		,*) echo "deb $elsewhere_option $elsewhere_uri $elsewhere_codename main" ;;
		*,*-*) ;;
		*) echo "deb $elsewhere_option $elsewhere_uri $1 main" ;;
		esac
	done
}

# Make cache/apt-NAME ready, with fresh lists; $elsewhere is then apt's
# option that names it. The status file is empty: apt answers as on a machine
# on which nothing is installed.
elsewhere_begin() # NAME ARCH [SUITE]
{
	elsewhere_root=$cache/apt-$1
	mkdir -p "$elsewhere_root/lists/partial" "$elsewhere_root/archives/partial" "$elsewhere_root/parts"
	: >"$elsewhere_root/status"
	elsewhere_sources "${3:-}" >"$elsewhere_root/sources.list"
	[ -s "$elsewhere_root/sources.list" ] ||
		lacking "apt is not configured with a mirror of Debian: no packages of ${3:-$2}"
	cat >"$elsewhere_root/apt.conf" <<-END
		#clear APT::Architectures;
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
		APT::Architecture "$2";
		APT::Architectures { "$2"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		APT::Default-Release "";
		APT::Update::Error-Mode "any";
		Acquire::Languages "none";
		Dir::Etc::SourceList "$elsewhere_root/sources.list";
		Dir::Etc::SourceParts "$elsewhere_root/parts";
		Dir::Etc::Preferences "$elsewhere_root/none";
		Dir::Etc::PreferencesParts "$elsewhere_root/parts";
		Dir::State::Lists "$elsewhere_root/lists";
		Dir::State::status "$elsewhere_root/status";
		Dir::State::extended_states "$elsewhere_root/states";
		Dir::Cache::Archives "$elsewhere_root/archives";
		Dir::Cache::pkgcache "$elsewhere_root/pkgcache.bin";
		Dir::Cache::srcpkgcache "$elsewhere_root/srcpkgcache.bin";
	END
	elsewhere="-c $elsewhere_root/apt.conf"
	say "reading the package lists of ${3:-$2}"
	# shellcheck disable=SC2086 # words
	quietly "$elsewhere_root/log" apt-get -q $elsewhere update ||
		lacking "the package lists of ${3:-$2} can't be fetched"
}

# Unpack packages and all that they depend on into a folder.
elsewhere_install() # FOLDER PACKAGE...
{
	elsewhere_folder=$1
	shift
	say "fetching $* and what they need"
	# shellcheck disable=SC2086 # words
	quietly "$elsewhere_root/log" apt-get -q -y $elsewhere --download-only install "$@" ||
		lacking "apt can't download $*"
	mkdir -p "$elsewhere_folder"
	for elsewhere_one in "$elsewhere_root"/archives/*.deb; do
		dpkg-deb -x "$elsewhere_one" "$elsewhere_folder" || exit 1
	done
	rm -f "$elsewhere_root"/archives/*.deb
}
