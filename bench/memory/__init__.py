"""What load leaves behind in the memory of processes."""
