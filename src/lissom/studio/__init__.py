"""The workbench in the browser: a server, the simulation in a process of its own, and the page."""
