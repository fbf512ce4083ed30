-- Requesters fill in published forms and see their own submissions. Roles that organizations made themselves stay as they are.

UPDATE roles SET
    permissions = ARRAY(SELECT DISTINCT p FROM unnest(array_remove(permissions, 'forms:read') || '{forms:submit}'::text[]) p ORDER BY p),
    description = 'Reports problems, books rooms and fills in forms, and sees what is their own.',
    updated = extract(epoch FROM now())::bigint
WHERE system AND name = 'Requester';

UPDATE roles SET
    permissions = ARRAY(SELECT DISTINCT p FROM unnest(permissions || '{forms:submit}'::text[]) p ORDER BY p),
    updated = extract(epoch FROM now())::bigint
WHERE system AND name IN ('Administrator', 'Manager');
