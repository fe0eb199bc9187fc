// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbols.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *name, enum demangle_mode mode, const char *expected)
{
	char *shown = symbol_demangle(name, mode);

	ck_assert_str_eq(shown, expected);
	free(shown);
}

static const char insert_name[] =
	"_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIiSaIiEESt4lessIS5_"
	"ESaISt4pairIKS5_S8_EEE6insertEOSD_";

START_TEST(names_of_c_are_left_alone)
{
	expect("main", DEMANGLE_SMART, "main");
	expect("_init", DEMANGLE_NORMAL, "_init");
	expect("__libc_start_main", DEMANGLE_SMART, "__libc_start_main");
	expect("puts@plt", DEMANGLE_NORMAL, "puts@plt");
	expect("", DEMANGLE_SMART, "");
	expect("_Z", DEMANGLE_SMART, "_Z");
}
END_TEST

START_TEST(none_shows_what_the_file_has)
{
	expect("_ZN3foo3barEi", DEMANGLE_NONE, "_ZN3foo3barEi");
}
END_TEST

START_TEST(normal_demangles_with_parameters)
{
	expect("_ZN3foo3barEi", DEMANGLE_NORMAL, "foo::bar(int)");
	expect("_ZNK1A1fEv", DEMANGLE_NORMAL, "A::f() const");
}
END_TEST

START_TEST(slots_of_the_plt_are_demangled)
{
	expect("_ZdlPvm@plt", DEMANGLE_NORMAL, "operator delete(void*, unsigned long)@plt");
	expect("_ZdlPvm@plt", DEMANGLE_SMART, "operator delete(void*, unsigned long)@plt");
	expect("_ZdlPvm@plt", DEMANGLE_NONE, "_ZdlPvm@plt");
	expect("_exit@plt", DEMANGLE_NORMAL, "_exit@plt");
}
END_TEST

START_TEST(rust_names_lose_their_hash)
{
	expect("_ZN4core3fmt5write17h0123456789abcdefE", DEMANGLE_NORMAL, "core::fmt::write");
	expect("_RNvC6_123foo3bar", DEMANGLE_NORMAL, "123foo::bar");
}
END_TEST

START_TEST(smart_says_string_and_leaves_out_default_arguments)
{
	expect(insert_name, DEMANGLE_SMART,
	       "std::map<std::string, std::vector<int>>::insert(std::pair<std::string const, "
	       "std::vector<int>>&&)");
}
END_TEST

START_TEST(smart_says_ostream_and_wstring)
{
	expect("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", DEMANGLE_SMART,
	       "std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)");
	expect("_Z1fNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEE", DEMANGLE_SMART,
	       "f(std::wstring)");
}
END_TEST

START_TEST(smart_keeps_arguments_that_are_not_the_default_and_others_namespaces)
{
	expect("_Z1fSt3mapIiiSt7greaterIiESaISt4pairIKiiEEE", DEMANGLE_SMART,
	       "f(std::map<int, int, std::greater<int>>)");
	expect("_ZN4mine6vectorIiSaIiEE1fEv", DEMANGLE_SMART,
	       "mine::vector<int, std::allocator<int>>::f()");
}
END_TEST

START_TEST(smart_leaves_out_versions_of_the_library)
{
	/* libc++ */
	expect("_ZNSt3__16vectorINS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE"
	       "NS4_IS6_EEE9push_backB7v160006EOS6_",
	       DEMANGLE_SMART, "std::vector<std::string>::push_back(std::string&&)");
	expect("_ZNSt3__14__fs10filesystem4path6appendB6v15000Ev", DEMANGLE_SMART,
	       "std::filesystem::path::append()");
	/* libstdc++ */
	expect("_ZNSt6chrono3_V212system_clock3nowEv", DEMANGLE_SMART,
	       "std::chrono::system_clock::now()");
	expect("_ZNKSt10filesystem7__cxx114path11parent_pathEv", DEMANGLE_SMART,
	       "std::filesystem::path::parent_path() const");
	expect("_Z4nameB5cxx11i", DEMANGLE_SMART, "name(int)");
	expect("_Z4nameB5cxx11i", DEMANGLE_NORMAL, "name[abi:cxx11](int)");
	/* Similar names in other namespaces are kept. */
	expect("_ZN3foo3__13barEv", DEMANGLE_SMART, "foo::__1::bar()");
	expect("_ZN3foo7__cxx113barEv", DEMANGLE_SMART, "foo::__cxx11::bar()");
}
END_TEST

START_TEST(rust_names_of_both_manglings_are_shown)
{
	expect("_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE",
	       DEMANGLE_SMART, "core::ptr::drop_in_place<alloc::string::String>");
	expect("_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt"
	       "17h0123456789abcdefE",
	       DEMANGLE_NORMAL, "<alloc::string::String as core::fmt::Display>::fmt");
	expect("_RNvNtCs1234_4core3fmt5write", DEMANGLE_SMART, "core::fmt::write");
	expect("_RINvNtC3std3mem8align_ofdE", DEMANGLE_SMART, "std::mem::align_of::<f64>");
}
END_TEST

START_TEST(smart_understands_operators)
{
	expect("_ZN1AltERKS_", DEMANGLE_SMART, "A::operator<(A const&)");
	expect("_ZN1AptEv", DEMANGLE_SMART, "A::operator->()");
	expect("_ZN1AclEi", DEMANGLE_SMART, "A::operator()(int)");
	expect("_ZN1AcvSt6vectorIiSaIiEEEv", DEMANGLE_SMART, "A::operator std::vector<int>()");
}
END_TEST

/* f(P<A, A>, P<P<A, A>, P<A, A>>, ...): each parameter contains the previous one twice. */
START_TEST(name_that_explodes_is_shown_as_it_is)
{
	static const char digits[] = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_Z1f1PI1AS0_E", *end = name + strlen(name);

	for (const char *digit = digits; *digit; digit++)
		end += sprintf(end, "S_IS%c_S%c_E", *digit, *digit);
	expect(name, DEMANGLE_SMART, name);
	strcpy(name + strlen("_Z1f1PI1AS0_E") + strlen("S_IS1_S1_E"), "");
	expect(name, DEMANGLE_NORMAL, "f(P<A, A>, P<P<A, A>, P<A, A> >)");
}
END_TEST

START_TEST(no_name_crashes_or_comes_back_empty)
{
	static const char letters[] = "_ZNKSt1234ISaIcEEvT_CRQdlpwXLbx0";
	char name[64] = "_Z";

	srand((unsigned int)_i);
	for (int n = 0; n < 500; n++) {
		size_t length = 3 + (size_t)rand() % (sizeof(name) - 4);
		char *shown;

		for (size_t i = 2; i < length; i++)
			name[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		name[length] = '\0';
		shown = symbol_demangle(name, DEMANGLE_SMART);
		ck_assert_ptr_nonnull(shown);
		ck_assert_uint_gt(strlen(shown), 0);
		free(shown);
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("demangle");
	TCase *tcase = tcase_create("demangle");

	tcase_add_test(tcase, names_of_c_are_left_alone);
	tcase_add_test(tcase, none_shows_what_the_file_has);
	tcase_add_test(tcase, normal_demangles_with_parameters);
	tcase_add_test(tcase, slots_of_the_plt_are_demangled);
	tcase_add_test(tcase, rust_names_lose_their_hash);
	tcase_add_test(tcase, smart_says_string_and_leaves_out_default_arguments);
	tcase_add_test(tcase, smart_says_ostream_and_wstring);
	tcase_add_test(tcase, smart_keeps_arguments_that_are_not_the_default_and_others_namespaces);
	tcase_add_test(tcase, smart_leaves_out_versions_of_the_library);
	tcase_add_test(tcase, rust_names_of_both_manglings_are_shown);
	tcase_add_test(tcase, smart_understands_operators);
	tcase_add_test(tcase, name_that_explodes_is_shown_as_it_is);
	tcase_add_loop_test(tcase, no_name_crashes_or_comes_back_empty, 0, 20);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
