-- What the filters of webhooks name stays as long as they do, and a location may stand for what lies in it.

-- Filters from before go on meaning exactly what they name.
ALTER TABLE webhooks ADD COLUMN filter_descends boolean NOT NULL DEFAULT false;

-- One row for each identifier that a filter names, in the column of its kind.
CREATE TABLE webhook_filter_names (
    organization_id text COLLATE "C" NOT NULL,
    webhook_id      text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    location_id     text COLLATE "C",
    asset_id        text COLLATE "C",
    asset_type_id   text COLLATE "C",
    resource_id     text COLLATE "C",
    PRIMARY KEY (organization_id, webhook_id, id),
    CONSTRAINT webhook_filter_names_webhook FOREIGN KEY (organization_id, webhook_id)
        REFERENCES webhooks (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT webhook_filters_location FOREIGN KEY (organization_id, location_id)
        REFERENCES locations (organization_id, id),
    CONSTRAINT webhook_filters_asset FOREIGN KEY (organization_id, asset_id)
        REFERENCES assets (organization_id, id),
    CONSTRAINT webhook_filters_asset_type FOREIGN KEY (organization_id, asset_type_id)
        REFERENCES asset_types (organization_id, id),
    CONSTRAINT webhook_filters_resource FOREIGN KEY (organization_id, resource_id)
        REFERENCES bookable_resources (organization_id, id)
);

CREATE INDEX webhook_filter_names_by_name ON webhook_filter_names (organization_id, id);

CREATE INDEX webhook_filters_by_location ON webhook_filter_names (organization_id, location_id) WHERE location_id IS NOT NULL;

CREATE INDEX webhook_filters_by_asset ON webhook_filter_names (organization_id, asset_id) WHERE asset_id IS NOT NULL;

CREATE INDEX webhook_filters_by_asset_type ON webhook_filter_names (organization_id, asset_type_id)
    WHERE asset_type_id IS NOT NULL;

CREATE INDEX webhook_filters_by_resource ON webhook_filter_names (organization_id, resource_id) WHERE resource_id IS NOT NULL;

-- Of what older filters name, that which there is. What was never there, or is gone, can't be missed.
INSERT INTO webhook_filter_names AS named (organization_id, webhook_id, id, location_id)
SELECT DISTINCT w.organization_id, w.id, l.id, l.id
FROM webhooks w JOIN locations l ON l.organization_id = w.organization_id AND w.filter_criteria -> 'locationId' ? l.id;

INSERT INTO webhook_filter_names AS named (organization_id, webhook_id, id, asset_id)
SELECT DISTINCT w.organization_id, w.id, a.id, a.id
FROM webhooks w JOIN assets a ON a.organization_id = w.organization_id AND w.filter_criteria -> 'assetId' ? a.id;

INSERT INTO webhook_filter_names AS named (organization_id, webhook_id, id, asset_type_id)
SELECT DISTINCT w.organization_id, w.id, t.id, t.id
FROM webhooks w JOIN asset_types t ON t.organization_id = w.organization_id AND w.filter_criteria -> 'assetTypeId' ? t.id;

INSERT INTO webhook_filter_names AS named (organization_id, webhook_id, id, resource_id)
SELECT DISTINCT w.organization_id, w.id, r.id, r.id
FROM webhooks w JOIN bookable_resources r ON r.organization_id = w.organization_id AND w.filter_criteria -> 'resourceId' ? r.id;
