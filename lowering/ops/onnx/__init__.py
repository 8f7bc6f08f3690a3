"""ONNX's LSTM, GRU and RNN, and their gradients: one layer in one or two directions."""
