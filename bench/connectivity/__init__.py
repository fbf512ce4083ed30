"""The connectivity check among few and many devices, and what readings cost their rows."""
