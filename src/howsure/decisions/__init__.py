"""What people evaluate for: what to expect next, how many items to label, and whether a system passes."""
