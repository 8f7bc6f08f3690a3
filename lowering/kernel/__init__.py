"""What dispatches are written in, whatever the processor."""
