import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
}).split("\n");

/** Node.js 22 only removes types, and does not transform other syntax; tests are compiled first. */
test("no program and no example uses `using`, which Node.js 22 does not support", () => {
  const files = tracked.filter((file) => /\.(?:ts|mjs|md)$/.test(file) && !/\.test(?:-d)?\.ts$/.test(file));
  const declaring = files.filter(
    (file) =>
      existsSync(join(root, file)) && /^[\s*]*(?:await )?using \w+ =/m.test(readFileSync(join(root, file), "utf8")),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(declaring).toEqual([]);
});
