"""What the other folders share: signatures, dtypes, layouts, manifests, callers' arrays."""
