"""The block ops: LSTMBlockCell, BlockLSTM, GRUBlockCell, and their gradients."""
