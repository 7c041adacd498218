# SPDX-License-Identifier: GPL-2.0
"""Shared by collect, compare, table and plot: the lines that suites print, and
results.json.

README.md beside this file describes the formats. Python 3.9 or later, standard
library only. Limitations: ratios pair samples by run and round, so a suite
that prints them in another order for each case gets meaningless ratios.
"""
import json
import math
import re
import statistics

# In these units less is better; in all others more is.
TIME_UNITS = ("ns", "us", "ms", "s", "cycles", "exchanges", "fences", "looks", "calls",
              "switches", "instructions", "stores")

# Units that describe a measurement and are not a figure of merit.
NEUTRAL_UNITS = ("%",)

OURS = "wsq "


def is_ours(case):
    return case.startswith(OURS)


def less_is_better(unit):
    """True for ns, us/op, cycles per item and the like."""
    return unit.replace("/", " ").split(" ")[0] in TIME_UNITS


def parse_line(line):
    """The object on a line, or None. Ignores a printk prefix and a carriage
    return; a truncated line raises ValueError."""
    start = line.find('{"suite"')
    if start < 0:
        return None
    return json.loads(line[start:].strip())


def quartiles(values):
    """Lower and upper quartile; both are the value itself if there is one."""
    if len(values) < 2:
        return values[0], values[0]
    q = statistics.quantiles(values, n=4, method="inclusive")
    return q[0], q[2]


class Series:
    """All samples of one case and metric."""

    def __init__(self, suite, case, metric):
        self.suite, self.case, self.metric = suite, case, metric
        self.unit = ""
        self.samples = {}       # (run, round) -> value
        self.next_round = {}    # run -> round
        self.dropped = {}       # run -> disturbed windows thrown away
        self.missed = {}        # run -> windows thrown away as not as wanted
        self.describes = None   # metric of this case that these samples explain
        self.peers = {}         # peer -> floor or None
        self.notes = []

    def add(self, obj):
        if obj.get("unit", self.unit) != self.unit and self.unit:
            raise ValueError(f"{self.case}: unit {obj['unit']} after {self.unit}")
        self.unit = obj.get("unit", self.unit)
        run = obj.get("run", 0)
        values = obj.get("samples", [])
        at = obj.get("round", self.next_round.get(run, 0))
        for i, value in enumerate(values):
            if value is not None:
                if (run, at + i) in self.samples:
                    raise ValueError(f"{self.case}: {self.metric}: run {run} "
                                     f"round {at + i} twice")
                self.samples[run, at + i] = float(value)
        self.next_round[run] = at + len(values)
        for key, sums in (("dropped", self.dropped), ("missed", self.missed)):
            if key in obj:
                sums[run] = max(sums.get(run, 0), obj[key])
        self.describes = obj.get("describes", self.describes)
        peers = obj.get("peer", [])
        for peer in [peers] if isinstance(peers, str) else peers:
            self.peers.setdefault(peer, None)
            if "floor" in obj:
                self.peers[peer] = obj["floor"]
        note = obj.get("note")
        if note and note not in self.notes:
            self.notes.append(note)


class Collection:
    """Lines in, results out."""

    def __init__(self):
        self.series = {}

    def add(self, obj):
        key = (obj["suite"], obj.get("case", ""), obj.get("metric", ""))
        if key not in self.series:
            self.series[key] = Series(*key)
        self.series[key].add(obj)

    def feed(self, lines):
        """Reads a suite's output; returns the number of unreadable lines."""
        bad = 0
        for line in lines:
            try:
                obj = parse_line(line)
            except ValueError:
                bad += 1
                continue
            if obj is not None:
                self.add(obj)
        return bad

    def suites(self):
        return {key[0] for key in self.series}

    def results(self):
        """One object for each case, metric and peer."""
        out = []
        explained = {(s.suite, s.case, s.describes): explanation(s)
                     for s in self.series.values() if s.describes and s.samples}
        for s in self.series.values():
            base = self._figures(s)
            base["note"] = "; ".join(filter(None, [
                base["note"], explained.get((s.suite, s.case, s.metric))]))
            peers = s.peers or {"": None}
            for peer, floor in peers.items():
                row = dict(base, peer=peer, ratio=None)
                other = self.series.get((s.suite, peer, s.metric))
                if other and s.samples:
                    row.update(ratio_of(s, other))
                elif peer and s.samples:
                    row["note"] = "; ".join(filter(None, [
                        row["note"], f"{peer} was not measured"]))
                if floor is not None:
                    row["floor"] = floor
                out.append(row)
        return out

    @staticmethod
    def _figures(s):
        row = {"suite": s.suite, "case": s.case, "metric": s.metric,
               "unit": s.unit, "median": None, "min": None, "max": None,
               "rounds": len(s.samples), "runs": len({k[0] for k in s.samples}),
               "note": "; ".join(s.notes)}
        values = list(s.samples.values())
        if values:
            row.update(median=tidy(statistics.median(values)),
                       min=tidy(min(values)), max=tidy(max(values)))
        if s.dropped:
            row["dropped"] = sum(s.dropped.values())
        if any(s.missed.values()):
            row["missed"] = sum(s.missed.values())
        return row


def explanation(s):
    """The note that a series adds to another metric of its case."""
    values = list(s.samples.values())
    low, high = quartiles(values)
    return (f"{s.metric}: {statistics.median(values):.3g} "
            f"({low:.3g} to {high:.3g}) {s.unit}")


def ratio_of(this, other):
    """Ratio of two series, above 1 if @this is better. Samples are paired by
    run and round where both have them; the spread is that of the pairs."""
    common = sorted(set(this.samples) & set(other.samples))
    pairs = [(this.samples[k], other.samples[k]) for k in common]
    if not pairs:
        pairs = [(statistics.median(this.samples.values()),
                  statistics.median(other.samples.values()))] \
            if this.samples and other.samples else []
    if less_is_better(this.unit):
        pairs = [(b, a) for a, b in pairs]
    ratios = [a / b for a, b in pairs if b]
    if not ratios:
        return {"ratio": None}
    low, high = quartiles(ratios)
    return {"ratio": tidy(statistics.median(ratios)),
            "ratio_lo": tidy(low), "ratio_hi": tidy(high)}


def tidy(value):
    """Five significant digits, so that files can be read and compared."""
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, max(0, 4 - int(math.floor(math.log10(abs(value))))))


def scales(results):
    """Of the simulator: {scenario: {case: {CPUs: row}}}, each case once. Leaves
    out rows that describe another (their metric has a ": ")."""
    out = {}
    for r in results:
        found = re.fullmatch(r"([^:]+), (\d+) CPUs", r["metric"])
        if r["suite"] == "sim" and found and r["median"] is not None:
            out.setdefault(found[1], {}).setdefault(r["case"], {}).setdefault(
                int(found[2]), r)
    return out


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def save(path, results):
    """One result a line: readable, and a diff shows what changed."""
    with open(path, "w", encoding="utf-8") as f:
        f.write("[\n")
        f.write(",\n".join(json.dumps(r) for r in results))
        f.write("\n]\n")


def merge(old, new):
    """Suites that @new has replace those of @old; others stay."""
    seen = {r["suite"] for r in new}
    return [r for r in old if r["suite"] not in seen] + new


def verdict(row):
    """"pass" or "falls short" where a floor was set, else ""."""
    if "floor" not in row:
        return ""
    if row["ratio"] is None:
        return "not measured"
    return "pass" if row["ratio"] >= row["floor"] else "falls short"
