"""From evidence and prior to a posterior, and from a measure's name to a question put to it."""
