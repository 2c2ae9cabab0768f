"""The judge: from what was asked and what is handed out to a certificate. It imports nothing of the solvers."""
