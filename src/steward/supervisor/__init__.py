"""Everything `steward up` does with operating-system processes."""
