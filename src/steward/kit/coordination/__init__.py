"""What the processes of a deployment agree on through the database: leases, caches, limits."""
