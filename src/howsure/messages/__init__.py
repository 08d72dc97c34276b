"""Messages: codes, levels and texts of notes, and how Python and the command spell options."""
