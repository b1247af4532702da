import { copyFileSync, mkdirSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutMigration, layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { commandsOf } from "@perdura/cli/program_table.js";
import { TABLE } from "../../src/cli/table.ts";
import { VERSION } from "../../src/core/version.ts";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { runProgramIn } from "../support/run_program.ts";
import { ON_POSIX } from "../../../../test/needs.ts";

// Complete sessions of a user, word by word: a changed sentence shows here among the others. `pnpm vitest run
// packages/migrator/test/cli/sessions.test.ts --update` writes the new text.

/** One step: words for the program, or an event between two commands. */
type Step = string | { what: string; do: (folder: string) => void };

interface Session {
  prepare: (folder: string) => void;
  steps: readonly Step[];
}

/** @param names Names of legacy databases, separated by spaces. */
function databases(folder: string, names: string): void {
  for (const name of names.split(" ")) copyFileSync(fixture("legacy", `${name}.db`), join(folder, `${name}.db`));
}

const change = (name: string, sql: string): Step => ({
  what: `${sql} in ${name}`,
  do: (folder) => {
    const database = connect(join(folder, name));
    database.exec(sql);
    database.close();
  },
});

const SESSIONS: Record<string, Session> = {
  help: { prepare: () => undefined, steps: ["--help", ...commandsOf(TABLE).map((command) => `${command} --help`)] },
  "from plan to downgrade": {
    prepare: (folder) => {
      for (const name of ["persistence-directory", "field-a"]) layOutMigration(name, join(folder, name));
    },
    steps: [
      "status .",
      "plan .",
      "up --rehearse .",
      "up .",
      "up .",
      "verify .",
      {
        what: "a state is recorded, and another one is changed",
        do: (folder) => {
          const states = join(folder, "persistence-directory", "state");
          writeFileSync(join(states, "new.json"), "{}");
          writeFileSync(join(states, "bob.json"), "{}");
          utimesSync(join(states, "new.json"), 1, 1);
          utimesSync(join(states, "bob.json"), 1, 1);
        },
      },
      "status .",
      "verify .",
      "up .",
      "prune --dry-run .",
      "prune --yes .",
      "status .",
      "down .",
    ],
  },
  "invalid rows and missing levels": {
    prepare: (folder) => {
      databases(folder, "both-invalid field-c");
      layOutStates("levels", join(folder, "states"));
    },
    steps: [
      "plan .",
      "up --invalid-rows quarantine --missing-level 1 --dry-run field-c.db",
      "up --invalid-rows quarantine --missing-level from-state,1 .",
      change("both-invalid.db", "UPDATE interactions SET level = 6 - level WHERE id < 4"),
      change("both-invalid.db", "DELETE FROM interactions WHERE id = 1"),
      "verify .",
      "status .",
      "down --dry-run .",
    ],
  },
  "unusual databases and broken states": {
    prepare: (folder) => {
      databases(folder, "both-one combined-a documented-15-own-columns field-a-quoted field-a-unparsable-views");
      databases(folder, "foreign half-upgraded renamed-never zero-byte");
      layOutStates("broken", join(folder, "states"));
      symlinkSync("nowhere", join(folder, "link.db"));
      symlinkSync("foreign.db", join(folder, "other.db"));
      writeFileSync(join(folder, "notes.txt"), "not of ours");
      writeFileSync(join(folder, "seeming.db"), "no database");
    },
    steps: [
      "plan .",
      { what: "field-a-quoted.db is moved away", do: (folder) => rmSync(join(folder, "field-a-quoted.db")) },
      "up --missing-level 3 --non-finite text --fence none .",
      "states states.v15.sqlar",
    ],
  },
  "levels that a downgrade keeps": {
    prepare: (folder) => databases(folder, "field-c"),
    steps: [
      "up --missing-level 2 --quiet field-c.db",
      change("field-c.db", "UPDATE interactions SET level = 5 WHERE id < 3"),
      change("field-c.db", "INSERT INTO interactions (user_id, level, success) VALUES ('new', 4, 1)"),
      "down --quiet field-c.db",
      "plan field-c.db",
      "up --missing-level 3 field-c.db",
    ],
  },
  "new rows and a missing index": {
    prepare: (folder) => databases(folder, "field-a"),
    steps: [
      "up --quiet .",
      change("field-a.db", "INSERT INTO interactions (user_id, level, success) VALUES ('new', 2, 1)"),
      change("field-a.db", "DROP INDEX idx_interactions_user"),
      "status .",
      "up .",
      "verify .",
    ],
  },
};

/** Masks text that depends on the machine and the time. */
function masked(text: string, folder: string): string {
  return text
    .replaceAll(realpathSync(folder), "FOLDER")
    .replaceAll(/\d[\d.]* \w?B free/g, "N GB free")
    .replaceAll(/sha256 [\da-f]{16}/g, "sha256 0123456789abcdef")
    .replaceAll(`perdura-migrate ${VERSION}`, "perdura-migrate 1.2.3")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "2026-11-24 12:00 UTC");
}

async function outputOf(folder: string, line: string): Promise<string> {
  const { code, stdout, stderr } = await runProgramIn({ cwd: folder }, ...line.split(" "));
  return [`$ perdura-migrate ${line}`, stderr.trimEnd(), stdout.trimEnd(), `exit code ${code}`, ""].join("\n");
}

// Windows has other separators in paths.
test.each(Object.entries(SESSIONS))("%s", ON_POSIX, async (name, { prepare, steps }) => {
  const folder = join(freshFolder(), "data");
  mkdirSync(folder);
  prepare(folder);
  const parts: string[] = [];
  for (const step of steps) {
    if (typeof step === "string") {
      parts.push(await outputOf(folder, step));
      continue;
    }
    step.do(folder);
    parts.push(`(${step.what})\n`);
  }
  const file = new URL(`./sessions/${name.replaceAll(" ", "_")}.txt`, import.meta.url).pathname;
  await expect(masked(parts.join("\n"), folder)).toMatchFileSnapshot(file);
});
