# SPDX-License-Identifier: GPL-2.0
"""The parser against what kernels, kselftests and broken programs print."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import ktap

KTAP = ktap.__file__


def parse(text, strict=False):
    parser = ktap.Parser(strict_skips=strict)
    for line in textwrap.dedent(text).splitlines():
        parser.feed(line)
    parser.finish()
    return parser


class Case(unittest.TestCase):
    def check(self, text, passed, failed, skipped, strict=False):
        p = parse(text, strict)
        self.assertEqual((p.passed, len(p.failures), len(p.skips)), (passed, failed, skipped), p.failures)
        return p


class Parsing(Case):
    def test_flat(self):
        self.check("""\
            TAP version 13
            1..3
            ok 1 - first
            ok 2 second
            not ok 3 third
            """, 2, 1, 0)

    def test_plan_at_the_end(self):
        self.check("ok 1 a\nok 2 b\n1..2\n", 2, 0, 0)

    def test_nothing(self):
        self.assertIn("no test ran", self.check("", 0, 1, 0).failures[0])

    def test_empty_plan(self):
        self.assertIn("no test ran", self.check("KTAP version 1\n1..0\n", 0, 1, 0).failures[0])

    def test_words_are_no_results(self):
        self.check("ok\nokay 1 then\nall ok 1\nok then\n", 0, 1, 0)

    def test_skip(self):
        p = self.check("1..2\nok 1 a # SKIP no such device\nok 2 # SKIP nameless\n", 0, 0, 2)
        self.assertEqual(p.skips[0], {"name": "a", "reason": "no such device"})

    def test_skip_without_reason(self):
        self.check("1..1\nok 1 a # SKIP\n", 0, 0, 1)
        self.check("1..1\nok 1 a # SKIP\n", 0, 1, 0, strict=True)
        self.check("1..1\nok 1 a # SKIP because\n", 0, 0, 1, strict=True)

    def test_skip_all(self):
        p = self.check("1..0 # SKIP not root\n", 0, 0, 1)
        self.assertEqual(p.skips[0]["reason"], "not root")

    def test_failure_behind_directives(self):
        for word in ("SKIP", "TODO", "XFAIL"):
            self.check("1..1\nnot ok 1 a # %s later\n" % word, 0, 1, 0)

    def test_timeout_directive(self):
        self.check("1..1\nok 1 a # TIMEOUT\n", 0, 1, 0)

    def test_cached(self):
        p = self.check("1..3\nok 1 - a # cached\nok 2 b # cached # SKIP why\nnot ok 3 c # cached\n", 1, 1, 1)
        self.assertEqual((p.cached, p.names), (1, ["a", "b # cached", "c"]))

    def test_hash_in_name(self):
        self.check("1..2\nok 1 issue \\# 5\nok 2 a # not a directive\n", 2, 0, 0)

    def test_missing_plan(self):
        self.check("KTAP version 1\nok 1 a\n", 1, 1, 0)

    def test_missing_results(self):
        self.assertIn("3 planned, 1 reported", self.check("1..3\nok 1 a\n", 1, 1, 0).failures[0])

    def test_too_many_results(self):
        self.check("1..1\nok 1 a\nok 2 b\n", 2, 1, 0)

    def test_duplicate_number(self):
        p = self.check("1..2\nok 1 a\nok 1 b\n", 2, 1, 0)
        self.assertIn("twice", p.failures[0])

    def test_gap_in_numbers(self):
        self.check("1..2\nok 1 a\nok 3 b\n", 2, 1, 0)

    def test_not_ok_without_number(self):
        self.check("1..1\nnot ok broken\nok 1 a\n", 1, 1, 0)

    def test_bail_out(self):
        p = self.check("1..2\nok 1 a\nBail out! disk on fire\n", 1, 2, 0)
        self.assertIn("disk on fire", p.failures[0])

    def test_second_plan(self):
        self.check("1..2\nok 1 a\n1..2\nok 2 b\n", 2, 1, 0)

    def test_documents_in_a_row(self):
        self.check("TAP version 13\n1..1\nok 1 a\nTAP version 13\n1..1\nok 1 b\n", 2, 0, 0)
        self.check("1..1\nok 1 a\n1..1\nok 1 b\n", 2, 0, 0)
        self.check("TAP version 13\n1..2\nok 1 a\nTAP version 13\n1..1\nok 1 b\n", 2, 1, 0)


KUNIT = """\
KTAP version 1
1..2
    KTAP version 1
    # Subtest: wsq_core
    # module: wsq_kunit
    1..3
    ok 1 put_get
        KTAP version 1
        # Subtest: sizes
        ok 1 2x2
        ok 2 64x4096
    # sizes: pass:2 fail:0 skip:0 total:2
    ok 2 sizes
    ok 3 steal # SKIP one CPU only
# wsq_core: pass:2 fail:0 skip:1 total:3
ok 1 wsq_core
    KTAP version 1
    # Subtest: wsq_pool
    1..1
    # topology: EXPECTATION FAILED at kmod/tests/pool_kunit.c:12
    %s 1 topology
%s 2 wsq_pool
"""


class Nesting(Case):
    def test_kunit(self):
        p = self.check(KUNIT % ("ok", "ok"), 4, 0, 1)
        self.assertEqual(p.skips[0]["name"], "wsq_core/steal")

    def test_kunit_failure_counts_once(self):
        p = self.check(KUNIT % ("not ok", "not ok"), 3, 1, 1)
        self.assertEqual(p.failures, ["wsq_pool/topology"])
        self.assertEqual(p.said, [["# topology: EXPECTATION FAILED at kmod/tests/pool_kunit.c:12"]])

    def test_child_fails_though_parent_is_ok(self):
        self.check(KUNIT % ("not ok", "ok"), 3, 1, 1)

    def test_parent_fails_though_no_child_does(self):
        p = self.check(KUNIT % ("ok", "not ok"), 4, 1, 1)
        self.assertIn("nothing in it failed", p.failures[0])

    def test_printk_stamps_and_noise(self):
        noisy = []
        for n, line in enumerate((KUNIT % ("ok", "ok")).splitlines()):
            noisy.append("[%5d.%06d]%s %s" % (n, n, "[  T%d]" % n if n % 2 else "", line))
            noisy.append("[%5d.%06d] wsq: worker on CPU 1 parked, 1..3 ok 1" % (n, n))
            noisy.append("insmod said this")
        self.check("\n".join(noisy), 4, 0, 1)

    def test_crash_in_the_middle(self):
        text = "\n".join((KUNIT % ("ok", "ok")).splitlines()[:7])
        self.check(text, 1, 2, 0)

    def test_insmod_twice(self):
        self.check((KUNIT % ("ok", "ok")) * 2, 8, 0, 2)

    def test_failing_suite_without_tests(self):
        self.check("KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: a\n    1..0\nnot ok 1 a\n", 0, 1, 0)

    def test_nested_plan_not_kept(self):
        p = self.check("1..1\n    # Subtest: a\n    1..2\n    ok 1 x\nok 1 a\n", 1, 1, 0)
        self.assertIn("a: 2 planned, 1 reported", p.failures[0])

    def test_kselftest(self):
        p = self.check("""\
            TAP version 13
            1..2
            # timeout set to 45
            # selftests: wsq: ring
            # TAP version 13
            # 1..2
            # ok 1 setup
            # # a diagnostic: ok 7 is no result
            # not ok 2 mmap
            # # Totals: pass:1 fail:1 xfail:0 xpass:0 skip:0 error:0
            not ok 1 selftests: wsq: ring # exit=1
            # selftests: wsq: load
            # TAP version 13
            # 1..0 # SKIP not root
            ok 2 selftests: wsq: load # SKIP
            """, 1, 1, 1)
        self.assertEqual(p.skips[0]["reason"], "not root")

    def test_comments_are_not_nested_results(self):
        self.check("1..1\n# ok 1 said the program\n# 1..5\nok 1 a\n", 1, 0, 0)

    def test_harness(self):
        self.check("""\
            TAP version 13
            1..1
            # Starting 1 tests from 1 test cases.
            #  RUN           global.a ...
            #            OK  global.a
            ok 1 global.a
            # PASSED: 1 / 1 tests passed.
            # Totals: pass:1 fail:0 xfail:0 xpass:0 skip:0 error:0
            """, 1, 0, 0)


class Commands(unittest.TestCase):
    def run_suite(self, script, *options, env=None):
        with tempfile.TemporaryDirectory() as tmp:
            done = subprocess.run(
                [sys.executable, KTAP, "run", "--suite", "s", "--dir", tmp, *options, "--", "sh", "-c", script],
                stdout=subprocess.PIPE, text=True, env={**os.environ, "CI": "", **(env or {})})
            with open(os.path.join(tmp, "s.json")) as f:
                return done.returncode, json.load(f), done.stdout

    def test_pass(self):
        code, result, out = self.run_suite("echo 1..1; echo ok 1 a")
        self.assertEqual((code, result["passed"], result["failed"]), (0, 1, 0))
        self.assertTrue(out.startswith("1..1\nok 1 a\n"))

    def test_exit_status(self):
        code, result, _ = self.run_suite("echo 1..1; echo ok 1 a; exit 3")
        self.assertEqual((code, result["failed"]), (1, 1))
        self.assertIn("3", result["failures"][0])
        code, result, _ = self.run_suite("echo 1..1; echo not ok 1 a; exit 98")
        self.assertEqual((code, result["failed"]), (1, 2))
        self.assertIn("98", result["failures"][1])
        code, result, _ = self.run_suite("echo 1..1; echo not ok 1 a; exit 1")
        self.assertEqual((code, result["failed"]), (1, 1))

    def test_silence(self):
        self.assertEqual(self.run_suite("true")[0], 1)

    def test_all_skipped(self):
        for script in ("echo '1..0 # SKIP not root'", "echo 1..1; echo 'ok 1 a # SKIP no such device'"):
            code, result, _ = self.run_suite(script)
            self.assertEqual((code, result["passed"], result["failed"], result["skipped"]), (1, 0, 1, 1))
            self.assertIn("nothing passed", result["failures"][0])
        self.assertEqual(self.run_suite("echo 1..2; echo 'ok 1 a # SKIP no such device'; echo ok 2 b")[0], 0)

    def test_no_such_command(self):
        self.assertEqual(self.run_suite("exec /nowhere")[0], 1)

    def test_hangs(self):
        code, result, _ = self.run_suite("echo 1..1; echo ok 1 a; sleep 1000 & sleep 1000", "--silence", "0.5")
        self.assertEqual(code, 1)
        self.assertIn("hangs", result["failures"][-1])
        self.assertLess(result["seconds"], 500)

    def test_not_judged(self):
        """A command that goes on, but not to its end: what it has reported counts."""
        script = "echo 1..9; echo ok 1 a; %swhile sleep 0.1; do echo; done"
        code, result, _ = self.run_suite(script % "", "--most", "1")
        self.assertEqual((code, result["passed"], result["failed"], result["skipped"]), (0, 1, 0, 1))
        self.assertIn("not judged", result["skips"][0]["reason"])
        code, result, _ = self.run_suite(script % "echo not ok 2 b; ", "--most", "1")
        self.assertEqual((code, result["passed"], result["failed"], result["skipped"]), (1, 1, 1, 1))

    @unittest.skipIf(os.geteuid(), "only root may end SCHED_IDLE")
    def test_idle_until(self):
        """A process that began idle has its share when others have ended."""
        with tempfile.TemporaryDirectory() as tmp:
            until = os.path.join(tmp, "over")
            script = ("policy() { ps -o cls= -p $$; }; [ $(policy) = IDL ] || exit 1; echo 1..1; touch %s; "
                      "until [ $(policy) = TS ]; do sleep 0.1; done; echo ok 1 a" % until)
            code, result, _ = self.run_suite(script, "--silence", "20", "--idle-until", until)
            self.assertEqual((code, result["passed"]), (0, 1))

    def test_left_out(self):
        _, result, _ = self.run_suite("echo '# left out: 3 of 4 clients'; echo 1..1; echo ok 1 a")
        self.assertEqual(result["left"], ["3 of 4 clients"])

    def test_ci_wants_reasons(self):
        script = "echo 1..2; echo 'ok 1 a # SKIP'; echo ok 2 b"
        self.assertEqual(self.run_suite(script)[0], 0)
        self.assertEqual(self.run_suite(script, env={"CI": "true"})[0], 1)

    def test_unfinished_last_line(self):
        self.assertEqual(self.run_suite("echo 1..1; printf 'ok 1 a'")[0], 0)

    def total(self, *results, expect=()):
        with tempfile.TemporaryDirectory() as tmp:
            paths = []
            for n, (passed, failed, skipped) in enumerate(results):
                paths.append(os.path.join(tmp, "%d.json" % n))
                with open(paths[-1], "w") as f:
                    json.dump({"suite": "s%d" % n, "passed": passed, "failed": failed, "skipped": skipped,
                               "cached": 0, "skips": [{"name": "x", "reason": "why"}] * skipped,
                               "failures": ["bad"] * failed, "said": [["why"]] * failed, "left": ["some"],
                               "seconds": 1, "cpu": 1}, f)
            done = subprocess.run([sys.executable, KTAP, "total", *("--expect=" + e for e in expect), *paths],
                                  stdout=subprocess.PIPE, text=True)
            return done.returncode, done.stdout

    def test_total(self):
        code, out = self.total((3, 0, 1), (2, 0, 0))
        self.assertEqual((code, out.splitlines()[-1]), (0, "5 passed, 0 failed, 1 skipped"))
        self.assertIn("s0: x: why", out)
        code, out = self.total((3, 1, 1))
        self.assertEqual((code, out.splitlines()[-4:]),
                         (1, ["failed: s0: bad", "    why", "1 CPU seconds in all", "3 passed, 1 failed, 1 skipped"]))
        self.assertIn("left out: s0: some\n", out)
        self.assertEqual(self.total((0, 0, 0))[0], 1)
        self.assertEqual(self.total((0, 0, 3))[0], 1)
        self.assertEqual(self.total()[0], 1)

    def test_total_misses_a_suite(self):
        code, out = self.total((3, 0, 0), expect=("s0", "gone"))
        self.assertEqual((code, out.splitlines()[-1]), (1, "3 passed, 1 failed, 0 skipped"))
