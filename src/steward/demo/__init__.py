"""The demo organization: a campus with a past, and the simulator that plays its devices and people.

Pure: `campus` and `people` (what there is), `past` (chance and time), `patterns` and `faults` (what sensors say), `orders`,
`agenda`, `rates`, `inspections`, `dashboards` (what people do), and the `*_history` modules, which take that through the
rules of the slices up to the present. `seed`, `data`, `sensor_past` and `integrations` write it; `simulator` and `life` go on.
"""
