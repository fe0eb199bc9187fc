#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""read_page.py FILE: what opreport --html put into a page, without a browser.

Decodes everything, checks that parts fit together, and prints the sums of what
there is, a line each: "row N", "key N", "time N", "tree N", "treeTime N", of all columns; "code
N M": functions with instructions, and with source.
"""

import base64
import json
import re
import sys


def element(text, name):
    found = re.search(r'<script id="%s"[^>]*>(.*?)</script>' % name, text, re.S)
    assert found, "no element " + name
    return found.group(1)


def decode(data, first, nr):
    """The numbers of an array, and where it ends."""
    numbers = []
    for _ in range(nr):
        value, shift = 0, 0
        while data[first] >= 128:
            value |= (data[first] & 127) << shift
            shift += 7
            first += 1
        value |= data[first] << shift
        first += 1
        numbers.append(value)
    return numbers, first


def arrays_of(meta, data):
    arrays, end = {}, 0
    for name, (first, nr) in meta["arrays"].items():
        assert first == end, name + " does not begin where the one before ends"
        arrays[name], end = decode(data, first, nr)
    assert end == len(data), "bytes behind the last array"
    return arrays


def columns(arrays, name):
    return [numbers for key, numbers in sorted(arrays.items())
            if re.fullmatch(name + r"_\d+", key)]


def check(meta, arrays):
    nr_rows = len(arrays["rowSymbol"])
    assert len(arrays["rowApp"]) == nr_rows
    assert all(one < len(meta["apps"]) for one in arrays["rowApp"])
    assert all(one < len(meta["names"]) for one in arrays["rowSymbol"])
    assert all(one < len(meta["images"]) for one in arrays["symbolImage"])
    assert len(meta["names"]) == len(meta["addresses"]) == len(arrays["symbolImage"])
    assert len(columns(arrays, "row")) == len(meta["classes"]) * meta["sides"]
    for name, count in (("key", "keyRows"), ("time", "timeRows"), ("treeTime", "treeTimeNodes")):
        for numbers in columns(arrays, name):
            assert len(numbers) == sum(arrays[count]), name
    if "timeStretch" in arrays:
        assert all(one < len(meta["stretches"]) for one in arrays["timeStretch"])
    for one in meta.get("code", []):
        assert one["symbol"] < len(meta["names"])
        assert len(one.get("at", [])) == len(one.get("text", []))
        assert one.get("file", 0) < len(meta.get("files", [0]))
    for numbers in columns(arrays, "tree"):
        assert len(numbers) == len(arrays["treeDepth"]) == len(arrays["treeLabel"])


def main():
    with open(sys.argv[1], encoding="utf-8") as page:
        text = page.read()
    assert not re.search(r'(src|href)\s*=|url\(|@import', text.split('<script id="meta"')[0])
    assert "@META@" not in text and "@DATA@" not in text
    meta = json.loads(element(text, "meta"))
    arrays = arrays_of(meta, base64.b64decode(element(text, "data"), validate=True))
    check(meta, arrays)
    for name in ("row", "key", "time", "tree", "treeTime"):
        if columns(arrays, name):
            print(name, sum(sum(numbers) for numbers in columns(arrays, name)))
    if meta.get("code"):
        print("code", sum("at" in one for one in meta["code"]),
              sum("lines" in one for one in meta["code"]))


if __name__ == "__main__":
    main()
