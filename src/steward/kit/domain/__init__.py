"""The parts of records: identifiers, fields, changes and errors."""
