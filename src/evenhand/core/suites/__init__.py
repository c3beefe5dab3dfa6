"""A suite's results compared: variants by case, failures, several variants, early stopping."""
