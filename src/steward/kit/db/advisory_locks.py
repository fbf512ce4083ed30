"""The numbers of all advisory locks: one list, so that no two kinds of work ever take the same.

Workers of two versions may run over one database, so that a number stays what it is.
"""

# Locks of one number.
MIGRATIONS = 0x57E3A2D
PARTITIONS = 0x57E3A2E
TELEMETRY_HISTORY = 0x57E3A2F
EVENT_POSITIONS = 0x57E3A30

# The first of two numbers: the second says which job, or which session.
SINGLETON_JOBS = 0x57E3A2
MQTT_SESSIONS = 0x6D717474
