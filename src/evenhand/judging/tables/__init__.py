"""Whole tables judged or scored: files, data frames, Spark clusters."""
