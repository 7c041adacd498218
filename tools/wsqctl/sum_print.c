// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl sum: a line for each file, as sha256sum (coreutils 9.1) prints it, or
 * a JSON object; errors on stderr as they come in the order of the files.
 */
#include <stdlib.h>

#include "sum.h"

#define MOST_LOST	20

/*
 * Escapes as sha256sum does: backslash, newline and carriage return. @out has
 * space for twice the length and one.
 */
void sum_escape(const char *s, char *out)
{
	for (; *s; s++) {
		if (*s == '\\' || *s == '\n' || *s == '\r') {
			*out++ = '\\';
			*out++ = *s == '\n' ? 'n' : *s == '\r' ? 'r' : '\\';
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

static void hex(const uint8_t *p, size_t n, char *out)
{
	static const char digit[] = "0123456789abcdef";

	for (; n; n--, p++) {
		*out++ = digit[*p >> 4];
		*out++ = digit[*p & 15];
	}
	*out = '\0';
}

/* The length of the UTF-8 character at @p, 0 if there is none. */
static size_t utf8_len(const unsigned char *p)
{
	uint32_t c;
	size_t n, i;

	if (*p < 0x80)
		return 1;
	n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	c = *p & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)) ||
	    (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

/*
 * JSON has no bytes. In a name that is not UTF-8, wrong bytes become U+FFFD,
 * and a member path_hex has the whole name.
 */
static void add_path(struct json_object *o, const char *path)
{
	size_t len = strlen(path), n, bad = 0;
	char *text = malloc(3 * len + 1), *out = text;
	const char *p;

	if (!text)
		return;
	for (p = path; *p; p += n) {
		n = utf8_len((const unsigned char *)p);
		if (n) {
			memcpy(out, p, n);
			out += n;
		} else {
			memcpy(out, "\xef\xbf\xbd", 3);
			out += 3;
			n = 1;
			bad++;
		}
	}
	*out = '\0';
	json_object_object_add(o, "path", json_object_new_string(text));
	if (bad) {
		hex((const uint8_t *)path, len, text);
		json_object_object_add(o, "path_hex",
				       json_object_new_string(text));
	}
	free(text);
}

static const char *what_went_wrong(const struct sum_result *r, bool lost)
{
	static char text[128];

	if (lost)
		return "not hashed, its worker ended";
	if (r->stage == STAGE_FILE)
		return strerror(r->err);
	snprintf(text, sizeof(text), "its task failed: %s", strerror(r->err));
	return text;
}

static void one_json(struct sum_run *run, size_t i, bool lost)
{
	const struct sum_result *r = &run->result[i];
	struct json_object *o = json_object_new_object();
	char digest[2 * DIGEST_LEN + 1];
	const char *name, *value;

	add_path(o, run->list.path[i]);
	if (lost || r->stage != STAGE_NONE) {
		name = "error";
		value = what_went_wrong(r, lost);
	} else {
		hex(r->digest, DIGEST_LEN, digest);
		name = "sha256";
		value = digest;
	}
	json_object_object_add(o, name, json_object_new_string(value));
	json_object_array_add(run->json, o);
}

static void one_line(struct sum_run *run, size_t i, bool lost)
{
	const struct sum_result *r = &run->result[i];
	const char *path = run->list.path[i], *name = path;
	char digest[2 * DIGEST_LEN + 1], *escaped = NULL;
	bool odd = strpbrk(path, "\\\n\r");

	/* If no producer lives, many may be lost; the end reports the count. */
	if (lost && run->lost > MOST_LOST)
		return;
	if (odd) {
		escaped = malloc(2 * strlen(path) + 1);
		if (escaped) {
			sum_escape(path, escaped);
			name = escaped;
		}
	}
	if (lost || r->stage != STAGE_NONE) {
		complain("%s: %s", name, what_went_wrong(r, lost));
	} else {
		hex(r->digest, DIGEST_LEN, digest);
		if (run->opts.zero)
			printf("%s  %s%c", digest, path, 0);
		else
			printf("%s%s  %s\n", odd ? "\\" : "", digest, name);
	}
	free(escaped);
}

/*
 * Prints the results that are ready, in the order of the list. @all: also
 * reports files that have no result as errors.
 */
void sum_print_ready(struct sum_run *run, bool all)
{
	for (; run->printed < run->list.nr; run->printed++) {
		const struct sum_result *r = &run->result[run->printed];
		bool lost = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) !=
			    SUM_DONE;

		if (lost && !all)
			return;
		run->lost += lost;
		run->errors += lost || r->stage != STAGE_NONE;
		if (run->opts.json)
			one_json(run, run->printed, lost);
		else
			one_line(run, run->printed, lost);
	}
}

void sum_json_end(struct sum_run *run)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "files", run->json);
	json_object_object_add(o, "summary", sum_table_json(run));
	run->json = o;
}
