"""What the page and the session say to each other: the page's types are generated from these classes.

Commands go in, each answered once by an `Answer` with its number. Out come *events* (ordered, never lost, each with
a number of its own) and *snapshots* (only the latest matters). Those about motion and about machines, of all three
kinds, are in `motion` and `machines`. SI units throughout; quaternions (w, x, y, z).
"""
