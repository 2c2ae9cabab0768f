"""Cables one can feel: the force model of KH05, the loop of a haptic device, and contact states.

The equations are in docs/theory/haptic.md, how to use it in docs/haptic.md.
"""
