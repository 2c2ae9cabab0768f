"""Kinematic cables: chains of rigid segments with springs at the joints, as fine as the time allows [HD00]."""
