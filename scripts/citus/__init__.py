"""A Citus to test against: found or built, started as a coordinator with two workers, and stopped again."""
