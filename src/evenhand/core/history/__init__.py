"""An evaluation against earlier ones, two sets against each other, and the gate."""
