-- What devices are told. `due` is the Unix second in which a worker has to look at a command next: to send it, to send it
-- again since a worker that took it has not said how it went, or to give it up; null once nothing more happens by itself.
CREATE TABLE commands (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    asset_id        text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    payload         jsonb NOT NULL,
    via             text NOT NULL,
    confirmed       boolean NOT NULL,
    f_port          integer NOT NULL,
    data            text,
    status          text NOT NULL,
    reason          text,
    message         text,
    attempts        integer NOT NULL,
    due             bigint,
    -- What ChirpStack calls it in its own queue.
    queue_item_id   text COLLATE "C",
    created_by      text COLLATE "C",
    created         bigint NOT NULL,
    expires_at      bigint NOT NULL,
    sent_at         bigint,
    transmitted_at  bigint,
    acknowledged_at bigint,
    updated         bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT commands_asset FOREIGN KEY (organization_id, asset_id) REFERENCES assets (organization_id, id) ON DELETE CASCADE
);

CREATE INDEX commands_of_asset ON commands (organization_id, asset_id, id);

CREATE INDEX commands_due ON commands (via, due) WHERE due IS NOT NULL;

CREATE INDEX commands_in_queue ON commands (organization_id, queue_item_id) WHERE queue_item_id IS NOT NULL;

-- By this they are forgotten.
CREATE INDEX commands_by_expiry ON commands (expires_at);

-- Where the network server of an organization takes commands. The token is sealed with the deployment's key.
CREATE TABLE chirpstack_servers (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id) PRIMARY KEY,
    url             text NOT NULL,
    token           bytea NOT NULL,
    token_last_four text NOT NULL,
    updated         bigint NOT NULL
);
