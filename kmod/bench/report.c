// SPDX-License-Identifier: GPL-2.0
/*
 * Samples as JSON lines for tools/bench/collect (its format is in
 * tools/bench/README.md), in a file or as kernel messages. Kernel messages are
 * cut at some 900 bytes, so samples are spread over several lines.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

#include "bench.h"

#define BENCH_PER_LINE		20

/* A line: its head, then one of the other two. */
#define BENCH_HEAD	"{\"suite\":\"kernel\",\"case\":\"%s\",\"metric\":\"%s\","
#define BENCH_SAMPLES	"\"unit\":\"%s\",\"run\":%u,\"round\":%u,\"samples\":[%s]}\n"
#define BENCH_NOTE	"\"run\":%u,\"note\":\"%s\"}\n"

static __printf(2, 3) void bench_say(struct seq_file *m, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	if (m)
		seq_printf(m, "%pV", &vaf);
	else
		pr_info("%pV", &vaf);
	va_end(args);
}

/**
 * bench_report() - print samples
 * @m: where to, %NULL for kernel messages
 * @service: the service
 * @metric: the metric
 * @unit: its unit
 * @samples: hundredths of @unit, in the order of rounds, or %BENCH_NO_SAMPLE
 * @nr: how many
 * @run: number of the boot
 */
void bench_report(struct seq_file *m, const char *service, const char *metric,
		  const char *unit, const u64 *samples, unsigned int nr,
		  unsigned int run)
{
	char text[BENCH_PER_LINE * 16];
	unsigned int i, k, len;

	for (i = 0; i < nr; i += BENCH_PER_LINE) {
		len = 0;
		for (k = i; k < min(nr, i + BENCH_PER_LINE); k++) {
			u32 part;
			u64 whole = div_u64_rem(samples[k], 100, &part);
			const char *comma = k == i ? "" : ",";

			if (samples[k] == BENCH_NO_SAMPLE)
				len += scnprintf(text + len, sizeof(text) - len,
						 "%snull", comma);
			else
				len += scnprintf(text + len, sizeof(text) - len,
						 "%s%llu.%02u", comma, whole,
						 part);
		}
		bench_say(m, BENCH_HEAD BENCH_SAMPLES, service, metric, unit,
			  run, i, text);
	}
}

/**
 * bench_report_note() - say why there are no samples
 * @m: where to, %NULL for kernel messages
 * @service: the service
 * @metric: the metric
 * @note: why
 * @run: number of the boot
 */
void bench_report_note(struct seq_file *m, const char *service,
		       const char *metric, const char *note, unsigned int run)
{
	bench_say(m, BENCH_HEAD BENCH_NOTE, service, metric, run, note);
}
