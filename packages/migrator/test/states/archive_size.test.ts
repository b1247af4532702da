import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { writeOfMany } from "../../../../test/legacy/unusual_states.ts";
import { canMount } from "../../../../test/mounts.ts";
import { fillUp, smallDisk } from "../support/small_disk.ts";
import { needs } from "../../../../test/needs.ts";

/** Makes states with this size and name length, all of whose fields are in `extra`. */
function statesIn(folder: string, count: number, sizeOf: (user: number) => number, nameLength = 12): string {
  const directory = join(folder, "empathy_state");
  mkdirSync(directory);
  for (let user = 0; user < count; user += 1) {
    // Incompressible content.
    const text = `{"user_id": "u", "x": "${randomBytes(sizeOf(user)).toString("base64")}`.slice(0, sizeOf(user));
    writeOfMany(join(directory, `${`u${user}`.padEnd(nameLength, "n")}.json`), `${text}"}`);
  }
  return directory;
}

/** Peak of the bytes in the directory, except the states, during archiving. */
async function mostBeside(directory: string): Promise<{ most: number; needed: number }> {
  let most = 0;
  const look = (): void => {
    const sizes = readdirSync(join(directory, ".."))
      .map((name) => lstatSync(join(directory, "..", name)))
      .map((found) => (found.isFile() ? found.size : 0));
    most = Math.max(
      most,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  };
  const report = await migrate(directory, { onProgress: look, saveReport: false });
  look();
  expect(report.exit_code).toBe(0);
  return { most, needed: report.state_directories[0]?.disk?.needed_bytes ?? 0 };
}

test.each<[what: string, count: number, size: (user: number) => number, nameLength?: number]>([
  ["tiny", 1000, () => 30],
  ["small", 1000, () => 300],
  ["middling", 1000, () => 1000],
  ["middling with long names", 1000, () => 1000, 200],
  ["of 2 kB", 1000, () => 2100],
  ["half a page each", 500, () => 8200],
  ["of all sizes", 1000, (user) => (user * 37) % 5000],
  ["nearly a page each", 200, () => 15_000],
  ["bigger than a page", 100, () => 60_000],
])("the plan requires as much disk space as an archive takes, and little more: states %s", async (_what, ...kind) => {
  const { most, needed } = await mostBeside(statesIn(freshFolder(), ...kind));
  expect(needed).toBeGreaterThanOrEqual(most);
  expect(needed).toBeLessThan(most * 1.7 + 300_000);
});

describe("on a disk with too little space", needs("mount", !canMount()), () => {
  test("reports needed and free disk space, and changes nothing", async () => {
    const disk = smallDisk(8);
    const directory = statesIn(disk, 500, () => 1000);
    fillUp(disk, 1_000_000);
    const report = await planMigration(directory);
    const { disk: reported, reason } = report.state_directories[0] ?? {};
    expect(report.exit_code).toBe(3);
    expect(reported).toEqual({ path: disk, needed_bytes: expect.any(Number), free_bytes: expect.any(Number) });
    expect(reported?.free_bytes).toBeLessThan(reported?.needed_bytes ?? 0);
    expect(reason).toBe(
      `Too little disk space in ${disk} for the archive: ${reported?.needed_bytes} bytes are needed at most, ${reported?.free_bytes} are free. Free disk space there: the archive is written next to its directory.`,
    );
  });
});
