/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the programs of selftests/wsq that pass a ring's file to another process.
 */
#ifndef WSQ_PASS_H
#define WSQ_PASS_H

#include "wsq_test.h"

#include <sys/socket.h>
#include <sys/uio.h>

/* Sends a file descriptor with a message of at least one byte. */
static inline void send_fd(int sock, int fd, const void *about, size_t len)
{
	char buf[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { (void *)about, len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = buf, .msg_controllen = sizeof(buf),
	};
	struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);

	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cm), &fd, sizeof(fd));
	EXPECT_EQ(sendmsg(sock, &msg, 0), len);
}

static inline int recv_fd(int sock, void *about, size_t len)
{
	char buf[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { about, len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = buf, .msg_controllen = sizeof(buf),
	};
	int fd;

	EXPECT_EQ(recvmsg(sock, &msg, 0), len);
	EXPECT(CMSG_FIRSTHDR(&msg));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

#endif /* WSQ_PASS_H */
