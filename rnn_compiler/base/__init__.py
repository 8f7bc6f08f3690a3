"""What all else stands on: files, systems, the installation, logs, stages, numbers of bytes."""
