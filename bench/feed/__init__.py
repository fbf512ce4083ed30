"""What a page of the change feed costs, among few events and among many."""
