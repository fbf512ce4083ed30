"""Opens pools and clients and puts the parts together; the only room that knows everything.

Whoever takes anything from here has loaded what slices register with the kit.
"""

from steward.wiring import schema as schema
