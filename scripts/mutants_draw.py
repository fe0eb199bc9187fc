# SPDX-License-Identifier: GPL-2.0-or-later
"""Which mutants there are: the one-line changes that the lines of a file admit, the order in which
a seed draws them, and those that tests/mutants-equivalent lists."""
import os
import random
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def quoted(match):
    text = match[0]
    return blank(match) if text[0] == "/" else text[0] + "_" * (len(text) - 2) + text[-1]


def code_of(text):
    """The text with comments and preprocessor lines blanked and literals made of '_'."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", quoted, text,
                  flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.MULTILINE)


def lines_in_functions(code):
    """Which lines are wholly in a function's body, outside of initializers and types."""
    kinds, inside, last = [], [], ""
    for line in code.split("\n"):
        good = bool(kinds) and all(kind == "body" for kind in kinds)
        for char in line:
            if char == "{":
                if not kinds:
                    kinds.append("body" if last.endswith(")") else "data")
                elif re.search(r"(=|,|\(|\{)$", last) or re.search(
                        r"\b(struct|union|enum)( \w+)?$", last):
                    kinds.append("data")
                else:
                    kinds.append("body")
            elif char == "}" and kinds:
                kinds.pop()
            last = last[-40:] + char if not char.isspace() else last.rstrip() + " "
            last = last.rstrip() if char == "{" else last
            if not char.isspace():
                last = last.replace("  ", " ")
        inside.append(good and all(kind == "body" for kind in kinds))
        last = last.rstrip()
    return inside


def is_balanced(text):
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0


RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
RETURNS = [(r"-E\w+|-errno|error|err|result", "0"), (r"0", "-EIO"), (r"true", "false"),
           (r"false", "true")]


def condition_end(code, start):
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == "(") - (code[at] == ")")
        if depth == 0:
            return at
    return None


def changes_of(code, previous):
    """The (operator, start, end, new text) that a line admits; new text may hold {} for the old."""
    for match in re.finditer(r" (<=|>=|==|!=|<|>) ", code):
        yield "relation", match.start(1), match.end(1), RELATIONS[match[1]]
    for match in re.finditer(r" (&&|\|\|)(?= |$)", code):
        yield "logic", match.start(1), match.end(1), "||" if match[1] == "&&" else "&&"
    for match in re.finditer(r"(?<=[\w\])]) ([+-])(=?) ", code):
        yield "arithmetic", match.start(1), match.end(1), "-" if match[1] == "+" else "+"
    for match in re.finditer(r"(?<![\w.\"'])(\d+)(?![\w.])", code):
        for value in (int(match[1]) + 1, int(match[1]) - 1):
            if value >= 0 and not re.match(r"0\d", match[1]):
                yield "constant", match.start(1), match.end(1), str(value)
    for match in re.finditer(r"\bif (?=\()", code):
        end = condition_end(code, match.end())
        if end:
            yield "condition", match.end() + 1, end, "!({})"
    match = re.search(r"\bfor \(.*?; (?:[^;]*?)([\w>.\[\]-]+) (<|!=) [^;]+;", code)
    if match:
        yield "loop end", match.start(1), match.end(1), "{} + 1"
    statement = code.strip()
    starts = re.search(r"(^|[;{}:]|\)|\belse|\bdo)$", previous)
    if starts and is_balanced(statement) and statement.endswith(";"):
        begin = code.index(statement)
        target = r"^\*?[A-Za-z_][\w.>\[\]-]*"
        if re.search(target + r"\(.*\);$", statement) and not re.match(
                r"(return|if|while|for|switch|sizeof|va_\w+)\b", statement) or re.search(
                target + r"( ([-+*/%|&^]|<<|>>)?= .*|\+\+|--);$", statement):
            yield "statement", begin, begin + len(statement), ";"
    for old, new in RETURNS:
        match = re.search(r"\breturn (%s);" % old, code)
        if match:
            yield "return", match.start(1), match.end(1), new


class Mutant:
    """One change of one line of the file at path."""

    def __init__(self, path, number, operator, line, start, end, new):
        self.path, self.number, self.operator = path, number, operator
        self.line = line
        self.new_line = line[:start] + new.replace("{}", line[start:end]) + line[end:]

    def place(self):
        return "%s:%d" % (self.path, self.number)

    def change(self):
        return " ".join(self.line.split()) + " => " + " ".join(self.new_line.split())


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def mutants_of(path):
    """All mutants of a file, and its number of lines that could have any."""
    text = read(os.path.join(TOP, path))
    lines, code = text.split("\n"), code_of(text)
    previous, found, nr_lines = "", [], 0
    for at, (line, inside) in enumerate(zip(code.split("\n"), lines_in_functions(code))):
        if inside and line.strip():
            nr_lines += 1
            if not re.search(r"\b(\w*assert\w*|ck_\w+|BUILD_BUG_ON)\b", line.lower()):
                found += [Mutant(path, at + 1, operator, lines[at], start, end, new)
                          for operator, start, end, new in changes_of(line, previous)]
        previous = line.strip() or previous
    return found, nr_lines


def tree_files():
    return subprocess.run([os.path.join(TOP, "scripts/list-files"), TOP], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.split("\n")[:-1]


def draws(files, seed, with_kmod):
    """Mutants in the order in which they are drawn, none twice, until none is left.

    A folder gets its share by lines of code, and in it each operator has the same chance."""
    weights, pools = {}, {}
    for path in files:
        folder = path.split("/")[0]
        if not re.search(r"/.*\.[ch]$", path) or folder in ("tests", "bench", "doc", "model"):
            continue
        if folder == "kmod" and not with_kmod and not is_linked(path, files):
            continue
        found, nr_lines = mutants_of(path)
        if found:
            weights[folder] = weights.get(folder, 0) + nr_lines
        for mutant in found:
            pools.setdefault(folder, {}).setdefault(mutant.operator, []).append(mutant)
    # Only random(): its sequence is the same in all versions of Python.
    rng = random.Random(str(seed))
    while pools:
        at = rng.random() * sum(weights[folder] for folder in pools)
        for folder in sorted(pools):
            at -= weights[folder]
            if at < 0:
                break
        operators = sorted(pools[folder])
        operator = operators[int(rng.random() * len(operators))]
        pool = pools[folder][operator]
        yield pool.pop(int(rng.random() * len(pool)))
        if not pool:
            del pools[folder][operator]
        if not pools[folder]:
            del pools[folder]


def is_linked(path, files):
    """Does a Makefile part outside kmod/ or a test name this file of kmod/? Then tests link it."""
    if not is_linked.text:
        is_linked.text = "\n".join(
            read(os.path.join(TOP, name)) for name in files
            if name.endswith(".mk") or re.match(r"tests/unit/.*\.[ch]$", name))
    return path in is_linked.text


is_linked.text = ""


def read_equivalents():
    """The (path, change) of each line of tests/mutants-equivalent; exits if one matches no mutant,
    or more than one line of its file."""
    name, found, of_path = "tests/mutants-equivalent", set(), {}
    whole = os.path.join(TOP, name)
    for number, line in enumerate(read(whole).split("\n") if os.path.exists(whole) else (), 1):
        if not line or line.startswith("#"):
            continue
        path = line.partition(": ")[0]
        if path not in of_path and os.path.isfile(os.path.join(TOP, path)):
            of_path[path] = {}
            for mutant in mutants_of(path)[0]:
                of_path[path].setdefault(mutant.change(), set()).add(mutant.number)
        changes = [change for change in of_path.get(path, ())
                   if line.startswith("%s: %s: " % (path, change))]
        if not changes:
            sys.exit("mutants: %s:%d: matches no mutant, or has no reason: %s; remove or correct "
                     "the line" % (name, number, line))
        numbers = set().union(*(of_path[path][change] for change in changes))
        if len(numbers) > 1:
            sys.exit("mutants: %s:%d: matches more than one line of the file, %s: %s; make these "
                     "lines differ, or remove it" % (
                         name, number, ", ".join(map(str, sorted(numbers))), line))
        found.update((path, change) for change in changes)
    return found
