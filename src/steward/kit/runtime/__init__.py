"""What a process needs whatever its work is: time, logs, metrics, threads, mail and stopping."""
