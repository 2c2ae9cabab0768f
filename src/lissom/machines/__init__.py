"""Ropes over pulleys on position-based rigid bodies [MCJM18]. The equations are in docs/theory/machines.md."""
