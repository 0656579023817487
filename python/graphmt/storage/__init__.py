"""Files and folders on disk: read safely, written whole or not at all, locked, and recovered after a kill."""
