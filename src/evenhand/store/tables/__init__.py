"""What a store holds, a file for each kind: written, listed, searched."""
