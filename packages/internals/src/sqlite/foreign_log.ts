import { basename } from "node:path";
import { CorruptDataError } from "../errors/errors.ts";
import { entryExists } from "../files/exact_names.ts";
import { readAt, withFile } from "../files/guarded_file.ts";
import { unlessMissing } from "../files/missing.ts";
import { sleep } from "../runtime/sleep.ts";
import { type DatabaseHeader, headerOf } from "./database_header.ts";
import { journalPages } from "./journal_pages.ts";
import { walPages } from "./wal_pages.ts";

/** Attempts to read database and log while another process writes to them, and the pause between them. */
const [ATTEMPTS, PAUSE_MS] = [20, 2];

/**
 * Rejects a write-ahead log or rollback journal whose pages SQLite would mix into a database to which they do not
 * belong: that of a killed program, next to a restored backup. Neither file names the other one, so this compares what
 * both state: journal mode, page size, size, and the change counter of page 1. A log that fits by all of these is
 * accepted. Reads only; must be called before SQLite reads the database.
 *
 * @param place The real path of the database.
 * @param shownAs The name of the database in the error.
 * @throws CorruptDataError that names the log and the evidence.
 */
export function assertLogsBelong(place: string, shownAs: string): void {
  for (const suffix of ["-wal", "-journal"] as const) {
    const evidence = evidenceAgainst(place, suffix);
    if (evidence === undefined) continue;
    throw new CorruptDataError(
      `its log ${basename(place)}${suffix} belongs to another database, probably to one that this file replaced: ${evidence}. SQLite would mix the two. Nothing was changed. Stop the programs that use the database, move the log to another directory, then try again.`,
      { path: shownAs },
    );
  }
}

/** Repeats the comparison if a writer has changed the files meanwhile. */
function evidenceAgainst(place: string, suffix: "-wal" | "-journal"): string | undefined {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = stampOf(place, suffix);
    if (before === undefined) return undefined;
    const evidence = compare(before.header, `${place}${suffix}`, suffix);
    if (evidence === undefined) return undefined;
    const after = stampOf(place, suffix);
    if (after?.text === before.text) return evidence;
    sleep(PAUSE_MS);
  }
  return undefined;
}

interface Stamp {
  header: DatabaseHeader;
  text: string;
}

/** The headers of the database and of its log; undefined if one of them is missing or too short. */
function stampOf(place: string, suffix: string): Stamp | undefined {
  // Most databases have no log, and the error of opening it would take longer than the question.
  if (!entryExists(`${place}${suffix}`)) return undefined;
  const log = Buffer.alloc(32);
  const length = unlessMissing(() => withFile(`${place}${suffix}`, (descriptor) => readAt(descriptor, log, 0)));
  if (length === undefined || length < 28) return undefined;
  // Only then: finding a descriptor of the database costs more than the rest of opening it, and most have no log.
  const header = headerOf(place);
  if (header === undefined) return undefined;
  return { header, text: `${header.bytes.toString("hex")} ${log.toString("hex")}` };
}

function compare(header: DatabaseHeader, log: string, suffix: "-wal" | "-journal"): string | undefined {
  return unlessMissing(() =>
    withFile(log, (descriptor) =>
      suffix === "-wal" ? againstWal(header, descriptor) : againstJournal(header, descriptor),
    ),
  );
}

/**
 * Evidence that a write-ahead log belongs to another database. A killed writer may have written the head of a frame, but
 * not its page, so evidence counts only if the checksums of the frames are right.
 */
function againstWal(database: DatabaseHeader, log: number): string | undefined {
  return againstFrames(database, log, false) && againstFrames(database, log, true);
}

function againstFrames(database: DatabaseHeader, log: number, isChecked: boolean): string | undefined {
  const found = walPages(log, database, isChecked);
  if (found === undefined) return undefined;
  // SQLite creates the log only after it has changed this header, and deletes it before it changes the header back.
  if (database.isRollback) return "the database does not use a write-ahead log";
  if (found.pageSize !== database.pageSize)
    return `the log has pages of ${found.pageSize} bytes, the database of ${database.pageSize}`;
  // A checkpoint has moved a page 1 of this log into the database.
  if (found.hasSamePageOne) return undefined;
  if (found.counter !== undefined && ![0, 1].includes(found.counter - database.counter))
    return `the log begins at change ${found.counter} of a database, and this one is at change ${database.counter}`;
  return againstSizes(database, found);
}

function againstSizes(
  { pages, isAutoVacuum }: DatabaseHeader,
  found: NonNullable<ReturnType<typeof walPages>>,
): string | undefined {
  if (pages === undefined) return undefined;
  // The size of a database changes only together with its page 1.
  if (found.counter === undefined && found.firstSize !== pages)
    return `the log is that of a database of ${found.firstSize} pages, and this one has ${pages}`;
  if (found.missingPages > 0)
    return `between the ${pages} pages of the database and those of the log, ${found.missingPages} are missing`;
  // Without automatic vacuum, a database shrinks only when all its pages are written again.
  if (!isAutoVacuum && found.firstSize < pages && !found.isRewritten)
    return `the log is that of a database of ${found.firstSize} pages, and this one has ${pages}`;
  return undefined;
}

/** SQLite changes the counter whenever it writes page 1. */
function againstPageOne(
  database: DatabaseHeader,
  { bytes, counter }: { bytes: Buffer; counter: number },
): string | undefined {
  if (![0, 1].includes(database.counter - counter))
    return `the journal is of change ${counter} of a database, and this one is at change ${database.counter}`;
  return database.counter === counter && !database.bytes.equals(bytes)
    ? `the journal has another header for change ${counter} of a database than this one`
    : undefined;
}

/** Evidence that a rollback journal belongs to another database. */
function againstJournal(database: DatabaseHeader, journal: number): string | undefined {
  const found = journalPages(journal);
  if (found === undefined) return undefined;
  if (found.first !== undefined) return againstPageOne(database, found.first);
  // The journal of a new database contains no page.
  if (found.pages === 0)
    return database.counter <= 1 ? undefined : "the journal is that of a database that was just being created";
  // The journal has no page 1, so the transaction has not changed it.
  return database.pages === undefined || database.pages === found.pages
    ? undefined
    : `the journal is that of a database of ${found.pages} pages, and this one has ${database.pages}`;
}
