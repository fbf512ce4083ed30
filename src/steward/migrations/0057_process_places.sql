-- Where a process runs: others on the same machine needn't wait for the lease of one that was killed.
ALTER TABLE processes ADD COLUMN place text;
