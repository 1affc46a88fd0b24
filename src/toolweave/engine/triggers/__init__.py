"""What starts runs by itself: schedules, hooks, files, mails, failed runs.

The pure parts (`cron`, `proving`, `files`) know no clock and no database; the loops keep on the
table of active triggers how far they have looked, and a run's `once_key` makes every start one.
"""
