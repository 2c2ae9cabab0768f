"""Read-outs of solved cables: checks, reports, tables and plots."""
