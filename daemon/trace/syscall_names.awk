# SPDX-License-Identifier: GPL-2.0-or-later
# Makes daemon/trace/syscall_names.c from the macros of asm/unistd.h (output of cpp -dM).
BEGIN {
	print "#include \"daemon/trace/syscall_names.h\"\n\n#include <asm/unistd.h>\n#include <stddef.h>\n"
	print "static const char *const names[] = {"
}
$1 == "#define" && $2 ~ /^__NR_[a-z]/ && NF == 3 && $2 !~ /^__NR_(syscalls|arch_specific_syscall)$/ {
	print "\t[" $2 "] = \"" substr($2, 6) "\","
	nr++
}
END {
	if (!nr)
		exit 1
	print "};\n\nunsigned int syscall_names_nr(void)\n{\n\treturn sizeof(names) / sizeof(names[0]);\n}\n"
	print "const char *syscall_name(unsigned int number)\n{"
	print "\treturn number < syscall_names_nr() ? names[number] : NULL;\n}"
}
