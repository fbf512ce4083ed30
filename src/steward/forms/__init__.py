"""Forms, their published versions, and submissions."""
