-- A receiver may answer, and repeat what it was sent, after a visitor has been erased: whatever was under way then has come to
-- an end by this time, and the answers are looked through once more. Only visitors for whom that is to come are in the index.
ALTER TABLE visitors ADD COLUMN late_answers_until bigint;

CREATE INDEX visitors_late_answers ON visitors (late_answers_until) WHERE late_answers_until IS NOT NULL;
