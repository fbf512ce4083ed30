"""Traces and metrics for an OpenTelemetry collector. These modules need its SDK and are loaded only if one is configured."""
