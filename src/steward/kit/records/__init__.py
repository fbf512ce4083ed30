"""How records are made, moved, archived, imported and deleted, with their events."""
