"""The CudnnRNN ops and their gradients."""
