"""The types of published documents that no record declares alone; read only to generate the JSON Schemas."""
