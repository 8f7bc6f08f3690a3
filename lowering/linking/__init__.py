"""Our ops in a user's StableHLO module: read it, find the calls, put functions in their place."""
