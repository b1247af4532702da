const OPTIONS: Record<string, string> = {
  "--states DIR": "a directory of collaboration states that is not found by itself (may be repeated)",
  "--invalid-rows WAY":
    "rows that version 16 cannot hold: abort (default; lists them) or quarantine (sets them aside,\n                        as they are, in the table perdura_quarantine of the same database)",
  "--backup-dir DIR": "where the backups go (or are, for verify); by default each lies beside its database",
  "--no-backup": "keep no copy of the databases as they were",
  "--fence WAY":
    "what stays under the old name metrics: tombstone (default; programs before 16 then fail\n                        with a clear message) or none",
  "--yes": "do not ask before changing anything (nobody is asked where there is no terminal)",
  "--json": "the report as JSON on stdout, progress as a JSON object per line on stderr",
  "--quiet": "no progress, and only the summary",
  "--no-color": "no colours (also with NO_COLOR)",
  "--version": "print the version",
  "--help": "print this text, or that of a command",
};

const COMMAND_OPTIONS: Record<string, string[]> = {
  plan: ["--states DIR", "--invalid-rows WAY", "--backup-dir DIR", "--fence WAY", "--json", "--quiet", "--no-color"],
  up: [
    "--states DIR",
    "--invalid-rows WAY",
    "--backup-dir DIR",
    "--no-backup",
    "--fence WAY",
    "--yes",
    "--json",
    "--quiet",
    "--no-color",
  ],
  verify: ["--states DIR", "--backup-dir DIR", "--json", "--quiet", "--no-color"],
};

const USAGE: Record<string, string> = {
  plan: `perdura-migrate plan TARGET…

Shows what "up" would do, and changes nothing: files found, layouts recognised, rows,
rows with odd values, steps, and the disk space that is needed.

  perdura-migrate plan ./data
  perdura-migrate plan --json metrics.db | jq .databases`,
  up: `perdura-migrate up TARGET…

Migrates databases and archives collaboration states. Each database is copied to
NAME.v15.bak, changed in one transaction, and compared with the copy row by row before
the transaction is committed. State directories are archived to NAME.v15.sqlar and stay
as they are. Stop the programs that use the data first. Running it again is safe at any
time: it finishes what is left to do, or has nothing to do.

  perdura-migrate up ./data
  perdura-migrate up --invalid-rows quarantine metrics.db
  perdura-migrate up --backup-dir /mnt/backups --states ./users ./data`,
  verify: `perdura-migrate verify TARGET…

Compares what was migrated with the backups, row by row, and archives with the state
directories, byte by byte. Changes nothing.

  perdura-migrate verify ./data`,
};

const OVERVIEW = `perdura-migrate: brings agent persistence data from before 16 to 16 and loses nothing

  perdura-migrate plan TARGET…     shows what would be done, changes nothing
  perdura-migrate up TARGET…       does it
  perdura-migrate verify TARGET…   compares the result with the backups

A TARGET is a database file, a state directory, or a directory that holds them.

  perdura-migrate plan ./data      then      perdura-migrate up ./data

Data of a program before 15.0.0: migrate BEFORE any program of 15.0.0 or later opens
it; those drop the levels as soon as they open such a file, even to read.`;

const EXIT_CODES = `Exit codes
  0  done, or nothing to do      3  needs a decision; nothing was changed
  1  failed; data unchanged      4  verification found a difference
  2  wrong usage                 5  in use by another process
  130  interrupted; rolled back`;

/** The help for a command, or for the program. */
export function helpText(command: string | undefined): string {
  const options = (command === undefined ? Object.keys(OPTIONS) : (COMMAND_OPTIONS[command] ?? [])).map(
    (option) => `  ${option.padEnd(22)}${OPTIONS[option]}`,
  );
  return [command === undefined ? OVERVIEW : USAGE[command], `Options\n${options.join("\n")}`, EXIT_CODES].join("\n\n");
}
