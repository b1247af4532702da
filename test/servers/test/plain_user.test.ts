import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { installedBinaries } from "../src/postgres/installed_binaries.ts";
import { plainUser } from "../src/processes/plain_user.ts";
import { runs } from "../src/processes/process_tree.ts";
import { copyOfPackage, openDirectory, startableNode } from "./place_of_copy.ts";
import type { HeldServer } from "./programs/hold_server.ts";
import { needs } from "../../needs.ts";

const user = plainUser();

describe("the user of a server", needs("postgres", installedBinaries() === undefined), () => {
  test("is the plain user who starts it", () => {
    expect(started(user ?? {})).toBe(user?.uid ?? process.geteuid?.());
  });

  test("is another user if the superuser starts it", needs("root", user === undefined), () => {
    expect(started({})).toBe(user?.uid);
  });
});

/** Starts and stops a server as a user; returns the owner of its data. */
function started(as: { uid?: number; gid?: number }): number {
  const folder = copyOfPackage({ postgres: true });
  const temporary = openDirectory();
  const program = join(folder, "test/programs/hold_server.ts");
  const { status, stdout, stderr } = spawnSync(startableNode(folder), ["--no-warnings", program, "once"], {
    ...as,
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], TMPDIR: temporary },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const held = JSON.parse(stdout) as HeldServer;
  expect(held.tree.filter(runs)).toEqual([]);
  // The copy of the programs remains, for the next server.
  expect(readdirSync(temporary).filter((name) => !name.startsWith("perdura-postgres-"))).toEqual([]);
  return held.owner;
}
