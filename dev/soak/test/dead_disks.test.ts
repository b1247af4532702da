import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { removeDeadDisks } from "../src/disks/dead_disks.ts";
import { Disk, missingFor } from "../src/disks/disk.ts";
import { needs } from "../../../test/needs.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

const PROGRAM = fileURLToPath(new URL("programs/hold_disk.ts", import.meta.url));
const isMounted = (directory: string): boolean => readFileSync("/proc/self/mounts", "utf8").includes(` ${directory} `);

describe("disks", needs("mount", missingFor("ext4") !== undefined), () => {
  test("of a killed run are removed by the next one, those of a running one are kept", async () => {
    const [place, living] = ["a", "b"].map(() => temporaryFolder(tmpdir(), "perdura-soak-dead-")) as [string, string];
    const child = spawn(process.execPath, [PROGRAM, place], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const directory = line.toString().trim();
    const own = new Disk(living, { kind: "tmpfs", megabytes: 1 });
    try {
      expect(isMounted(directory)).toBe(true);
      expect(removeDeadDisks()).not.toContain(directory);
      child.kill("SIGKILL");
      await once(child, "close");
      expect(removeDeadDisks()).toContain(directory);
      expect(isMounted(directory)).toBe(false);
      expect(existsSync(place)).toBe(false);
      expect(spawnSync("losetup", ["--associated", `${directory}.image`], { encoding: "utf8" }).stdout).toBe("");
      expect(isMounted(own.directory)).toBe(true);
    } finally {
      await own.remove();
      rmSync(living, { recursive: true });
    }
  });
});
