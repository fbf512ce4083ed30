-- An account is one login. What an organization makes opens that organization only; several accounts may bear one e-mail
-- address. A user is a person's place in an organization: records name users, and an account stands behind one or several.
--
-- Until now one account stood behind all users of an e-mail address, whoever had chosen its password. The oldest membership
-- keeps that account. Every other one gets an account of its own, without a password until somebody sets it, and whatever
-- was opened with the old one is over (generation 1). The identifiers of users stay, and so does what records say.

ALTER TABLE users RENAME TO accounts;

-- Tokens and sessions carry the generation that they were made in; a new password begins the next.
ALTER TABLE accounts ADD COLUMN generation integer NOT NULL DEFAULT 0;

-- Whether the password was chosen by the holder, so that nobody else knows it.
ALTER TABLE accounts ADD COLUMN own_password boolean NOT NULL DEFAULT false;

-- The password was hashed for another address: accounts of one address share a salt, and this one doesn't yet.
ALTER TABLE accounts ADD COLUMN renamed boolean NOT NULL DEFAULT false;

DROP INDEX users_email_unique;

CREATE INDEX accounts_by_email ON accounts (lower(email), created, id);

ALTER TABLE memberships DROP CONSTRAINT memberships_user_id_fkey;

ALTER TABLE memberships ADD COLUMN account_id text COLLATE "C";

-- How the organization knows the person; the account's own address may be another one.
ALTER TABLE memberships ADD COLUMN email text;

-- The organization made the account, and may set its password while it opens nothing else.
ALTER TABLE memberships ADD COLUMN made_account boolean NOT NULL DEFAULT true;

CREATE TABLE account_splits AS
SELECT organization_id, user_id, created,
       'acc_' || left(encode(sha256(convert_to(organization_id || ' ' || user_id, 'UTF8')), 'hex'), 28) AS account_id
FROM (SELECT organization_id, user_id, created,
             row_number() OVER (PARTITION BY user_id ORDER BY created, organization_id) AS place
      FROM memberships) AS placed
WHERE place > 1;

INSERT INTO accounts (id, email, password_hash, created, updated, generation, own_password)
SELECT s.account_id, a.email, '!', s.created, s.created, 1, false
FROM account_splits s JOIN accounts a ON a.id = s.user_id;

UPDATE memberships SET account_id = user_id;

UPDATE memberships AS m SET account_id = s.account_id
FROM account_splits s WHERE m.organization_id = s.organization_id AND m.user_id = s.user_id;

UPDATE memberships AS m SET email = a.email FROM accounts a WHERE a.id = m.account_id;

DROP TABLE account_splits;

ALTER TABLE memberships ALTER COLUMN account_id SET NOT NULL;

ALTER TABLE memberships ALTER COLUMN email SET NOT NULL;

ALTER TABLE memberships ADD CONSTRAINT memberships_account FOREIGN KEY (account_id) REFERENCES accounts (id);

DROP INDEX memberships_user;

CREATE INDEX memberships_by_account ON memberships (account_id);

CREATE UNIQUE INDEX memberships_account_unique ON memberships (organization_id, account_id);

CREATE UNIQUE INDEX memberships_email_unique ON memberships (organization_id, lower(email));

ALTER TABLE refresh_tokens ADD COLUMN generation integer NOT NULL DEFAULT 0;

ALTER TABLE web_sessions ADD COLUMN generation integer NOT NULL DEFAULT 0;

-- The only way for an account into another organization. A row goes when it is used or withdrawn, or a while after it expires.
CREATE TABLE invitations (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    email           text NOT NULL,
    name            text NOT NULL,
    token_hash      bytea NOT NULL,
    invited_by      text COLLATE "C" NOT NULL,
    created         bigint NOT NULL,
    expires_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX invitations_email_unique ON invitations (organization_id, lower(email));

CREATE UNIQUE INDEX invitations_token ON invitations (organization_id, token_hash);

CREATE INDEX invitations_expires ON invitations (expires_at);

CREATE TABLE invitation_roles (
    organization_id text COLLATE "C" NOT NULL,
    invitation_id   text COLLATE "C" NOT NULL,
    role_id         text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, invitation_id, role_id),
    CONSTRAINT invitation_roles_invitation FOREIGN KEY (organization_id, invitation_id)
        REFERENCES invitations (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT invitation_roles_role FOREIGN KEY (organization_id, role_id)
        REFERENCES roles (organization_id, id)
);

CREATE INDEX invitation_roles_by_role ON invitation_roles (organization_id, role_id);
