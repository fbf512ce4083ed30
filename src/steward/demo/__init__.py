"""The demo organization: a campus with a past, and the simulator that plays its devices and people.

Pure: `campus` and `people` (what there is), `past` (chance and time), `patterns` and `faults` (what sensors say), `orders`,
`agenda`, `rates`, `inspections`, `dashboards` (what people do), and the `*_history` modules, which make the rows that came of
it. `fixed_rows` reads names, texts and tables from `rows/`. `seed`, `data`, `sensor_past` and `integrations` store it all;
`simulator` and `life` play on.
"""
