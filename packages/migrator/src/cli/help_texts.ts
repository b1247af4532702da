import type { Command } from "./options.ts";

/** What each command does, in a line. */
export const SUMMARIES: Record<Command, string> = {
  plan: "shows what would be done, and cannot write",
  up: "migrates databases and archives collaboration states",
  verify: "compares what was migrated with its backups and archives; checks a server",
  status: "shows what is here, what was done, and what is left to do",
  down: "goes back to before 16, with what was recorded since",
  prune: "removes archived state directories that are not needed any more",
  states: "lists or extracts the collaboration states of an archive",
  copy: "copies patterns and metrics to PostgreSQL, or from there",
};

export const OVERVIEW = `perdura-migrate: brings agent persistence data from before 16 to 16,
and loses nothing

  perdura-migrate plan ./data
  perdura-migrate up ./data

A target is a database file, a state directory, or a directory that holds them.

Data of a program before 15.0.0: migrate BEFORE any program of 15.0.0 or later
opens it; those drop the levels as soon as they open such a file, even to read.`;

/** How each command is called, what it does in full, and examples. */
export const USAGE: Record<Command, string> = {
  plan: `perdura-migrate plan [OPTIONS] TARGET…

Says what "up" would do: files found, layouts recognised, rows, rows with odd
values, steps, and the disk space that is needed.

  perdura-migrate plan ./data
  perdura-migrate plan --json metrics.db | jq .databases`,
  up: `perdura-migrate up [OPTIONS] TARGET…

Each database is copied to NAME.v15.bak, changed in one transaction, and
compared with the copy before the transaction is committed. Each state directory
is archived in NAME.v15.sqlar and stays as it is. If anything needs a decision,
nothing at all is changed. Stop the programs that use the data first. On a
terminal it shows the plan and asks, but not with --json or --quiet. Running it
again is safe at any time: it finishes what is left, or has nothing to do.

  perdura-migrate up ./data
  perdura-migrate up --rehearse ./data
  perdura-migrate up --invalid-rows quarantine metrics.db
  perdura-migrate up --missing-level from-state,3 --states ./users ./data
  perdura-migrate up --backup-dir /mnt/backups ./data`,
  verify: `perdura-migrate verify [OPTIONS] TARGET…

Compares migrated databases with their backups, value by value, and archives
with their state directories, byte by byte. Rows that were recorded since are
counted, and are no difference. Compares also the sums that perdura keeps beside
the interactions of a long database, for its statistics, with all rows; that
needs neither migration nor backup. Cannot write.

With addresses that begin postgres:// it compares those sums with all rows in
PostgreSQL, reads every pattern as version 16 does, and looks whether the
counters of ids are behind their tables. Needs the packages @perdura/postgres
and pg.

  perdura-migrate verify ./data
  perdura-migrate verify postgres://localhost/agents`,
  status: `perdura-migrate status [OPTIONS] TARGET…

Says for each database which layout it has, how many rows, when and by what it
was migrated, which backups are there, and what is left to do; for each state
directory, whether its archive is there and up to date by names, sizes and
times. Quick, because no value is compared ("verify" does that). Cannot write.

  perdura-migrate status ./data`,
  down: `perdura-migrate down [OPTIONS] TARGET…

Each database goes back to the layout that it had before its first migration,
with what was recorded since, after a copy to NAME.v16.bak; it needs no backup,
because the database itself tells what it was. State directories that are gone
come back from their archives: bytes, names, modes and times; one that is there
stays, and gets back what it lacks. Of several archives the newest comes first,
and the older ones give what it does not have. On a terminal it shows what it would do and
asks, but not with --json or --quiet.

  perdura-migrate down --dry-run ./data
  perdura-migrate down ./data`,
  prune: `perdura-migrate prune [OPTIONS] TARGET…

Removes state directories, after comparing each with its archive once more; one
that is not equal, or that you may not remove wholly, stays. With --backups also
the backups of databases, after comparing those once more. Asks first on a terminal; elsewhere, and with --json
or --quiet, it needs --yes.

  perdura-migrate prune --dry-run ./data
  perdura-migrate prune --backups --yes ./data`,
  states: `perdura-migrate states [OPTIONS] ARCHIVE

Lists the users of an archive of collaboration states with the fields of their
states; with --json each is a JSON object on a line of its own. --extract DIR
puts every archived file there, as it was. The archive stays as it is; the stock
"sqlite3 -A" lists and extracts it as well, but for names with ".." before a
slash or backslash.

  perdura-migrate states data/empathy_state.v15.sqlar
  perdura-migrate states --json data/empathy_state.v15.sqlar
  perdura-migrate states --extract ./old_states data/empathy_state.v15.sqlar`,
  copy: `perdura-migrate copy [OPTIONS] SOURCE TARGET

Copies patterns, their usage, interactions and their metadata between SQLite and
PostgreSQL, and compares both sides row by row at the end. One of the two is an
address that begins postgres://, the other a database file or a directory with
patterns.db and metrics.db; the source stays as it is. A source of before 16 is
migrated on a private copy first. Rows that are there and equal are not copied
again, so that a run that was cut off is finished by the next; rows that differ
stop it before anything is changed. Needs the packages @perdura/postgres, pg and
pg-copy-streams.

  perdura-migrate copy ./data postgres://localhost/agents
  perdura-migrate copy --dry-run ./data postgres://localhost/agents
  perdura-migrate copy postgres://localhost/agents ./data`,
};

export const EXIT_CODES = `Exit codes
  0    done, or nothing to do
  1    failed; the data is as it was. Or the output could not be written:
       what was done is on stderr then
  2    wrong usage
  3    needs a decision first; nothing was changed
  4    verification found a difference
  5    in use by another process
  130  interrupted; what was at work was rolled back`;
