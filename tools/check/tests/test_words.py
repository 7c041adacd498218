# SPDX-License-Identifier: GPL-2.0
"""A retired word is found in what people read and in names, and nowhere else."""

import importlib.machinery
import importlib.util
import unittest
from pathlib import Path

TOOL = str(Path(__file__).resolve().parent.parent / "words")

# One or more samples for each line of RETIRED, FUSED and NAMES.
WORDS = (
    ("he", "Him"), ("somebody", "Nobody", "anyone"), ("whoever", "whom"),
    ("robs", "robber", "raid", "haul", "pries"), ("stand-in", "offices"), ("entrance",),
    ("lest", "for ever", "by chance", "in hand"), ("lent", "borrows"), ("withdraws", "withdrew"),
    ("orphan", "fostered"), ("breathe", "poised", "patience"), ("phases of a flush",),
    ("bundled",), ("raw pool",), ("piece of an engine's memory",), ("room",), ("unmounted",),
    ("guest",), ("housekeeping",), ("as there",),
)
CLAUSES = (
    ("Who finds it empty parks.", "The lock is free. Who finds it so takes it.",
     "It is woken by who puts."),
    ("What found no room is counted.", "It is full. What was put before that is there."),
)
NAMES = (
    ("wsq_rob", "WSQ_HAUL_NS", "pry"), ("wsq_orphan",), ("lap_end",), ("wsq_breathe",),
    ("nr_bundles",), ("withdraw_all",), ("entrances",), ("nr_standins",), ("as_guest",),
    ("lent",), ("remounted",), ("wsq_room_nobody",), ("wsq_housekeeping",), ("tell_all",),
)


def load():
    loader = importlib.machinery.SourceFileLoader("words", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("words", loader))
    loader.exec_module(module)
    return module


class Words(unittest.TestCase):
    def setUp(self):
        self.tool = load()

    def found(self, text, name="kmod/exec/a.c"):
        return [(number, word) for number, word, _ in self.tool.retired(name, text)]

    def clean(self, text, name="kmod/exec/a.c"):
        self.assertEqual(self.found(text, name), [], text)

    def test_each_word(self):
        self.assertEqual(len(WORDS), len(self.tool.RETIRED))
        for samples, (_, instead, _) in zip(WORDS, self.tool.RETIRED):
            for word in samples:
                hits = list(self.tool.retired("kmod/exec/a.c", f"/* It is {word} now. */\n"))
                self.assertEqual(hits, [(1, word, instead)])

    def test_each_clause(self):
        self.assertEqual(len(CLAUSES), len(self.tool.FUSED))
        for samples, (_, instead) in zip(CLAUSES, self.tool.FUSED):
            for sentence in samples:
                hits = list(self.tool.retired("README.md", sentence))
                self.assertEqual([hit[2] for hit in hits], [instead], sentence)

    def test_each_name(self):
        self.assertEqual(len(NAMES), len(self.tool.NAMES))
        for samples, (_, instead, _) in zip(NAMES, self.tool.NAMES):
            for name in samples:
                hits = list(self.tool.retired("kmod/exec/a.c", f"int x;\nvoid {name}(void);\n"))
                self.assertIn((2, name, instead), hits)

    def test_comments(self):
        self.assertEqual(self.found("int a;\n/*\n * A CPU is\n * robbed.\n */\n"), [(4, "robbed")])
        self.assertEqual(self.found("int a; // robbed\n"), [(1, "robbed")])
        self.assertEqual(self.found("/* for\n * ever */\n"), [(1, "for ever")])
        self.assertEqual(self.found("# It is\n# robbed\nrob=1\n", "run"), [(2, "robbed")])
        self.assertEqual(self.found("(* robbed *)\n", "a.litmus"), [(1, "robbed")])
        self.assertEqual(self.found("a\n\nrobbed\n", "Documentation/a.rst"), [(3, "robbed")])
        self.assertEqual(self.found(".B a\nrobbed\n", "a.7"), [(2, "robbed")])

    def test_python(self):
        text = '#!/usr/bin/env python3\n"""Of a\nraid."""\nraid = """a\nraid"""  # a haul\n'
        self.assertEqual(self.found(text, "tool"), [(3, "raid"), (5, "haul")])

    def test_strings(self):
        self.clean('const char *a = "robbed /* robbed */";\n')
        self.clean("char a = '\"';\nchar b = '\"';\n")
        self.clean('#include "../old/rob.h"\n')
        self.clean("echo robbed   # at the end of a line\n", "run")

    def test_names_are_not_words(self):
        self.clean("/* See rob.c, wsq_rob(), @lent, %WSQ_RAID and rob-all. */\n")

    def test_parts_of_names(self):
        self.clean("int probe, problem, overlap, telling, chapter, amount, dismount;\n")

    def test_questions(self):
        self.clean("Who may put? What was lost?", "README.md")
        self.clean("What is checked\n===============\n", "README.md")
        self.clean("The table says who may put, and users who wait.", "README.md")

    def test_sentence_over_lines(self):
        self.assertEqual(self.found("/*\n * It is so. Who\n * finds it parks.\n */\n"),
                         [(2, "Who finds")])
        self.clean("/*\n * Who is it\n *\n * A sentence.\n */\n")

    def test_where(self):
        self.clean("/* A guest mounts a file system. */\n", "selftests/wsq/a.c")
        self.clean("A room of the house.", "Documentation/architecture.rst")
        self.clean("int lap, told;\n", "selftests/core/unit/a.c")

    def test_right_ones(self):
        self.clean("/* As many as there are housekeeping CPUs. Someone of them. */\n")

    def test_exception(self):
        files = [("kmod/exec/a.c", "int robber;\n/* a robber */\n")]
        self.assertEqual(len(list(self.tool.check(files, {}))), 2)
        self.assertEqual(list(self.tool.check(files, {("kmod/*", "rob*"): "why"})), [])
        self.assertEqual(len(list(self.tool.check(files, {("kmod/pool/*", "robber"): "why"}))), 3)

    def test_needless_exception(self):
        self.assertEqual(list(self.tool.check([("a.c", "int a;\n")], {("a.c", "robber"): "why"})),
                         ["a.c: nothing needs the exception 'robber'"])

    def test_reasons(self):
        for reason in self.tool.EXCEPT.values():
            self.assertGreater(len(reason), 10)

    def test_this_tree(self):
        found = self.tool.check(self.tool.tree(), self.tool.EXCEPT)
        self.assertEqual(self.tool.wrong(found, self.tool.LEFTOVER), [])


if __name__ == "__main__":
    unittest.main()
