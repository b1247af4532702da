import { existsSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

test("distinguishes files of perdura-migrate from files with such names", async () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "empathy_state"));
  writeFileSync(join(folder, "empathy_state", "a.json"), '{"user_id": "a", "trust_level": 1}');
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  await migrate(folder);
  for (const name of ["notes.v15.sqlar", "n.db.v15.bak", "perdura-migration-report-7.json"])
    writeFileSync(join(folder, name), "text");
  makeDatabase(join(folder, "other.v15.sqlar"), "CREATE TABLE t (a)");
  const { left_alone: left } = await planMigration(folder);
  expect(Object.fromEntries(left.map(({ path, reason }) => [path.slice(folder.length + 1), reason]))).toEqual({
    "empathy_state.v15.sqlar": expect.stringMatching(/^an archive/),
    "m.db.v15.bak": expect.stringMatching(/^a backup/),
    "n.db.v15.bak": expect.stringMatching(/^named like a backup/),
    "notes.v15.sqlar": expect.stringMatching(/^named like an archive/),
    "other.v15.sqlar": expect.stringMatching(/^named like an archive/),
    "perdura-migration-report-7.json": expect.stringMatching(/^named like a report/),
    "perdura-migration-report.json": expect.stringMatching(/^a report/),
  });
});

test("lists a link whose target has no name", ON_LINUX, async () => {
  const folder = freshFolder();
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  const server = await listening();
  try {
    const open = readdirSync("/proc/self/fd").map((name) => `/proc/${process.pid}/fd/${name}`);
    const socket = open.find((name) => existsSync(name) && readlinkSync(name).startsWith("socket:")) ?? "";
    const path = join(folder, "socket");
    symlinkSync(socket, path);
    expect(statSync(path).isFile()).toBe(false);
    symlinkSync("/proc", join(folder, "system"));
    expect(await planMigration(folder)).toMatchObject({
      exit_code: 0,
      databases: [{ status: "planned" }],
      left_alone: [{ path }, { path: join(folder, "system") }],
    });
  } finally {
    server.close();
  }
});

function listening(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => resolve(server));
  });
}

test("the file systems of the kernel are not searched", ON_LINUX, async () => {
  const { left_alone: left, refused, exit_code: code } = await planMigration("/sys/fs");
  expect({ refused, code }).toEqual({ refused: [], code: 0 });
  expect(left.every(({ reason }) => reason.startsWith("not searched: a file system of the kernel"))).toBe(true);
});
