"""The dashboard: a web server over a store, started by `evenhand serve`."""
