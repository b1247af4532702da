import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, FIELD_B, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { documented, layOutStates, levelsByUser, upAsPlanned, writeStates } from "../support/level_states.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

test("reads levels from the archive if only the archive exists", async () => {
  const text = documented("alice", 4);
  const { folder, path } = layOutStates(["alice"], { alice: text });
  const directory = join(folder, "empathy_state");
  expect(await migrate(directory, { saveReport: false })).toMatchObject({ exit_code: 0 });
  rmSync(directory, { recursive: true });
  // The archive of an existing directory is not used.
  renameSync(`${directory}.v15.sqlar`, join(folder, "other.v15.sqlar"));
  mkdirSync(join(folder, "other"));
  writeFileSync(join(folder, "other", "alice.json"), documented("alice", 1));
  expect(await planMigration(folder, { missingLevel: "from-state" })).toMatchObject({
    databases: [{ assumed_levels: [{ level: 1 }] }],
  });
  rmSync(join(folder, "other"), { recursive: true });
  const archive = join(folder, "other.v15.sqlar");
  expect(await upAsPlanned([path, archive], { missingLevel: "from-state" })).toMatchObject({ exit_code: 0 });
  expect(levelsByUser(path)).toEqual([["alice", 4n, 3n]]);
  expect(query(path, "SELECT state_file, state_sha256 FROM perdura_assumed_levels")).toEqual([
    [join(archive, "alice.json"), createHash("sha256").update(text).digest("hex")],
  ]);
});

test("compares ids byte for byte in every encoding of the database", async () => {
  const users = ["Jürgen", "Ju\u0308rgen", "\u{1f600} a\\b", "tab\t'\""];
  const states = Object.fromEntries(users.map((user, index) => [user, documented(user, index + 1)]));
  for (const encoding of ["UTF-8", "UTF-16le", "UTF-16be"]) {
    const folder = freshFolder();
    const path = join(folder, "m.db");
    makeDatabase(path, `PRAGMA encoding = '${encoding}'`, FIELD_B);
    const database = connect(path);
    for (const user of users) database.prepare("INSERT INTO metrics (user_id, success) VALUES (?, 0)").run(user);
    database.close();
    writeStates(join(folder, "empathy_state"), states);
    expect(await upAsPlanned(folder, { missingLevel: "from-state" })).toMatchObject({ exit_code: 0 });
    expect(query(path, "SELECT user_id, level FROM interactions ORDER BY id")).toEqual(
      users.map((user, index) => [user, BigInt(index + 1)]),
    );
  }
});

// Other systems do not accept these names.
test("quarantines a row of a user whose id is not UTF-8, although a state has its bytes", ON_LINUX, async () => {
  const { folder, path } = layOutStates(["a"], { a: documented("a", 2) });
  makeDatabase(path, "INSERT INTO metrics (user_id, success) VALUES (CAST(x'ff80' AS TEXT), 1)");
  const name = Buffer.from([0xff, 0x80, ...Buffer.from(".json")]);
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/empathy_state/`), name]), documented("?", 5));
  const options = { missingLevel: "from-state", invalidRows: "quarantine" } as const;
  expect(await upAsPlanned(folder, options)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT DISTINCT user_id, level FROM interactions")).toEqual([["a", 2n]]);
  expect(query(path, "SELECT hex(user_id) FROM perdura_quarantine")).toEqual([["FF80"]]);
});
