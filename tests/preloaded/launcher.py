"""Stands for a `toolweave` process where a shell starts it: `launcher.py ADDRESS ARGUMENTS…`."""

import array
import json
import os
import signal
import socket
import sys

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.connect(f"\0{sys.argv[1]}")
    request = {
        "arguments": sys.argv[2:],
        "directory": os.getcwd(),
        "environ": dict(os.environ),
        "session": False,
        "group": -1,
    }
    data = json.dumps(request).encode()
    descriptors = array.array("i", [0, 1, 2]).tobytes()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
    line.sendmsg([len(data).to_bytes(8, "big")], rights)
    line.sendall(data)
    for number in FORWARDED:
        signal.signal(number, lambda received, _: line.send(bytes([received])))
    answer = line.recv(4)
    status = int.from_bytes(answer, "big") if answer else signal.SIGKILL
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    sys.exit(os.waitstatus_to_exitcode(status))


main()
