"""The numbers of all advisory locks: one list, so that no two kinds of work use the same.

Workers of two versions may share a database, so a number never changes.
"""

# Locks of one number.
MIGRATIONS = 0x57E3A2D
PARTITIONS = 0x57E3A2E
TELEMETRY_HISTORY = 0x57E3A2F
EVENT_POSITIONS = 0x57E3A30

# The first of two numbers: the second is that of the job or the session.
SINGLETON_JOBS = 0x57E3A2
MQTT_SESSIONS = 0x6D717474
