import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { freshFolder } from "../../fresh_folder.ts";

const folder = fileURLToPath(new URL("../../../packages/v16", import.meta.url));

/** The package.json of the 16+ line when packed with these variables. */
function packedManifest(environment: Record<string, string>): Record<string, unknown> {
  const place = freshFolder();
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GITHUB_"));
  const env = { ...Object.fromEntries(kept), ...environment };
  const shell = process.platform === "win32";
  execFileSync("pnpm", ["pack", "--pack-destination", place], { cwd: folder, env, shell, stdio: "ignore" });
  const tarball = join(place, readdirSync(place)[0] as string);
  return JSON.parse(execFileSync("tar", ["-xOzf", tarball, "package/package.json"], { encoding: "utf8" })) as Record<
    string,
    unknown
  >;
}

test("fields only for this repository are not published", () => {
  const manifest = packedManifest({});
  expect(manifest["name"]).toBe("perdura");
  for (const ours of ["devDependencies", "scripts", "publishConfig", "repository", "homepage", "bugs"])
    expect(manifest).not.toHaveProperty(ours);
});

test("a package packed by a workflow names the repository of the workflow", () => {
  const workflow = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "somebody/fork" };
  expect(packedManifest(workflow)).toMatchObject({
    repository: { type: "git", url: "git+https://github.com/somebody/fork.git" },
    homepage: "https://github.com/somebody/fork#readme",
    bugs: { url: "https://github.com/somebody/fork/issues" },
  });
});
