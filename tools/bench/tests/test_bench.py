# SPDX-License-Identifier: GPL-2.0
"""Tests of collect, compare and table: python3 -m unittest discover -s
tools/bench/tests. Standard library only."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, TOOLS)
sys.dont_write_bytecode = True
import benchlib  # noqa: E402


def script(name):
    loader = importlib.machinery.SourceFileLoader(
        f"bench_{name}", os.path.join(TOOLS, name))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def line(case, samples=None, unit="Mops/s", metric="m", **more):
    obj = {"suite": "core", "case": case, "metric": metric, **more}
    if samples is not None:
        obj.update(unit=unit, samples=samples)
    return json.dumps(obj)


def results(*lines):
    collection = benchlib.Collection()
    bad = collection.feed(lines)
    return collection.results(), bad


def row(rows, case, peer=""):
    found = [r for r in rows if r["case"] == case and r["peer"] == peer]
    assert len(found) == 1, (case, peer, rows)
    return found[0]


class Lines(unittest.TestCase):
    def test_prefix_and_foreign_lines(self):
        rows, bad = results("[    1.23] wsq_bench: " + line("a", [1]) + "\r\n",
                            "hello", "{}", "")
        self.assertEqual((len(rows), bad), (1, 0))

    def test_cut_line_is_counted(self):
        rows, bad = results(line("a", [1, 2])[:-4], line("b", [1]))
        self.assertEqual((len(rows), bad), (1, 1))

    def test_samples_over_several_lines(self):
        rows, _ = results(line("a", [1, 2], round=0), line("a", [3], round=2),
                          line("a", [9, 9]))
        self.assertEqual(row(rows, "a")["rounds"], 5)
        self.assertEqual(row(rows, "a")["max"], 9)

    def test_lines_in_any_order(self):
        rows, _ = results(line("a", [30], round=2), line("a", [10, 20], round=0),
                          line("b", [1, 2, 3]), line("a", peer="b"))
        self.assertEqual(row(rows, "a", "b")["ratio"], 10)

    def test_same_round_twice_is_an_error(self):
        with self.assertRaises(ValueError):
            collection = benchlib.Collection()
            collection.add(json.loads(line("a", [1], round=0)))
            collection.add(json.loads(line("a", [1], round=0)))

    def test_unit_must_not_change(self):
        with self.assertRaises(ValueError):
            collection = benchlib.Collection()
            collection.add(json.loads(line("a", [1])))
            collection.add(json.loads(line("a", [1], unit="ns")))


class Ratios(unittest.TestCase):
    def test_fields(self):
        rows, _ = results(line("a", [1, 2, 3], peer="b", note="n"),
                          line("b", [1, 1, 1]))
        want = {"suite", "case", "metric", "unit", "median", "min", "max",
                "rounds", "peer", "ratio", "note"}
        for r in rows:
            self.assertLessEqual(want, set(r))
        r = row(rows, "a", "b")
        self.assertEqual((r["median"], r["min"], r["max"], r["rounds"],
                          r["ratio"], r["note"]), (2, 1, 3, 3, 2, "n"))

    def test_more_is_better(self):
        rows, _ = results(line("a", [20]), line("b", [10]), line("a", peer="b"))
        self.assertEqual(row(rows, "a", "b")["ratio"], 2)

    def test_times_are_inverted(self):
        for unit in ("ns", "ns/op", "us per item", "cycles", "s"):
            rows, _ = results(line("a", [20], unit=unit, peer="b"),
                              line("b", [10], unit=unit))
            self.assertEqual(row(rows, "a", "b")["ratio"], 0.5, unit)

    def test_paired_by_run_and_round(self):
        # The machine is twice as fast in run 1; the ratio stays the same.
        rows, _ = results(line("a", [10, 11], run=0), line("b", [5, 5.5], run=0),
                          line("a", [22], run=1), line("b", [11], run=1),
                          line("a", peer="b"))
        r = row(rows, "a", "b")
        self.assertEqual((r["ratio"], r["ratio_lo"], r["ratio_hi"]), (2, 2, 2))
        self.assertEqual(r["runs"], 2)

    def test_hole_keeps_rounds_aligned(self):
        rows, _ = results(line("a", [None, 20, 30], peer="b"),
                          line("b", [7, 10, 15]))
        self.assertEqual(row(rows, "a", "b")["ratio"], 2)
        self.assertEqual(row(rows, "a", "b")["rounds"], 2)

    def test_several_peers_and_missing_ones(self):
        rows, _ = results(line("a", [4], peer=["b", "c"]), line("b", [2]))
        self.assertEqual(row(rows, "a", "b")["ratio"], 2)
        self.assertIsNone(row(rows, "a", "c")["ratio"])
        self.assertIn("c was not measured", row(rows, "a", "c")["note"])

    def test_other_metric_is_no_peer(self):
        rows, _ = results(line("a", [4], peer="b"),
                          line("b", [2], metric="other"))
        self.assertIsNone(row(rows, "a", "b")["ratio"])

    def test_floor(self):
        rows, _ = results(line("a", [9]), line("b", [10]), line("c", [1]),
                          line("a", peer="b", floor=0.95),
                          line("a", peer="c", floor=2.5),
                          line("a", peer="d", floor=1))
        self.assertEqual(benchlib.verdict(row(rows, "a", "b")), "falls short")
        self.assertEqual(benchlib.verdict(row(rows, "a", "c")), "pass")
        self.assertEqual(benchlib.verdict(row(rows, "a", "d")), "not measured")
        self.assertEqual(benchlib.verdict(row(rows, "b")), "")

    def test_dropped_counts_each_run_once(self):
        rows, _ = results(line("a", [1], run=0, dropped=2),
                          line("a", [1], run=0, dropped=2),
                          line("a", [1], run=1, dropped=1))
        self.assertEqual(row(rows, "a")["dropped"], 3)

    def test_missed_apart_from_dropped(self):
        rows, _ = results(line("a", [1], run=0, dropped=2, missed=3),
                          line("a", [1], run=1, missed=1),
                          line("b", [1], missed=0))
        self.assertEqual(row(rows, "a")["missed"], 4)
        self.assertEqual(row(rows, "a")["dropped"], 2)
        self.assertNotIn("missed", row(rows, "b"))
        self.assertEqual(script("table").lost(row(rows, "a")), "2, 4")

    def test_describes(self):
        rows, _ = results(line("a", [1, 2, 3], metric="robbed"),
                          line("a", [9, 10, 11], metric="stolen, 10 % wanted",
                               unit="%", describes="robbed"),
                          line("b", [1], metric="robbed"))
        notes = {(r["case"], r["metric"]): r["note"] for r in rows}
        self.assertEqual(notes["a", "robbed"],
                         "stolen, 10 % wanted: 10 (9.5 to 10.5) %")
        self.assertEqual(notes["a", "stolen, 10 % wanted"], "")
        self.assertEqual(notes["b", "robbed"], "")

    def test_note_without_figures(self):
        rows, _ = results(line("a", note="not measured: gone"))
        self.assertIsNone(row(rows, "a")["median"])


class Merge(unittest.TestCase):
    def test_replaces_suite_and_keeps_others(self):
        old = [{"suite": "core", "n": 1}, {"suite": "kernel", "n": 2}]
        self.assertEqual(benchlib.merge(old, [{"suite": "core", "n": 3}]),
                         [{"suite": "kernel", "n": 2}, {"suite": "core", "n": 3}])


class Commands(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.dir.name, "sub", "results.json")
        self.addCleanup(self.dir.cleanup)

    def suite(self, body):
        path = os.path.join(self.dir.name, "suite")
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + body)
        os.chmod(path, 0o755)
        return path

    def run_tool(self, name, *args):
        return subprocess.run([os.path.join(TOOLS, name), *args], text=True,
                              capture_output=True, check=False)

    def test_collect_runs_a_suite(self):
        suite = self.suite(f"echo '{line('wsq x', [3, 1])}'; echo chatter\n")
        done = self.run_tool("collect", "-o", self.path, suite)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("chatter", done.stderr)
        self.assertEqual(benchlib.load(self.path)[0]["median"], 2)

    def test_failed_suite_writes_nothing(self):
        suite = self.suite(f"echo '{line('wsq x', [3])}'; exit 3\n")
        done = self.run_tool("collect", "-o", self.path, suite)
        self.assertEqual(done.returncode, 1)
        self.assertIn("status 3", done.stderr)
        self.assertFalse(os.path.exists(self.path))

    def test_known_suites_exist(self):
        collect = script("collect")
        for name in collect.SUITES:
            self.assertTrue(os.access(collect.program_of(name), os.X_OK), name)
        for name in collect.HERE:
            path = collect.program_of(name, here=True)
            self.assertTrue(os.access(path, os.X_OK), name)
            self.assertNotEqual(path, collect.program_of(name))

    def test_here_is_for_kernels(self):
        for suites in ([], ["core"], ["kernel", "core"]):
            done = self.run_tool("collect", "--here", "--input", "/dev/null",
                                 *suites)
            self.assertEqual(done.returncode, 2, suites)

    def test_missing_suite(self):
        done = self.run_tool("collect", "-o", self.path, "/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("Traceback", done.stderr)

    def test_table(self):
        suite = self.suite(f"echo '{line('wsq x', [3], peer='y', floor=2)}'\n"
                           f"echo '{line('y', [1])}'\n"
                           f"echo '{line('z', note='not measured: why')}'\n")
        self.run_tool("collect", "-o", self.path, suite)
        text = self.run_tool("table", "-i", self.path, "-o", "-").stdout
        self.assertIn("| **wsq x** | 3 |", text)
        self.assertIn("| wsq x | y | 3.00 (3.00 to 3.00) | 2 | pass |", text)
        self.assertIn("not measured: why", text)
        self.assertIn("1 set, 0 of them fall short, 0 not measured", text)

    def test_table_shows_shortfalls_first(self):
        suite = self.suite(f"echo '{line('wsq x', [3], peer=['y', 'u'], floor=4)}'\n"
                           f"echo '{line('wsq z', [1], peer='y', floor=4)}'\n"
                           f"echo '{line('y', [1])}'\n")
        self.run_tool("collect", "-o", self.path, suite)
        text = self.run_tool("table", "-i", self.path, "-o", "-").stdout
        self.assertIn("3 set, 2 of them fall short, 1 not measured", text)
        worst = text.index("| core, m | wsq z | y | 1.00 (1.00 to 1.00) | 4 |")
        other = text.index("| core, m | wsq x | y | 3.00 (3.00 to 3.00) | 4 |")
        self.assertLess(worst, other)
        self.assertLess(other, text.index("## core: m"))

    def test_table_without_results(self):
        done = self.run_tool("table", "-i", self.path)
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("Traceback", done.stderr)


class Pictures(unittest.TestCase):
    def test_many_metrics_are_split_by_first_word(self):
        plot = script("plot")
        few = [((f"a, {i}", "ns"), []) for i in range(plot.MANY)]
        self.assertEqual(plot.pictures("core", few), {"core": few})
        many = few + [(("b c", "ns"), [])]
        self.assertEqual(plot.pictures("core", many),
                         {"core-a": few, "core-b": many[-1:]})


class Curves(unittest.TestCase):
    rows = [
        line("wsq lifo", [90], metric="put+get", peer=["chase_lev", "seq_ring"]),
        line("seq_ring", [100], metric="put+get"),
        line("chase_lev", [20], metric="put+get"),
        line("wsq lifo", [60], metric="put+get+steal, 10 % stolen",
             peer="seq_ring"),
        line("wsq lifo", [9.5], unit="%", metric="stolen, 10 % wanted"),
        line("seq_ring", [120], metric="put+get+steal, 10 % stolen"),
        line("chase_lev", [12], metric="put+get+steal, 10 % stolen"),
        line("chase_lev", [11], unit="%", metric="stolen, 10 % wanted"),
        line("wsq lifo", metric="put+get+steal, 20 % stolen", peer="seq_ring"),
        line("wsq fifo", [1], metric="put+get"),
        line("wsq lifo", [8], metric="pool, balance 0 %"),
        line("wsq lifo, numa", [4], metric="pool, balance 50 %"),
        line("wsq lifo, numa", [7], unit="%",
             metric="pool, balance 50 %: stolen"),
    ]

    def test_stolen(self):
        rows, _ = results(*self.rows)
        curves = script("plot").stolen_curves(
            rows, "core", ("wsq lifo", "chase_lev"), "seq_ring")
        self.assertEqual(curves, {"wsq lifo": [(0, 0.9), (9.5, 0.5)],
                                  "chase_lev": [(0, 0.2), (11, 0.1)]})

    def test_balance(self):
        rows, _ = results(*self.rows)
        self.assertEqual(script("plot").balance_curves(rows, "core"),
                         {"wsq lifo, numa": [(0, 8), (50, 4)]})


class Pairs(unittest.TestCase):
    """kernel-pairs.jsonl and kmod/bench use the same names."""

    def test_names_are_measured(self):
        bench = os.path.join(TOOLS, "..", "..", "kmod", "bench")
        source = ""
        for name in os.listdir(bench):
            with open(os.path.join(bench, name), encoding="utf-8") as f:
                source += f.read()
        # Titles that the rows of engines.def make (BENCH_TITLE).
        rows = os.path.join(bench, "..", "engine", "engines.def")
        with open(rows, encoding="utf-8") as f:
            engines = re.findall(r"\bX\(WSQ_\w+, (\w+),", f.read())
        self.assertTrue(engines)
        for what in set(re.findall(r'BENCH_TITLE\(type, name, "([^"]*)"\)', source)):
            for engine in engines:
                name = {"bwos_fifo": "", "bwos_lifo": "lifo "}.get(engine, engine + " ")
                source += f'"wsq {name}{what}"'
        ours = 0
        with open(os.path.join(TOOLS, "kernel-pairs.jsonl"),
                  encoding="utf-8") as f:
            for text in f:
                obj = benchlib.parse_line(text)
                if obj is None:
                    continue
                peers = obj["peer"]
                peers = [peers] if isinstance(peers, str) else peers
                for case in [obj["case"], *peers]:
                    self.assertIn(f'"{case}"', source)
                metric = obj["metric"]
                while f'"{metric}"' not in source:
                    metric, comma, part = metric.rpartition(", ")
                    self.assertTrue(comma, obj["metric"])
                    self.assertIn(f'", {part}"', source)
                ours += 1
        self.assertGreater(ours, 50)


class Compare(unittest.TestCase):
    @staticmethod
    def row(ratio, low, high, case="wsq a"):
        return {"suite": "core", "metric": "m", "case": case, "peer": "b",
                "ratio": ratio, "ratio_lo": low, "ratio_hi": high}

    def marks(self, old, new):
        return [c[3] for c in script("compare").changes(old, new)]

    def test_marks(self):
        old = [self.row(1.0, 0.95, 1.05)]
        self.assertEqual(self.marks(old, [self.row(1.2, 1.1, 1.3)]), ["better"])
        self.assertEqual(self.marks(old, [self.row(0.8, 0.7, 0.9)]), ["worse"])
        self.assertEqual(self.marks(old, [self.row(1.2, 1.0, 1.3)]), [""])

    def test_new_and_gone(self):
        old, new = [self.row(1, 1, 1, "wsq a")], [self.row(1, 1, 1, "wsq c")]
        self.assertEqual(self.marks(old, new), ["gone", "new"])

    def test_floors(self):
        with tempfile.TemporaryDirectory() as folder:
            old, new = (os.path.join(folder, n) for n in ("old", "new"))
            benchlib.save(old, [self.row(5, 5, 5)])
            benchlib.save(new, [dict(self.row(2, 2, 2), floor=4),
                                dict(self.row(7, 7, 7, "wsq b"), floor=4)])
            text = subprocess.run([os.path.join(TOOLS, "compare"), old, new],
                                  text=True, capture_output=True,
                                  check=True).stdout
        self.assertRegex(text, r"wsq a / b: .*worse  floor 4: falls short")
        self.assertRegex(text, r"wsq b / b: .*new  floor 4: pass")
        self.assertIn("1 fall short of their floor", text)

    def test_null_ratio_is_left_out(self):
        self.assertEqual(self.marks([self.row(None, None, None)], []), [])


class Ringbench(unittest.TestCase):
    """ringbench on this kernel, with a module made of threads."""

    @classmethod
    def setUpClass(cls):
        if not os.path.exists("/usr/include/nettle/sha2.h"):
            raise unittest.SkipTest("nettle-dev is not installed")
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        subprocess.run(["make", "-s", "-C", os.path.join(TOOLS, "ring"), "fake",
                        f"OUT={cls.dir.name}"], check=True, capture_output=True)

    def bench(self, *args, fake=""):
        return subprocess.run([os.path.join(self.dir.name, "ringbench-fake"), *args],
                              env={**os.environ, "WSQ_FAKE": fake}, text=True,
                              capture_output=True, check=False, timeout=1000)

    def rows(self, *args, fake=""):
        done = self.bench("-r", "2", "-n", "512", *args, fake=fake)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, bad = results(*done.stdout.splitlines())
        self.assertEqual(bad, 0)
        return {(r["case"], r["metric"], r["peer"]): r for r in rows}

    def test_ours_beside_peers(self):
        rows = self.rows("-t", "1", "-e", "wsq ring:wsq ring polled:process")
        for task in ("nop", "crc32c of 4 KiB", "sha256 of 64 KiB"):
            for batch in (1, 8, 64, 512):
                metric = f"{task}, 1 thread, batches of {batch}"
                r = rows["wsq ring", metric, "process"]
                self.assertGreater(r["ratio"], 0)
                self.assertEqual(r["rounds"], 2)
                self.assertGreater(rows["wsq ring polled", metric, "wsq ring"]["ratio"], 0)
        self.assertFalse([k for k in rows if "2 threads" in k[1]])

    def test_calls_are_counted(self):
        rows = self.rows("-c", "nop", "-t", "2", "-e", "wsq ring:process")
        calls = {k[:2]: r["median"] for k, r in rows.items() if k[1].endswith("system calls")}
        for threads in ("1 thread", "2 threads"):
            for batch in (1, 8, 64, 512):
                metric = f"nop, {threads}, batches of {batch}: system calls"
                # A wait that ended early may need one more call.
                self.assertGreater(calls["wsq ring", metric], 0.99 / batch)
                self.assertLess(calls["wsq ring", metric], 4 / batch)
                self.assertEqual(calls["process", metric], 0)

    def test_what_is_missing_is_said(self):
        rows = self.rows("-c", "nop", "-t", "1", "-e", "wsq ring:wsq ring polled",
                         fake="no_poll=1")
        note = rows["wsq ring polled", "nop, 1 thread, batches of 1", ""]["note"]
        self.assertEqual(note, "not measured: Operation not permitted")

    def test_a_wrong_result_ends_it(self):
        done = self.bench("-r", "1", "-n", "64", "-t", "1", "-c", "sha256",
                          "-e", "wsq ring", fake="wrong=65536")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wsq ring", done.stderr)

    def test_no_module(self):
        done = self.bench("-r", "1", fake="open_err=2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wsq: No such file or directory", done.stderr)

    def test_arguments(self):
        for args in (["-r", "0"], ["-r", "x"], ["-t", "3"], ["-n", ""], ["-x"], ["word"]):
            self.assertEqual(self.bench(*args).returncode, 2, args)



class Simulated(unittest.TestCase):
    """Rows of the simulator: curves over CPUs, and rows that describe them."""

    def rows(self):
        def sim(case, metric, value, unit="tasks/us", **more):
            return json.dumps({"suite": "sim", "case": case, "metric": metric, "unit": unit,
                               "samples": [value], **more})
        rows, bad = results(
            sim("wsq a", "to and fro, 2 CPUs", 10), sim("wsq a", "to and fro, 64 CPUs", 300),
            sim("b", "to and fro, 2 CPUs", 5), sim("wsq a", "changed signs", 3, "%"),
            sim("wsq a", "to and fro, 64 CPUs: IPIs", 0.25, "per task",
                describes="to and fro, 64 CPUs"))
        self.assertEqual(bad, 0)
        return rows

    def test_scales(self):
        scales = benchlib.scales(self.rows())
        self.assertEqual(list(scales), ["to and fro"])
        self.assertEqual({c: {n: r["median"] for n, r in rows.items()}
                          for c, rows in scales["to and fro"].items()},
                         {"wsq a": {2: 10, 64: 300}, "b": {2: 5}})

    def test_table(self):
        text = script("table").render(self.rows())
        self.assertIn("| case | 2 | 64 |", text)
        self.assertIn("| **wsq a** | 10 | 300 |", text)
        self.assertIn("| b | 5 | - |", text)
        self.assertIn("| wsq a | 0.25 |", text)
        # No table for each number of CPUs, except for rows that are no curve.
        self.assertNotIn("## sim: to and fro, 2 CPUs", text)
        self.assertIn("## sim: changed signs", text)

class Fill(unittest.TestCase):
    """tools/bench/fill and its tables."""

    def setUp(self):
        self.fill = script("fill")

    def fill_one(self, page, spec, *lines):
        rows, _ = results(*lines)
        return self.fill.fill(page, self.fill.Figures(rows), spec)

    def test_cells(self):
        spec = {"t": {"suite": "core", "metric": "m",
                      "columns": [{"head": "", "text": "{label}"},
                                  {"head": "Mops/s", "median": "{case}"},
                                  {"head": "over it", "ratio": "wsq a", "peer": "{case}",
                                   "spread": True},
                                  {"head": "k", "both": "{case}", "peer": "ring", "per": 10}],
                      "rows": [{"label": "ours", "case": "wsq a"},
                               {"label": "a ring", "case": "ring"},
                               {"label": "absent", "case": "none"}]}}
        text, unknown = self.fill_one(
            "one\n\n.. figures: t\nold\n.. end\n\ntwo\n", spec,
            line("wsq a", [2, 4, 6], peer="ring"), line("ring", [1, 2, 2]))
        self.assertEqual(unknown, [])
        self.assertEqual(text, """one

.. figures: t

======  ======  ===================  =========
..      Mops/s  over it              k
======  ======  ===================  =========
ours    4       ..                   0.4, 2.00
a ring  2       2.00 (2.00 to 2.50)  0.2, ..
absent  ..      ..                   ..
======  ======  ===================  =========

.. end

two
""")

    def test_another_suite_stays(self):
        page = ".. figures: t\nold\n.. end\n"
        spec = {"t": {"suite": "ring", "columns": [], "rows": []}}
        self.assertEqual(self.fill_one(page, spec, line("a", [1])), (page, []))

    def test_no_figure_of_a_part_stays(self):
        page = ".. figures: t\nold\n.. end\n"
        spec = {"t": {"suite": "core", "metric": "m",
                      "columns": [{"head": "", "text": "{case}"},
                                  {"head": "Mops/s", "median": "{case}"}],
                      "rows": [{"case": "b"}]}}
        self.assertEqual(self.fill_one(page, spec, line("a", [1])), (page, []))
        self.assertNotEqual(self.fill_one(page, spec, line("b", [1])), (page, []))

    def test_unknown_table(self):
        _, unknown = self.fill_one(".. figures: x\n.. end\n", {}, line("a", [1]))
        self.assertEqual(unknown, ["x"])

    def test_page_and_tables(self):
        """Each table of the pages is described, and each description used."""
        specs = self.fill.load_specs()
        top = os.path.dirname(os.path.dirname(TOOLS))
        names = []
        for page in "benchmarks.rst", "completions.rst", \
                "multiplicity-experiments.rst", "call.rst", "choosing.rst", "forkjoin.rst":
            with open(os.path.join(top, "Documentation", page), encoding="utf-8") as f:
                names += [m[1] for m in self.fill.TABLE.finditer(f.read())]
        self.assertEqual(sorted(names), sorted(specs))


class Calls(unittest.TestCase):
    """What tools/bench/calls reads in the logs of wsq_fib.ko, wsq_ddb.ko and ddb."""

    FIB = """[1] wsq_fib: n 20, work 0, 3 rounds
wsq_fib: fib(20) = 6765, calls 20000
wsq_fib: plain recursion 80 us, CPU time 81 us; a call costs 66 ns beyond that
wsq_fib: 1 CPUs: 1400 us, 1.00 times as fast as one; CPU time 1390 us, lost 0 us, waste 1.00, over plain recursion 64.00
wsq_fib: 2 CPUs: 1000 us, 1.40 times as fast as one; CPU time 1590 us, lost -200 us, waste 1.14, over plain recursion 70.50
"""
    DDB = """wsq_ddb: right: 100 requests
wsq_ddb: 200 messages in 50 us: 4000000 a second
wsq_ddb: cpu 0: 90 messages, 1800000 a second, utilisation 62 %, units stolen 3
wsq_ddb: cpu 1: 110 messages, 2200000 a second, utilisation 72 %, units stolen 4
"""

    def said(self, function, *args):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            getattr(script("calls"), function)(0, *args)
        lines = [json.loads(line) for line in out.getvalue().splitlines()]
        return {(o["case"], o["metric"]): o["samples"][0] for o in lines}

    def test_fib(self):
        said = self.said("fib", 0, self.FIB)
        self.assertEqual(said["wsq fib, work 0, 1 CPU", "a call"], 70)
        self.assertEqual(said["wsq fib, work 0, 2 CPUs", "times as fast as one CPU"], 1.4)
        self.assertEqual(said["wsq fib, work 0, 2 CPUs", "CPU time lost"], -20)
        self.assertEqual(said["wsq fib, work 0, 2 CPUs", "waste"], 1.14)
        self.assertEqual(len(said), 10)

    def test_database(self):
        said = self.said("database", "x", self.DDB)
        native = self.DDB.replace("wsq_ddb: cpu", "worker").replace(" 1800000 a second,", "")
        self.assertEqual(said, self.said("database", "x", native.replace(" 2200000 a second,", "")))
        self.assertEqual(said, {("x", "messages"): 4e6, ("x", "messages of 0"): 90, ("x", "messages of 1"): 110,
                                ("x", "utilisation of 0"): 62, ("x", "utilisation of 1"): 72,
                                ("x", "units stolen by 0"): 3, ("x", "units stolen by 1"): 4})

    def test_no_figures(self):
        for function, what in ("fib", 0), ("database", "x"):
            with self.assertRaises(SystemExit):
                self.said(function, what, "wsq_fib: wrong\n")


if __name__ == "__main__":
    unittest.main()
