"""Sets of scorecards: paired case by case, decided, held to a gate."""
