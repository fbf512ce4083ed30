-- Work orders may be about an asset.

ALTER TABLE work_orders ADD CONSTRAINT work_orders_asset FOREIGN KEY (organization_id, asset_id) REFERENCES assets (organization_id, id);
