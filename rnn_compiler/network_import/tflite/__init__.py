"""Whole networks of TensorFlow Lite, as ONNX models.

operators  a rule for each operator: the nodes that compute it
layers     the recurrent layers, which `model_import` recognises, as nodes of ONNX's operators
network    the nodes, constants and names so far
model      the model of a file

This folder is loaded only by the import process, because it needs the package onnx.
"""
