"""Modules in JavaScript: WebAssembly, and a program that calls it."""
