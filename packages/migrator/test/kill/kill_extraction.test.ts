import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { copyOf } from "../../../../dev/soak/src/system_calls/copy_of.ts";
import { extractArchivedStates } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { stateText, writeOfMany } from "../../../../test/legacy/unusual_states.ts";
import { endOf, startProgram } from "../support/program.ts";

const directory = join(freshFolder(), "empathy_state");
const archive = `${directory}.v15.sqlar`;
/** A folder in which extractions to `target` and `other` were killed; copied for every test. */
const template = join(freshFolder(), "place");
beforeAll(async () => {
  mkdirSync(directory);
  for (let user = 0; user < 1001; user += 1) writeOfMany(join(directory, `u${user}.json`), stateText(`u${user}`));
  await migrate(directory);
  mkdirSync(template);
  for (const name of ["target", "other"])
    expect(await endOf(startProgram("killed_extraction.ts", archive, join(template, name)))).toBe("SIGKILL");
  expect(readdirSync(template)).toEqual([
    expect.stringMatching(/^\.extracting\.other\..*\.perdura-tmp$/),
    expect.stringMatching(/^\.extracting\.target\..*\.perdura-tmp$/),
  ]);
});

const killed = (): string => copyOf(template, join(freshFolder(), "place"));

test("an extraction removes the remains of a killed one into the same directory", async () => {
  const place = killed();
  expect(await extractArchivedStates(archive, join(place, "target"))).toMatchObject({ entries: 1001 });
  expect(readdirSync(place)).toEqual([expect.stringMatching(/^\.extracting\.other\./), "target"]);
});

test("up removes the remains of killed extractions in the same place", async () => {
  const place = killed();
  makeDatabase(join(place, "m.db"), DOCUMENTED_15);
  expect(await migrate(place)).toMatchObject({ exit_code: 0 });
  expect(readdirSync(place)).toEqual(["m.db", "m.db.v15.bak", "perdura-migration-report.json"]);
});

test("an extraction keeps the remains of a killed prune", async () => {
  const place = killed();
  const last = readdirSync(place)[1]?.replace(".extracting.target", ".pruned.target") ?? "";
  mkdirSync(join(place, last));
  await extractArchivedStates(archive, join(place, "pruned.target"));
  expect(readdirSync(place)).toContain(last);
});
