#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does a tunnel keep the order of what is sent through it?

    order.py receive PORT            prints "ready", then until its input ends takes UDP
                                     packets, and prints how many came and how many of
                                     them were behind a later one of their sender
    order.py send ADDRESS PORT NUMBER
    order.py flood ADDRESS PORT      sends until it is killed, whatever becomes of the tunnel

Each sender is one socket, its packets are numbered. Packets may be lost, as UDP's may.
The exit status of receive is 1 if one was out of order, or none came.
"""
import select
import socket
import struct
import sys
import time


def receive(port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    s.bind(("0.0.0.0", port))
    print("ready", flush=True)
    last, came, late = {}, 0, 0
    while True:
        readable = select.select([s, sys.stdin], [], [])[0]
        if s in readable:
            data, sender = s.recvfrom(2048)
            number, = struct.unpack_from("<Q", data)
            came += 1
            late += number < last.get(sender, -1)
            last[sender] = max(number, last.get(sender, -1))
        elif not sys.stdin.readline():
            break
    print(f"{came} packets of {len(last)} senders, {late} out of order", flush=True)
    return late > 0 or not came


def send(address, port, number):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect((address, port))
    for n in range(number):
        # Lengths that take different times to encrypt.
        s.send(struct.pack("<Q", n) + bytes(n * 37 % 1300))
    return 0


def flood(address, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    n = 0
    while True:
        n += 1
        try:
            s.sendto(bytes(n * 37 % 1300), (address, port))
        except OSError:
            time.sleep(0.001)


if sys.argv[1] == "receive":
    sys.exit(receive(int(sys.argv[2])))
if sys.argv[1] == "flood":
    flood(sys.argv[2], int(sys.argv[3]))
sys.exit(send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
