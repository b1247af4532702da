import type { Command } from "./options.ts";

/** What each command does, in a line. */
export const SUMMARIES: Record<Command, string> = {
  push: "stores a library as a new version",
  list: "shows the versions of one library, or of all",
  pull: "brings a version back into a file",
  verify: "reads versions and says whether they are whole",
  prune: "removes versions that no rule keeps",
};

export const OVERVIEW = `perdura-backup: backups of pattern libraries on S3, Azure Blob, Google Cloud
Storage, or in a directory

  perdura-backup push file:///srv/backups agents.db
  perdura-backup list file:///srv/backups
  perdura-backup pull file:///srv/backups agents --to agents.db

An address is s3://BUCKET/PREFIX, az://CONTAINER/PREFIX, gs://BUCKET/PREFIX or
file:///DIRECTORY. perdura-backup --version prints the version.`;

/** How each command is called, what it does in full, and examples. */
export const USAGE: Record<Command, string> = {
  push: `perdura-backup push [OPTIONS] ADDRESS PATH

Stores the library in PATH, a JSON document or an SQLite database, as a new
version. Programs may go on writing to a database meanwhile: the version is the
library as it was at one moment. What is no library is refused. Until a version
is whole, nobody finds anything of it.

  perdura-backup push file:///srv/backups agents.db
  perdura-backup push --name team-a --if-changed file:///srv/backups agents.json`,
  list: `perdura-backup list [OPTIONS] ADDRESS [NAME]

Shows the versions of one library or of all, the newest first.

  perdura-backup list file:///srv/backups
  perdura-backup list --json file:///srv/backups agents | jq .versions`,
  pull: `perdura-backup pull [OPTIONS] ADDRESS NAME --to PATH

Brings a version back, the newest unless another is chosen. It is read and
checked first; then PATH is replaced at once or not at all. A file that was
changed after the version was made stays, and so does a database with tables
that the version does not have, unless --overwrite says otherwise. Programs that
have the database open see the old content or the new.

  perdura-backup pull file:///srv/backups agents --to agents.db
  perdura-backup pull file:///srv/backups agents --at 2026-11-22 --to old.db`,
  verify: `perdura-backup verify [OPTIONS] ADDRESS [NAME]

Reads every version of one library or of all as a restore would, and says of
each whether it is whole. Changes nothing.

  perdura-backup verify file:///srv/backups`,
  prune: `perdura-backup prune [OPTIONS] ADDRESS [NAME]

Removes versions of one library or of each that no rule keeps. A version stays
if at least one rule keeps it, and the newest stays in any case. Hours and days
are those of UTC. Asks first on a terminal; elsewhere, and with --json or
--quiet, it needs --yes. Says what was freed, and how a store with versioning
frees the rest. A locked version stays, and the exit code is 1.

  perdura-backup prune --keep-last 3 --dry-run file:///srv/backups
  perdura-backup prune --keep-daily 7 --keep-weekly 4 --yes file:///srv/backups`,
};

export const EXIT_CODES = `Exit codes
  0    done, or nothing to do
  1    failed. Or the output could not be written: what was done is on stderr
       then
  2    wrong usage, or there is no such file or version
  3    needs a decision first; nothing was changed
  4    verify found a version that is not whole
  5    in use by another process
  130  interrupted`;
