"""Two sets compared: by case, unpaired, weighted, in pairs."""
