# SPDX-License-Identifier: GPL-2.0
"""Tests of drivers/run: python3 -m unittest discover -s tools/bench/tests."""
import importlib.machinery
import importlib.util
import json
import os
import sys
import unittest

DRIVERS = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "drivers")
sys.dont_write_bytecode = True


def script(name):
    loader = importlib.machinery.SourceFileLoader(
        f"bench_drivers_{name}", os.path.join(DRIVERS, name))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Run(unittest.TestCase):
    def test_plan(self):
        run = script("run")
        modules = {"loop": ["/a.ko", "/b.ko"], "dm-verity": ["/c.ko", "/d.ko"]}
        run.ROUNDS = 2
        lines = run.plan(modules, {"m": ("loop", "-", ["--x"]), "v": ("dm-verity", "-", ["--y"])}, 0)
        self.assertEqual([x.split(" ", 2)[2] for x in lines if x.startswith("load loop")],
                         ["/a.ko -", "/b.ko -", "/b.ko -", "/a.ko -"])
        self.assertEqual([x.split(" ", 2)[2] for x in lines if x.startswith("load dm-verity")],
                         ["/c.ko -", "/d.ko -", "/c.ko - try_verify_in_tasklet",
                          "/c.ko - try_verify_in_tasklet", "/d.ko -", "/c.ko -"])
        self.assertEqual([x.split("| ")[0] for x in lines if x.startswith("window") and "|m|" in x],
                         ["window 1 0|WQ_UNBOUND|m", "window 1 0|wsq queue|m",
                          "window 1 1|wsq queue|m", "window 1 1|WQ_UNBOUND|m"])
        self.assertEqual(lines[2], "unload loop")
        # AIO on both CPUs.
        lines = run.plan(modules, {"m": ("loop", "-", run.random("read", "4k", 32, *run.AIO))}, 0)
        self.assertTrue(lines[1].startswith("window 3 0|WQ_UNBOUND|m| "))
        self.assertNotIn("io_uring", lines[1])

    def test_every_metric_has_its_peers(self):
        run = script("run")
        for metric, (driver, _, args) in run.METRICS.items():
            self.assertIn(driver, run.DRIVERS, metric)
            self.assertIn(run.OURS, run.DRIVERS[driver], metric)
            self.assertTrue(metric.startswith(driver), metric)
            if driver == "wireguard":
                self.assertEqual(args, ["--time", "1"])
                continue
            self.assertRegex(" ".join(args), r"^--rw=rand(read|write) --bs=[0-9]+k? --iodepth=[0-9]+")
            self.assertEqual(metric.endswith(run.P99), run.CLOCKS in args, metric)
            self.assertEqual(metric.endswith(run.P99), run.NO_CLOCKS not in args, metric)

    def test_figures_of_a_window(self):
        run = script("run")
        run.KEEP = True
        boot = run.Boot(0)

        def take(metric, counted, of):
            boot.sample(("a", metric), 1, None, None, counted, json.dumps(of))
            return {m: boot.figures["a", m][1] for m in run.lines_of(metric)}

        read = {"iops": 5000, "total_ios": 2000, "runtime": run.RAMP,
                "lat_ns": {"percentile": {"50.000000": 7000, "99.000000": 42000}}}
        fio = {"jobs": [{"error": 0, "read": read}]}
        self.assertEqual(take("loop, random read", [8000], fio),
                         {"loop, random read": 5, "loop, random read: switches": 2})
        self.assertEqual(take("loop, random read: p99", [8000], fio),
                         {"loop, random read: p99": 42, "loop, random read: p50": 7})
        self.assertEqual(
            take("wireguard, tunnels: 1", [300, 100, 77],
                 {"end": {"sum_received": {"bits_per_second": 2500000}}}),
            {"wireguard, tunnels: 1": 2.5, "wireguard, tunnels: 1: switches": 3,
             "wireguard, tunnels: 1: p99": 77})

    def test_streams(self):
        run = script("run")
        one = '{"end": {"sum_received": {"bits_per_second": 2500000}}}'
        self.assertEqual(run.streams(f"{one}\n{one}\n"), 5)
        with self.assertRaises(RuntimeError):
            run.streams('{"error": "unable to connect"}')

    def test_disturbed(self):
        run = script("run")
        ticks = run.TICK * os.cpu_count()
        before = (10.0, 1000, 5, 400)
        self.assertFalse(run.disturbed(before, (11.0, 1000 + ticks // 2, 5, 400 + ticks // 2)))
        self.assertTrue(run.disturbed(before, (11.0, 1000 + ticks // 2, 5, 400)))
        self.assertTrue(run.disturbed(before, (11.0, 1000, 5 + ticks // 10, 400)))


if __name__ == "__main__":
    unittest.main()
