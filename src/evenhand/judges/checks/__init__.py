"""The judge that needs no model: small deterministic checks, and the way from what they see to scores."""
