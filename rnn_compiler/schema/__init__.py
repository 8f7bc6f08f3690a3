"""The data that lowering and runtime share: signatures, types, layouts and manifests."""
