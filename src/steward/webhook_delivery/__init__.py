"""The webhook worker in stages: claim, prepare, send, judge, settle."""
