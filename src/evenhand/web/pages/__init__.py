"""The pages: each is a function of the store and the request's parameters, and renders nothing itself."""
