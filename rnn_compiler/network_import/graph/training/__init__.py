"""The training step of a graph: its loss, the gradients of its weights, and their next values.

trained     decides which initializers are trained
dropout     turns dropout off, or gives it masks that follow from a seed
losses      the loss of an output, and its gradient
optimizers  the next values of weights, and of what an optimizer remembers
step        the functions of a network that is trained
"""
