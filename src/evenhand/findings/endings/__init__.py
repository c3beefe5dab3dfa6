"""How each consequential thing in a transcript ended, and whether the answer says so."""
