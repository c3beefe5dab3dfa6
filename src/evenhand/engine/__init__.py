"""The methodology over columns: one plan in SQL, run by DuckDB here and by other engines elsewhere."""
