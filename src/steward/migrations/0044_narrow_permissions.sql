-- Requesters see and touch what is their own. Every organization holds its own copy of the built-in roles.

UPDATE roles SET
    permissions = '{assets:read,bookings:book,forms:read,locations:read,work-orders:request}',
    description = 'Reports problems and books rooms, and sees what they reported and booked.',
    updated = extract(epoch FROM now())::bigint
WHERE system AND name = 'Requester';

UPDATE roles SET
    permissions = ARRAY(SELECT DISTINCT p FROM unnest(permissions || '{bookings:book,work-orders:request}'::text[]) p ORDER BY p),
    updated = extract(epoch FROM now())::bigint
WHERE system AND name IN ('Administrator', 'Manager');

UPDATE roles SET
    permissions = ARRAY(SELECT DISTINCT p FROM unnest(permissions || '{users:act-as}'::text[]) p ORDER BY p)
WHERE system AND name = 'Administrator';
