"""Rankings of documents: the engine over all queries at once, and the declarations of its measures."""
