"""The page and its API: questions in JSON to calls of the library, answered by workers. No statistics here."""
