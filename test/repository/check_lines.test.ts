import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";

const tool = fileURLToPath(new URL("../../dev/tools/check_lines.ts", import.meta.url));

function check(versions: { v15: string; v16: string }, changeset: string): { status: number | null; stderr: string } {
  const root = freshFolder();
  for (const [line, version] of Object.entries(versions)) {
    mkdirSync(join(root, "packages", line), { recursive: true });
    writeFileSync(
      join(root, "packages", line, "package.json"),
      JSON.stringify({ version, publishConfig: { name: "perdura" } }),
    );
  }
  mkdirSync(join(root, ".changeset"));
  writeFileSync(join(root, ".changeset", "change.md"), changeset);
  return spawnSync(process.execPath, ["--no-warnings", tool, root], { encoding: "utf8" });
}

const bump = (name: string, kind: string): string =>
  `---\n"@perdura/${name}": ${kind}\n"@perdura/migrator": major\n---\n\nA change.\n`;

test("accepts minor and patch versions of the lines, and major versions of other packages", () => {
  for (const kind of ["minor", "patch"])
    expect(check({ v15: "15.3.1", v16: "16.0.0" }, bump("v15", kind)).status).toBe(0);
});

test.for(["v15", "v16"])("refuses a major version of %s", (line) => {
  const { status, stderr } = check({ v15: "15.0.0", v16: "16.0.0" }, bump(line, "major"));
  expect(status).toBe(1);
  expect(stderr).toContain(`.changeset/change.md: a major version of ${line} would leave its line`);
});

test("refuses a version of another line", () => {
  expect(check({ v15: "16.0.0", v16: "16.0.0" }, "").stderr).toContain(
    "packages/v15: the version is 16.0.0, expected 15.x",
  );
});
