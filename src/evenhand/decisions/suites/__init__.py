"""The results of a suite: variants compared by case, several variants, stopping early."""
