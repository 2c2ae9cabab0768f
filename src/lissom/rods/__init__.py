"""The quasi-static rod: its energy, equilibrium and certificate [GS07]."""
