"""The methodology over whole tables: one plan in SQL, run by DuckDB on this machine or by Spark on a cluster."""
