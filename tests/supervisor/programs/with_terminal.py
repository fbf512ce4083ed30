"""`with_terminal.py PROGRAM ARGUMENT...`: runs a program whose terminal is standard input, as in a terminal window."""

import fcntl
import os
import sys
import termios

fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
