"""Gradients of a graph's values.

values          computes with values of a graph, as numpy does with arrays: operations are nodes
node            a node as a rule sees it
rules           the table of rules, one for each operator: the gradients of its inputs
functions       rules: functions of each element, of one array or several
reductions      rules: sums, means, extrema and norms over axes, softmax
shapes          rules: what moves, repeats or selects elements
products        rules: products of matrices
windows         rules: convolutions and pools
resizing        the rule of Resize
normalizations  rules: by batch, layer and instance
recurrent       the rule of LSTM, GRU and RNN: our gradient ops
chain_rule      applies the rules, from results back to the values that are wanted
"""
