"""Start a program that outlives its starter: `python detach.py LOG PROGRAM ARGUMENT…` prints its number.

Run as a file, with nothing but the standard library, in a process that ends at once: what it starts has its
own session and is nobody's child, so it neither dies with the terminal nor stays as a zombie.
"""

import os
import subprocess
import sys

if __name__ == "__main__":
    flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    with open(sys.argv[1], "wb") as log:
        child = subprocess.Popen(
            sys.argv[2:],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            creationflags=flags,
        )
    sys.stdout.write(f"{child.pid}\n")
    sys.stdout.flush()
    os._exit(0)
