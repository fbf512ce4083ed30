"""Deliveries beside a bare loop that signs and posts: throughput, what waiting costs, latency, and noisy neighbours."""
