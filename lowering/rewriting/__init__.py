"""The framework of passes: their context, edits, and the properties they require and ensure."""
