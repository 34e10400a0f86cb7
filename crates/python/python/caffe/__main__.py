"""`python3 -m caffe ARGS` is `firecaffe ARGS`, on nets that may have Python layers."""

import signal
import sys

from ._caffe import _command_line

# The command line has its own handler, which asks the run to stop. Python's would raise
# KeyboardInterrupt in the middle of a layer.
signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.exit(_command_line(sys.argv[1:]))
