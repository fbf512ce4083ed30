"""Reports: figures over time, each with its formula and the rows behind it."""
