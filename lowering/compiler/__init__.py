"""IREE's compiler as a process: its commands, flags and files, and what happened to it."""
