-- How many processes have taken from a window, which is what each may take at once; and whether nobody holds anything of it that
-- isn't used, so that a refusal needs no more asking.
ALTER TABLE rate_windows ADD COLUMN holders integer NOT NULL DEFAULT 1;
ALTER TABLE rate_windows ADD COLUMN drained boolean NOT NULL DEFAULT false;
