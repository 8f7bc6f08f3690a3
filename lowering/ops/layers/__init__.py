"""What CudnnRNN and ONNX's ops share: the gradient of a layer, whatever its parameters' layout."""
