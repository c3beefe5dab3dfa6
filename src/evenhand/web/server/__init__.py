"""The running server: its application, threads and connections."""
