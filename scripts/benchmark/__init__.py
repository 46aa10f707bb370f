"""What `scripts/bench` is made of. To be read in this order:

runs        commands, and what they cost
rows        what a line of the table is, and how its cases take turns
sources     the pictures that ours and the others are given
floors      the plainest programs that do the same work; peers, what else there is to do it with
starts, changes, previews, photos, endurance
            the rows themselves
catalog     all of them
report      the table, for people, for programs and for the documentation
thresholds  `--check`; soak, `--soak`; command, the command line
"""
