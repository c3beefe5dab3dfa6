"""Rubrics in other formats: taken apart, then converted as far as nothing has to be invented."""
