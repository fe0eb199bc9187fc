#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Man pages: each page of formats in doc/ is made one, is installed, is listed in oprof(7), and fits
# into 80 columns; all pages render without warnings; no page refers to one that does not exist.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tree=$(mktemp -d) || exit 99
trap 'rm -rf "$tree"' EXIT
nr=0
: >"$tree/wrong"

result() { # STATUS NAME: if it failed, $tree/wrong says what is wrong
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# /' "$tree/wrong"
	fi
}

same() { # NAME: $tree/got is $tree/expected
	diff "$tree/expected" "$tree/got" >"$tree/wrong"
	result $? "$1"
}

none() { # NAME: $tree/wrong is empty
	[ ! -s "$tree/wrong" ]
	result $? "$1"
}

for tool in lowdown groff; do
	command -v $tool >/dev/null || {
		echo "1..0 # SKIP $tool is not installed"
		exit 77
	}
done
cd "$top" || exit 99
LC_ALL=C.UTF-8
export LC_ALL

# ---- which pages there are ----

scripts/man-page --list doc/README.md | sed 's/.*/oprof-&.5/' | sort >"$tree/expected"
[ "$(wc -l <"$tree/expected")" -ge 15 ]
result $? "doc_readme_lists_the_pages_of_formats"
sed -n 's,^[[:space:]]*doc/man5/\(oprof-[a-z-]*\.5\).*,\1,p' doc/local.mk | sort >"$tree/got"
same "each_of_them_is_installed_as_a_man_page"
sed -n 's/\\-/-/g; s/^\.BR \(oprof-[a-z-]*\) (5),*$/\1.5/p' doc/man/oprof.7 | sort >"$tree/got"
same "and_is_listed_in_oprof_7"
for page in doc/*.md; do
	page=$(basename "$page")
	[ "$page" = README.md ] || grep -q "($page)" doc/README.md || echo "doc/README.md does not list $page"
done >"$tree/wrong"
none "doc_readme_lists_every_page"

# ---- what they are made to ----

mkdir "$tree/pages5"
: >"$tree/wrong"
for name in $(scripts/man-page --list doc/README.md); do
	scripts/man-page "doc/$name.md" >"$tree/pages5/oprof-$name.5" 2>>"$tree/wrong"
	grep -q "^oprof.* \\\\- ." "$tree/pages5/oprof-$name.5" || echo "$name: no line in NAME" >>"$tree/wrong"
	grep -q '^\.SH DESCRIPTION' "$tree/pages5/oprof-$name.5" || echo "$name: no DESCRIPTION" >>"$tree/wrong"
	grep -q '^\.SH SEE ALSO' "$tree/pages5/oprof-$name.5" || echo "$name: no SEE ALSO" >>"$tree/wrong"
done
none "each_page_has_name_description_and_see_also"

render() { # OPTION... PAGE: as man does
	groff -k -t -man -Tutf8 -P-c -P-b -P-u -P-o -ww "$@"
}

: >"$tree/wide"
: >"$tree/hyphens"
for page in doc/man/*.[1-9] "$tree"/pages5/*.5; do
	render "$page" 2>&1 >"$tree/text" | sed "s,^,$(basename "$page"): ,"
	case $page in
	*.5)
		[ "$(wc -L <"$tree/text")" -le 80 ] || echo "$(basename "$page"): $(wc -L <"$tree/text") columns" >>"$tree/wide"
		grep '‐$' "$tree/text" | sed "s,^,$(basename "$page"): ," >>"$tree/hyphens"
		;;
	esac
done >"$tree/wrong"
none "all_pages_render_without_warnings"
mv "$tree/wide" "$tree/wrong"
none "pages_of_formats_fit_into_80_columns"
mv "$tree/hyphens" "$tree/wrong"
none "no_word_of_a_page_of_formats_is_divided"

# What Markdown takes for a tag, for emphasis or for a superscript would be missing.
printf '# Words\n\nThe `<session>` has `a_b_c`, a_b_c, 2^64 and --last.\n\n| a | b |\n|---|---|\n| x \\| y | see %s |\n' \
	slice.md >"$tree/words.md"
mkdir "$tree/doc" "$tree/doc/man"
cp "$tree/words.md" "$tree/doc/session.md"
cp doc/README.md "$tree/doc"
cp doc/man/opcheck.1 "$tree/doc/man"
scripts/man-page "$tree/doc/session.md" >"$tree/session.5"
render "$tree/session.5" 2>/dev/null | tr -s ' \n' ' ' >"$tree/wrong"
grep -q 'The <session> has a_b_c, a_b_c, 2^64 and --last. a b x | y see oprof-slice(5)' "$tree/wrong" &&
	grep -q 'SEE ALSO oprof-slice(5), oprof(7)' "$tree/wrong"
result $? "no_character_of_the_text_is_lost"
scripts/man-page "$tree/doc/other.md" >/dev/null 2>"$tree/wrong"
[ $? = 1 ] && grep -q 'does not have other.md among the formats' "$tree/wrong"
result $? "a_page_that_is_not_listed_is_refused"

# ---- references ----

# Each NAME(SECTION) of our own names in man pages and in Markdown has its man page.
{
	for page in doc/man/*.[1-9] "$tree"/pages5/*.5; do
		render -rLL=2000n "$page" 2>/dev/null | grep -Eo '\bop[a-z-]*\([1-9]\)' | sed "s,^,$(basename "$page"): ,"
	done
	grep -Eo '\bop[a-z-]*\([157]\)' README.md ARCHITECTURE.md CONTRIBUTING.md HACKING.md SECURITY.md NEWS doc/*.md |
		sed 's/:/: /'
} | sort -u >"$tree/references"
[ "$(wc -l <"$tree/references")" -ge 100 ]
result $? "pages_refer_to_each_other"
while read -r page reference; do
	file=$(echo "$reference" | sed 's/(\(.\))/.\1/')
	[ -e "doc/man/$file" ] || [ -e "$tree/pages5/$file" ] || echo "$page there is no $reference"
done <"$tree/references" >"$tree/wrong"
none "to_man_pages_that_exist"

# Each page.md, by itself or in a link, is a file: beside the page, or from the top.
for page in *.md doc/*.md bench/*.md model/*.md; do
	folder=$(dirname "$page")
	grep -Eo '[A-Za-z0-9_./-]+\.md\b' "$page" | sort -u | grep -v 'NAME\.md$' | while read -r path; do
		[ -e "$folder/$path" ] || [ -e "$path" ] || [ -e "doc/$path" ] || echo "$page: there is no $path"
	done
	grep -Eo '\]\([^)#:]*\)' "$page" | sed 's/](\(.*\))/\1/' | while read -r path; do
		[ -e "$folder/$path" ] || echo "$page: its link $path leads nowhere"
	done
	grep -Eo '\bman/[a-z-]*\.[1-9]' "$page" | while read -r path; do
		[ -e "doc/$path" ] || [ -e "$tree/pages5/${path#man/}" ] || echo "$page: there is no $path"
	done
done >"$tree/wrong"
none "each_page_that_is_named_exists"
echo "1..$nr"
