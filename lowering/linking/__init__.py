"""Our ops in a user's StableHLO module: reads it, finds calls, and replaces them by functions."""
