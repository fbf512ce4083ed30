-- A person can be forgotten; what names them stays, and points at somebody without a name. As with visitors, receivers may answer
-- late, and the answers are looked through once more: only users for whom that is to come are in the index.

ALTER TABLE memberships ADD COLUMN erased_at bigint;
ALTER TABLE memberships ADD COLUMN late_answers_until bigint;

CREATE INDEX memberships_late_answers ON memberships (late_answers_until) WHERE late_answers_until IS NOT NULL;
