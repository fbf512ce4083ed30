"""Work outside of requests: jobs at their pace, one worker at a time, in batches."""
