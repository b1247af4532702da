import { basename, join } from "node:path";
import { contentOf, type DatabaseContent, readRows, type StoredRow } from "../../../../fixtures/database_content.ts";
import {
  type DatabaseReport,
  type MigrationOptions,
  type MigrationReport,
  planMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { copyDatabase, layOutLegacy } from "../../../../test/legacy/legacy_fixtures.ts";

/** A database at one point of a journey, read from a copy. */
export interface Stop {
  content: DatabaseContent;
  /** Rows of each view; null for one that fails. */
  views: Record<string, StoredRow[] | null>;
  /** Settings that no migration changes. */
  marks: Record<string, unknown>;
}

/** Stops by the name of the database. */
type Stops = Record<string, Stop>;

/** All reports about databases in one directory, with the directory's states between them. */
export interface Journey {
  before: Stops;
  beforePlan: string;
  plan: MigrationReport;
  afterPlan: string;
  up: MigrationReport;
  afterUp: string;
  migrated: Stops;
  verify: MigrationReport;
  afterVerify: string;
  second: MigrationReport;
  afterSecond: string;
  down: MigrationReport;
  downgraded: Stops;
}

const MARKS = ["page_size", "encoding", "auto_vacuum", "application_id", "journal_mode"];

/** Runs every command on databases of the fixtures. */
export async function journeyOf(names: readonly string[], options: MigrationOptions): Promise<Journey> {
  const folder = freshFolder();
  const copies = freshFolder();
  // Some have the same rows; as explicit targets, none of them counts as a copy of another.
  const targets = [folder, ...names.map((name) => layOutLegacy(name, folder))];
  const stops = (at: string): Stops =>
    Object.fromEntries(names.map((name) => [name, stopAt(join(folder, `${name}.db`), join(copies, `${at}-${name}`))]));
  const before = stops("before");
  const beforePlan = stampOf(folder);
  const plan = await planMigration(targets, options);
  const afterPlan = stampOf(folder);
  const up = await migrate(targets, options);
  const afterUp = stampOf(folder);
  const migrated = stops("migrated");
  const verify = await verifyMigration(targets);
  const afterVerify = stampOf(folder);
  const second = await migrate(targets, options);
  const afterSecond = stampOf(folder);
  const down = await downgradeMigration(targets);
  return {
    before,
    beforePlan,
    plan,
    afterPlan,
    up,
    afterUp,
    migrated,
    verify,
    afterVerify,
    second,
    afterSecond,
    down,
    downgraded: stops("downgraded"),
  };
}

/** Report of one database; undefined without one. */
export function reportOn(name: string, { databases }: MigrationReport): DatabaseReport | undefined {
  return databases.find(({ path }) => basename(path) === `${name}.db`);
}

function stopAt(path: string, copy: string): Stop {
  copyDatabase(path, copy);
  const database = connect(copy);
  try {
    const content = contentOf(database);
    const names = content.objects.filter(({ type }) => type === "view").map((view) => view.name);
    const rowsOf = (view: string): StoredRow[] | null => {
      try {
        return readRows(database, view).rows;
      } catch {
        return null;
      }
    };
    return {
      content,
      views: Object.fromEntries(names.map((view) => [view, rowsOf(view)])),
      marks: Object.fromEntries(MARKS.map((mark) => [mark, database.pragma(mark, { simple: true })])),
    };
  } finally {
    database.close();
  }
}
