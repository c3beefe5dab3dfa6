"""What can be set, each option declared once: how models are asked, and what a project sets for itself."""
