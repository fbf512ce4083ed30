"""`with_terminal.py PROGRAM ARGUMENT...`: runs a program whose terminal is standard input, as in a terminal window."""

import fcntl
import os
import signal
import sys
import termios

fcntl.ioctl(0, termios.TIOCSCTTY, 0)
# The tests may run under nohup, which ignores the end of a terminal.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
