-- Who may call: organizations, people and what they may do, API keys, password tokens, web sessions.
--
-- Kinds of table, so that the same schema runs on one server and on a sharded one:
--   tenant     keyed (organization_id, …); every constraint and every query names organization_id
--   reference  small, seldom changed, the same everywhere: users, api_keys, service_secrets
--   local      of the service itself: schema_migrations, processes, rate_windows
-- Times are Unix seconds, as in the API. Identifiers are made by the caller of a statement, never by the database.

CREATE TABLE organizations (
    id      text COLLATE "C" PRIMARY KEY,
    name    text NOT NULL,
    plan    text NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    CONSTRAINT organizations_plan CHECK (plan IN ('Starter', 'Professional', 'Enterprise'))
);

CREATE TABLE users (
    id            text COLLATE "C" PRIMARY KEY,
    email         text NOT NULL,
    password_hash text NOT NULL,
    created       bigint NOT NULL,
    updated       bigint NOT NULL
);

CREATE UNIQUE INDEX users_email_unique ON users (lower(email));

-- A person in an organization. Name and status belong to the membership: one tenant's administrator must not be able
-- to rename or lock out somebody who also works for another tenant.
CREATE TABLE memberships (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    user_id         text COLLATE "C" NOT NULL REFERENCES users (id),
    name            text NOT NULL,
    status          text NOT NULL,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    PRIMARY KEY (organization_id, user_id),
    CONSTRAINT memberships_status CHECK (status IN ('Active', 'Suspended'))
);

CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE roles (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    description     text,
    permissions     text[] NOT NULL,
    system          boolean NOT NULL,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX roles_name_unique ON roles (organization_id, lower(name));

CREATE TABLE membership_roles (
    organization_id text COLLATE "C" NOT NULL,
    user_id         text COLLATE "C" NOT NULL,
    role_id         text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, user_id, role_id),
    CONSTRAINT membership_roles_member FOREIGN KEY (organization_id, user_id)
        REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE,
    CONSTRAINT membership_roles_role FOREIGN KEY (organization_id, role_id)
        REFERENCES roles (organization_id, id)
);

CREATE INDEX membership_roles_by_role ON membership_roles (organization_id, role_id);

-- Found by the hash of the secret, before the organization is known: hence a reference table, and its counters apart.
CREATE TABLE api_keys (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    permissions     text[],
    key_prefix      text NOT NULL,
    secret_hash     bytea NOT NULL,
    status          text NOT NULL,
    created         bigint NOT NULL,
    created_by      text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT api_keys_status CHECK (status IN ('active', 'revoked'))
);

CREATE UNIQUE INDEX api_keys_secret ON api_keys (secret_hash);

CREATE TABLE api_key_usage (
    organization_id  text COLLATE "C" NOT NULL REFERENCES organizations (id),
    key_id           text COLLATE "C" NOT NULL,
    total_calls      bigint NOT NULL,
    successful_calls bigint NOT NULL,
    last_used        bigint NOT NULL,
    last_used_ip     text,
    last_user_agent  text,
    PRIMARY KEY (organization_id, key_id)
);

-- One row per refresh token ever handed out in a chain; the chain ends when a used one comes back.
CREATE TABLE refresh_tokens (
    organization_id text COLLATE "C" NOT NULL,
    token_hash      bytea NOT NULL,
    chain_id        text COLLATE "C" NOT NULL,
    user_id         text COLLATE "C" NOT NULL,
    used            boolean NOT NULL,
    expires         bigint NOT NULL,
    PRIMARY KEY (organization_id, token_hash),
    CONSTRAINT refresh_tokens_member FOREIGN KEY (organization_id, user_id)
        REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);

CREATE INDEX refresh_tokens_chain ON refresh_tokens (organization_id, chain_id);

CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires);

CREATE TABLE web_sessions (
    organization_id text COLLATE "C" NOT NULL,
    token_hash      bytea NOT NULL,
    user_id         text COLLATE "C" NOT NULL,
    expires         bigint NOT NULL,
    PRIMARY KEY (organization_id, token_hash),
    CONSTRAINT web_sessions_member FOREIGN KEY (organization_id, user_id)
        REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);

CREATE INDEX web_sessions_expires ON web_sessions (expires);

-- Secrets of the service itself, encrypted with the deployment's key.
CREATE TABLE service_secrets (
    name  text PRIMARY KEY,
    value bytea NOT NULL
);
