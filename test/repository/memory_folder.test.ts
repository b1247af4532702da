import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { skipWithout } from "../needs.ts";

const module = fileURLToPath(new URL("../../dev/tools/tests/memory_folder.ts", import.meta.url));

/** A program that has a memory folder with a file in it, and runs until its input ends. */
async function holder(): Promise<{ child: ChildProcess; folder: string }> {
  const code = `
    import { writeFileSync } from "node:fs";
    import { memoryFolder } from ${JSON.stringify(module)};
    const folder = memoryFolder();
    if (folder !== undefined) writeFileSync(folder + "/file", "");
    console.log(folder);
    process.stdin.resume();`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", code], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  const [folder] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
  if (folder === undefined) throw new Error("The program ended before it had a folder");
  return { child, folder };
}

test("a folder in memory is writable by all users, and is removed when its program exits or, after a kill, by the next program", async (context) => {
  const [killed, other] = [await holder(), await holder()];
  if (killed.folder === "undefined") return skipWithout("memory", context);
  expect(statSync(killed.folder).mode & 0o7777).toBe(0o1777);
  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  expect(existsSync(killed.folder)).toBe(true);

  const next = await holder();
  expect([killed, other, next].map(({ folder }) => existsSync(folder))).toEqual([false, true, true]);

  for (const { child } of [other, next]) {
    child.stdin?.end();
    await once(child, "exit");
  }
  expect([other, next].filter(({ folder }) => existsSync(folder))).toEqual([]);
});

test("a file system that a killed program left mounted does not prevent the next program", async (context) => {
  const killed = await holder();
  if (killed.folder === "undefined") return skipWithout("memory", context);
  const place = join(killed.folder, "mounted");
  mkdirSync(place);
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "perdura", place]).status === 0;
  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  try {
    if (!isMounted) return skipWithout("mount", context);
    const next = await holder();
    expect(existsSync(next.folder)).toBe(true);
    next.child.stdin?.end();
    await once(next.child, "exit");
  } finally {
    if (isMounted) spawnSync("umount", [place]);
    rmSync(killed.folder, { recursive: true, force: true });
  }
});
