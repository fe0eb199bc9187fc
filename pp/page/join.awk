# SPDX-License-Identifier: GPL-2.0-or-later
# Joins page.html, page.css and the scripts into one page: -v folder=, -v scripts="a.js b.js".
function put(name,	line, status)
{
	while ((status = (getline line <(folder "/" name))) > 0)
		print line
	close(folder "/" name)
	if (status < 0) {
		print "join.awk: no " folder "/" name >"/dev/stderr"
		exit 1
	}
}
/^@CSS@$/ { put("page.css"); next }
/^@JS@$/ {
	nr = split(scripts, names, " ")
	for (i = 1; i <= nr; i++)
		put(names[i])
	next
}
{ print }
