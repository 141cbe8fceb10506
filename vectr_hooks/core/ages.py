"""How old a revision is, in days: without the modules for dates, which cost a hook too much."""

DAY_MS = 24 * 60 * 60 * 1000


def is_older(at_ms: int, today: str, days: int) -> bool:
    """Tell whether what was written at `at_ms` is more than `days` days old on `today` (UTC, YYYY-MM-DD)."""
    return _day_number(today) - at_ms // DAY_MS > days


def _day_number(date: str) -> int:
    """Count the days from 1970-01-01 to `date`.

    Years begin in March, so that the leap day is the last of one; 400 of them always have 146,097 days.
    """
    year, month, day = (int(part) for part in date.split("-"))
    if month < 3:
        year -= 1
        month += 12
    of_year = (153 * (month - 3) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + of_year - 719_468
