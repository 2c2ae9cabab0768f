"""One simulation being used: commands in, snapshots and events out, undo, recording, replay."""
