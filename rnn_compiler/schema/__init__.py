"""Data types that all other folders share: signatures, dtypes, layouts, manifests, host arrays."""
