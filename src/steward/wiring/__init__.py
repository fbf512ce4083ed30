"""Opens pools and clients and puts the parts together; the only room that knows everything.

Importing it loads everything that slices register with the kit.
"""

from steward.wiring import schema as schema
