"""Direct calls: compiled code is called by its schedule, bypassing IREE."""
