"""Events of the past decided again: as they were, or as they would be with other notes."""
