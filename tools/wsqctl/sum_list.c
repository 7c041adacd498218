// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl sum: the list of files. All names are in memory before the first file
 * is read, some 100 bytes each. Only -r looks at the file system here, to walk
 * directories.
 */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sum.h"

static int add(struct sum_list *l, const char *path)
{
	if (l->nr == l->room) {
		size_t room = l->room ? 2 * l->room : 1024;
		char **p = reallocarray(l->path, room, sizeof(*p));

		if (!p)
			return -ENOMEM;
		l->path = p;
		l->room = room;
	}
	l->path[l->nr] = strdup(path);
	if (!l->path[l->nr])
		return -ENOMEM;
	l->nr++;
	return 0;
}

static void fail(struct sum_list *l, const char *path, int err)
{
	char name[4 * 4096];

	if (strlen(path) < sizeof(name) / 2)
		sum_escape(path, name);
	else
		strcpy(name, "(a very long name)");
	complain("%s: %s", name, strerror(err));
	l->errors++;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Does this symbolic link inside a directory point to a file? */
static bool link_to_file(struct sum_list *l, const FTSENT *e)
{
	struct stat st;

	if (stat(e->fts_accpath, &st)) {
		fail(l, e->fts_path, errno);
		return false;
	}
	return S_ISREG(st.st_mode);
}

/*
 * Files below a directory, in the order of names. Links to files count, links
 * to directories are not followed, devices, pipes and sockets are left out. A
 * path that is no directory is listed as it is; the worker reports any error.
 */
static int walk(struct sum_list *l, char *path)
{
	char *argv[2] = { path, NULL };
	FTSENT *e;
	FTS *fts;
	int ret = 0;

	if (!*path || !strcmp(path, "-"))
		return add(l, path);
	fts = fts_open(argv, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
		       by_name);
	if (!fts)
		return -errno;
	while (!ret && (e = fts_read(fts))) {
		bool top = e->fts_level == FTS_ROOTLEVEL;

		switch (e->fts_info) {
		case FTS_D:
		case FTS_DP:
			break;
		case FTS_DC:
			fail(l, e->fts_path, ELOOP);
			break;
		case FTS_DNR:
		case FTS_ERR:
			fail(l, e->fts_path, e->fts_errno);
			break;
		case FTS_NS:
			if (top)
				ret = add(l, e->fts_path);
			else
				fail(l, e->fts_path, e->fts_errno);
			break;
		case FTS_SL:
		case FTS_SLNONE:
			if (top || link_to_file(l, e))
				ret = add(l, e->fts_path);
			break;
		case FTS_F:
			ret = add(l, e->fts_path);
			break;
		default:
			if (top)
				ret = add(l, e->fts_path);
		}
	}
	if (!ret && errno && !e)
		ret = -errno;
	fts_close(fts);
	return ret;
}

static int add_arg(struct sum_list *l, const struct sum_opts *o, char *path)
{
	errno = 0;
	return o->recurse ? walk(l, path) : add(l, path);
}

static int from_file(struct sum_list *l, const struct sum_opts *o)
{
	bool std = !strcmp(o->files_from, "-");
	FILE *f = std ? stdin : fopen(o->files_from, "re");
	int end = o->null ? '\0' : '\n', ret = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (!f) {
		ret = -errno;
		complain("%s: %s", o->files_from, strerror(-ret));
		return ret;
	}
	while (!ret && (n = getdelim(&line, &room, end, f)) > 0) {
		if (line[n - 1] == end)
			line[--n] = '\0';
		if (!n)
			continue;
		if (strlen(line) != (size_t)n) {
			complain("%s: a NUL in a line (use -0?)",
				 o->files_from);
			ret = -EINVAL;
			break;
		}
		ret = add_arg(l, o, line);
		if (ret)
			complain("%s: %s", line, strerror(-ret));
	}
	if (!ret && ferror(f)) {
		complain("%s: %s", o->files_from, strerror(errno));
		ret = -EIO;
	}
	free(line);
	if (!std)
		fclose(f);
	return ret;
}

static int cmp(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

/* Returns 0, or a negative errno after reporting the error. */
int sum_list_make(struct sum_list *l, const struct sum_opts *o)
{
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < o->nr_paths; i++) {
		ret = add_arg(l, o, o->paths[i]);
		if (ret)
			complain("%s: %s", o->paths[i], strerror(-ret));
	}
	if (!ret && o->files_from)
		ret = from_file(l, o);
	if (!ret && !o->nr_paths && !o->files_from)
		ret = add(l, "-");
	if (!ret && o->sort)
		qsort(l->path, l->nr, sizeof(*l->path), cmp);
	return ret;
}

void sum_list_free(struct sum_list *l)
{
	while (l->nr)
		free(l->path[--l->nr]);
	free(l->path);
	l->path = NULL;
}
