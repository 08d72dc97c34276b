"""From data to a Tally: arrays, lists and Series now; frames, files and engines join here."""
