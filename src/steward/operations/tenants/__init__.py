"""Everything of one organization: handed over in a file, and deleted for good."""
