"""Owns what a ProxyCommand of the tests runs: bytes from here to HOST PORT and back."""

from __future__ import annotations

import os
import socket
import sys
import threading


def main() -> None:
    with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as far:
        threading.Thread(target=_send, args=(far,), daemon=True).start()
        while data := far.recv(65536):
            os.write(1, data)


def _send(far: socket.socket) -> None:
    while data := os.read(0, 65536):
        far.sendall(data)


if __name__ == "__main__":
    main()
