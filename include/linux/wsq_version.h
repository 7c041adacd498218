/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version of wsq: that of its modules, of libwsq and wsqctl, whose Makefiles
 * read this line, and of the packages (debian/changelog; tools/check/packages
 * compares them). Documentation/packages.rst says what may change with it.
 */
#ifndef _LINUX_WSQ_VERSION_H
#define _LINUX_WSQ_VERSION_H

#define WSQ_VERSION	"0.6.0"

#endif /* _LINUX_WSQ_VERSION_H */
