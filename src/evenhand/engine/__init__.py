"""The methodology over whole tables: one plan in SQL, run by DuckDB locally or by other engines."""
