"""What in a text tries to give a judge orders: detectors over plain text."""
