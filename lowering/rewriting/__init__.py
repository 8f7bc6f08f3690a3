"""What passes are written with: what they are given, edits, what they require and ensure."""
