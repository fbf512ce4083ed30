"""What a process does beside its work: time, logs, metrics, jobs, caches and stopping."""
