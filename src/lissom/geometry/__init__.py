"""Quaternions, small vectors and matrices, frames and curves."""
