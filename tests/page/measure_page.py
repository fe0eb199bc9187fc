#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""measure_page.py PAGE: "name value unit" lines of a page of opreport --html.

page_open_1e6: from the start of loading until everything is drawn. The others are the 95th
percentile of what one frame costs: while zooming and scrolling, at each letter of a search, and
when a filter changes and everything is summed again.
"""

import sys
import time

sys.dont_write_bytecode = True  # nothing is left beside the sources
import browser  # noqa: E402

ZOOMS = """(async () => {
  const p = oprofPage, nodes = [];
  p.frameTimes.length = 0;
  for (let i = 1; i < p.tree.nr; i++) if (p.tree.width[i] > 0.0005) nodes.push(i);
  for (let i = 0; i < 40; i++) {
    p.flameZoom(i % 2 ? 0 : nodes[(i * 7919) % nodes.length]);
    await new Promise((done) => setTimeout(done, 180));
    document.getElementById('table-box').scrollTop = (i * 977) % 20000;
  }
  return p.frameTimes.slice();
})()"""
SEARCHES = """(() => { const p = oprofPage; p.search.times.length = 0;
  for (const word of ['elf', 'bfd_reloc', 'xyz', '_', 'symbol'])
    for (let i = 1; i <= word.length; i++) p.searchFor(word.slice(0, i));
  p.searchFor('');
  return p.search.times.slice(); })()"""
FILTERS = """(() => { const p = oprofPage; p.refresh.times.length = 0;
  for (let i = 0; i < 40; i++) { p.state.image = i % 2 ? -1 : 0; p.state.app = i % 3 ? -1 : 0; p.refresh(); }
  p.state.image = p.state.app = -1; p.refresh();
  return p.refresh.times.slice(); })()"""


def p95(times):
    return sorted(times)[int(len(times) * 0.95)]


def main():
    if not browser.find():
        print("# no Chromium here (scripts/setup --all)", file=sys.stderr)
        return
    page = browser.Browser()
    try:
        begin = time.monotonic()
        page.open(sys.argv[1])
        print("page_open_1e6 %.3g s" % (time.monotonic() - begin))
        print("page_zoom_p95_1e6 %.3g ms" % p95(page.evaluate(ZOOMS)))
        print("page_search_p95_1e6 %.3g ms" % p95(page.evaluate(SEARCHES)))
        print("page_filter_p95_1e6 %.3g ms" % p95(page.evaluate(FILTERS)))
    finally:
        page.close()


if __name__ == "__main__":
    main()
