"""What every slice uses and no slice is known to: identifiers, time, problems, storage, pages, the HTTP edge."""
