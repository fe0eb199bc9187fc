#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""test_page.py PAGE [FOLDER]: a page of opreport --html in a browser, as its users work it. TAP.

FOLDER: screenshots go there, light.png and dark.png.
"""

import os
import sys

sys.dont_write_bytecode = True  # nothing is left beside the sources
import browser  # noqa: E402


class Tap:
    def __init__(self):
        self.nr, self.failed = 0, 0

    def ok(self, is_so, text):
        self.nr += 1
        self.failed += not is_so
        print("%s %d - %s" % ("ok" if is_so else "not ok", self.nr, text), flush=True)


SUM = "oprofPage.sums.totals[oprofPage.meta.sides - 1]"


def test_looks(tap, page, folder):
    colours = []
    for name in ("light", "dark"):
        if page.evaluate("document.documentElement.dataset.theme") != name:
            page.key("t")
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        if folder:
            page.screenshot(os.path.join(folder, name + ".png"))
    tap.ok(colours[0] != colours[1], "light and dark differ")
    drawn = page.evaluate("""(() => { const c = document.getElementById('flame-canvas');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return new Set(Array.from(d)).size; })()""")
    tap.ok(drawn > 4, "the flame graph is drawn")


def test_table(tap, page):
    nr = page.evaluate("oprofPage.table.order.length")
    tap.ok(nr > 0 and page.evaluate("document.querySelectorAll('.row').length") > 0,
           "there is a table of functions")
    name = page.evaluate("document.querySelector('.row .name').textContent")
    page.key("/")
    page.call("Input.insertText", text=name[:12])
    page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
    found = page.evaluate("oprofPage.table.order.length")
    tap.ok(0 < found <= nr, "the search leaves those that match")
    tap.ok("match" in page.evaluate("document.getElementById('flame-hint').textContent"),
           "and says how much that is")
    page.key("Escape")
    tap.ok(page.evaluate("oprofPage.table.order.length") == nr, "Escape drops the search")
    page.evaluate("document.activeElement.blur()")
    page.key("2")
    tap.ok(page.evaluate("oprofPage.table.tab") == "images", "2 shows images")
    page.evaluate("document.getElementById('table').focus()")
    page.key("ArrowDown")
    page.key("Enter")
    whole = page.evaluate("oprofPage.sums.all[oprofPage.meta.sides - 1]")
    tap.ok(page.evaluate("oprofPage.state.image") >= 0 and page.evaluate(SUM) <= whole,
           "Enter makes an image the filter")
    tap.ok(page.evaluate("document.querySelectorAll('#chips button').length") == 1,
           "which is shown")
    page.key("r")
    tap.ok(page.evaluate(SUM) == whole, "r drops all filters")
    page.key("1")


def test_empty(tap, page):
    page.evaluate("oprofPage.searchFor('no function has this name')")
    tap.ok("match" in page.evaluate("document.getElementById('table-rows').textContent"),
           "a table without rows says why")
    tap.ok("Nothing matches" in page.evaluate("document.getElementById('flame-hint').textContent"),
           "and so does the graph")
    page.evaluate("oprofPage.searchFor('')")


def test_narrow(tap, page):
    page.evaluate("oprofPage.searchFor('')")
    for width in (380, 1440):
        page.width(width)
        tap.ok(page.evaluate("document.querySelector('.row .name').getBoundingClientRect().width") > 120,
               "names have room in a window of %d" % width)
        tap.ok(page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
               "and nothing is wider than that")


CONTRAST = """((name) => {
  const of = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const value = (one) => getComputedStyle(document.documentElement).getPropertyValue("--" + one).trim();
  const [low, high] = [of(value(name)), of(value("card"))].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
})"""


def test_contrast(tap, page):
    for _ in range(2):
        theme = page.evaluate("document.documentElement.dataset.theme")
        for name in ("ink", "soft", "faint", "more", "less"):
            tap.ok(page.evaluate("%s('%s')" % (CONTRAST, name)) >= 4.5,
                   "%s text can be read, %s" % (name, theme))
        page.key("t")


def test_names(tap, page):
    shown = page.evaluate("""[
        "short_name(int)",
        "void std::__introsort_loop<std::vector<std::pair<unsigned long, long>>, long>(std::pair<unsigned long, long>*, long)",
        "std::function<unsigned long (std::string const&)>::operator()(std::string const&, std::vector<unsigned long> const&) const",
        "std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
        "(anonymous namespace)::worker<std::map<std::string, std::vector<unsigned long>>>::run(std::unique_ptr<int>&)",
        "broken<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<",
        ].map(oprofPage.shortSymbol)""")
    tap.ok(shown[:5] == ["short_name(int)", "void std::__introsort_loop<\u2026>(\u2026)",
                         "std::function<\u2026>::operator()(\u2026) const",
                         "std::basic_ostream<\u2026>& std::operator<< <\u2026>(\u2026)",
                         "(anonymous)::worker<\u2026>::run(\u2026)"],
           "long names are shown without what is in their brackets")
    tap.ok(shown[5].startswith("broken<<<"), "and whole where brackets do not match")


def test_sums(tap, page):
    """What every view adds up to."""
    tap.ok(page.evaluate("""(() => { const p = oprofPage, last = p.meta.sides - 1;
        const sum = (a) => a.reduce((x, y) => x + y, 0);
        const all = p.sums.all[last];
        return [p.sums.symbols, p.sums.images, p.sums.apps].every((v) => sum(v[last]) === all); })()"""),
           "functions, images and applications have the same sum")
    tap.ok(page.evaluate("""(() => { const t = oprofPage.tree, last = oprofPage.meta.sides - 1;
        return t.total[last][0] + (oprofPage.meta.stacksMissing || 0) === oprofPage.sums.all[last] &&
          t.total[last][0] === t.self[last].reduce((x, y) => x + y, 0); })()"""),
           "and so has the flame graph")


def test_flame(tap, page):
    page.evaluate("document.getElementById('flame-canvas').scrollIntoView({block: 'center'})")
    box = page.evaluate("(({x, y, width}) => [x, y, width])"
                        "(document.getElementById('flame-canvas').getBoundingClientRect())")
    page.mouse("mouseMoved", box[0] + 20, box[1] + 28)
    tap.ok(not page.evaluate("document.getElementById('tip').hidden"), "a frame has a tip")
    page.click(box[0] + 20, box[1] + 28)
    page.evaluate("new Promise((done) => setTimeout(done, 400))")
    tap.ok(page.evaluate("oprofPage.flame.zoom") > 0, "a click zooms")
    page.key("Escape")
    tap.ok(page.evaluate("oprofPage.flame.zoom") == 0, "Escape zooms out")
    page.evaluate("document.getElementById('flame-canvas').focus()")
    page.key("ArrowDown")
    page.key("ArrowDown")
    page.key("Enter")
    page.evaluate("new Promise((done) => setTimeout(done, 400))")
    tap.ok(page.evaluate("oprofPage.flame.zoom") > 0 and
           page.evaluate("document.getElementById('flame-said').textContent") != "",
           "keys move, zoom, and are answered in words")
    page.key("r")


def test_time(tap, page):
    if page.evaluate("oprofPage.meta.stretches.length") < 2:
        tap.ok("one time range" in page.evaluate("document.getElementById('heat-hint').textContent") or
               "no time" in page.evaluate("document.getElementById('heat-hint').textContent") or
               "compared" in page.evaluate("document.getElementById('heat-hint').textContent"),
               "where there is one time range the page says so")
        return
    whole = page.evaluate(SUM)
    page.evaluate("document.getElementById('heat-canvas').scrollIntoView({block: 'center'})")
    box = page.evaluate("(({x, y, width}) => [x, y, width])"
                        "(document.getElementById('heat-canvas').getBoundingClientRect())")
    page.mouse("mousePressed", box[0] + 172, box[1] + 10)
    page.mouse("mouseMoved", box[0] + 176, box[1] + 10)
    page.mouse("mouseReleased", box[0] + 176, box[1] + 10)
    first = page.evaluate(SUM)
    tap.ok(page.evaluate("JSON.stringify(oprofPage.state.time)") == "[0,0]" and 0 <= first <= whole,
           "a drag chooses a time range for everything")
    rest = page.evaluate("(oprofPage.state.time = [1, oprofPage.meta.stretches.length - 1],"
                         "oprofPage.refresh(), %s)" % SUM)
    tap.ok(first + rest == whole, "stretches add up to the whole")
    page.key("r")


def test_panel(tap, page):
    page.evaluate("document.getElementById('table').focus()")
    page.evaluate("oprofPage.panelOpen(oprofPage.table.order[0])")
    tap.ok(not page.evaluate("document.getElementById('panel').hidden"), "a function has a panel")
    tap.ok(page.evaluate("document.activeElement.id") == "panel", "which has the keys")
    tap.ok(page.evaluate("document.querySelectorAll('#panel table tr, #panel .listing div').length") > 0,
           "with its addresses or instructions")
    if page.evaluate("(oprofPage.meta.code || []).some((one) => one.note)"):
        page.evaluate("oprofPage.panelOpen(oprofPage.meta.code.find((one) => one.note).symbol)")
        tap.ok("No instructions: " in page.evaluate("document.getElementById('panel').textContent"),
               "why there are no instructions is told")
    if page.evaluate("(oprofPage.meta.code || []).some((one) => one.at)"):
        page.evaluate("oprofPage.panelOpen(oprofPage.meta.code.find((one) => one.at).symbol)")
        tap.ok(page.evaluate("document.querySelectorAll('.listing .hot').length") > 0,
               "and with its instructions, of which some have samples")
    page.key("Escape")
    tap.ok(page.evaluate("document.getElementById('panel').hidden"), "Escape closes it")
    tap.ok(page.evaluate("document.activeElement.id") == "table", "and the keys are where they were")


def main():
    if not browser.find():
        print("1..0 # SKIP no Chromium here (scripts/setup --all)")
        return 0
    tap = Tap()
    page = browser.Browser()
    try:
        page.open(sys.argv[1])
        test_looks(tap, page, sys.argv[2] if len(sys.argv) > 2 else None)
        test_contrast(tap, page)
        test_sums(tap, page)
        test_names(tap, page)
        test_table(tap, page)
        test_empty(tap, page)
        test_flame(tap, page)
        test_time(tap, page)
        test_panel(tap, page)
        test_sums(tap, page)
        test_narrow(tap, page)
        faults = page.faults()
        tap.ok(not faults, "nothing failed, and nothing was asked of the network")
        for fault in faults:
            print("# " + fault.replace("\n", " "))
    finally:
        page.close()
    print("1..%d" % tap.nr)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
