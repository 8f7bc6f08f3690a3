"""Time loops and products as dispatches for GPUs."""
