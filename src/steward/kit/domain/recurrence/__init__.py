"""Rules of RFC 5545 (RRULE) that repeat by days: parsed, and expanded to dates."""
