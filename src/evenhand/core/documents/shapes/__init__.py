"""The types that the published JSON Schemas are made from."""
