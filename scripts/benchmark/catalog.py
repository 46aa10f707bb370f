"""All rows, in the order of the table."""

from . import changes, endurance, photos, previews, starts


def groups(quick):
    made = [group for part in (starts, changes, previews, photos, endurance) for group in part.groups(quick)]
    # What is measured longest comes last, so that a first look at the table comes soon.
    return sorted(made, key=lambda group: group.rows[0].name.startswith(("size-", "jpeg-", "growth-")))
