/**
 * Checks the packages as they would be published: packs each, looks into the tarball, and asks publint and
 * are-the-types-wrong about it. `pnpm build` comes first.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** What each package is published as; the lines share a name. */
const PUBLISHED = {
  v15: "perdura",
  v16: "perdura",
  conformance: "@perdura/conformance",
  migrator: "@perdura/migrator",
  backup: "@perdura/backup",
  postgres: "@perdura/postgres",
};

const failures: string[] = [];
const workshop = mkdtempSync(join(tmpdir(), "perdura-packages-"));
try {
  for (const [folder, name] of Object.entries(PUBLISHED)) check(folder, name);
} finally {
  rmSync(workshop, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

function check(folder: string, name: string): void {
  const place = join(workshop, folder);
  run("pnpm", ["pack", "--silent", "--pack-destination", place], join(root, "packages", folder));
  const tarball = join(place, readdirSync(place)[0] as string);
  run("tar", ["-xzf", tarball, "-C", place], root);
  checkContent(folder, name, join(place, "package"));
  run("pnpm", ["exec", "publint", "--strict", tarball], root);
  run("pnpm", ["exec", "attw", "--profile", "esm-only", "--no-emoji", tarball], root);
}

function checkContent(folder: string, name: string, unpacked: string): void {
  const manifest = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8")) as Record<string, unknown>;
  const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" });
  const complain = (what: string): number => failures.push(`packages/${folder}: ${what}`);
  if (manifest["name"] !== name) complain(`is published as ${String(manifest["name"])}, not as ${name}`);
  for (const wanted of ["LICENSE", "README.md"]) if (!files.includes(wanted)) complain(`the tarball has no ${wanted}`);
  const text = JSON.stringify(manifest);
  for (const leftover of ["@perdura/source", "workspace:", "catalog:", '"scripts"']) {
    if (text.includes(leftover)) complain(`the published package.json still says ${leftover}`);
  }
  const dependencies = Object.keys((manifest["dependencies"] as object | undefined) ?? {});
  if (name === "perdura" && dependencies.join() !== "better-sqlite3") complain(`depends on ${dependencies.join(", ")}`);
  // npm installs peers by itself, except for optional ones: nobody gets a client of a cloud, or pg, who did not ask for it.
  const peers = Object.keys((manifest["peerDependencies"] as object | undefined) ?? {});
  const optional = (manifest["peerDependenciesMeta"] ?? {}) as Record<string, { optional?: boolean }>;
  const brought = [
    ...peers.filter((peer) => optional[peer]?.optional !== true),
    ...Object.keys((manifest["optionalDependencies"] as object | undefined) ?? {}),
    ...dependencies.filter((each) => /^(?:pg|pg-.*|@aws-sdk\/.*|@azure\/.*|@google-cloud\/.*)$/.test(each)),
  ];
  if (brought.length > 0) complain(`brings ${brought.join(", ")} without being asked`);
  const strangers = files.filter((file) => /(^|\/)(src|test)\/|\.tsbuildinfo$/.test(file));
  if (strangers.length > 0) complain(`the tarball holds ${strangers.join(", ")}`);
  for (const file of files.filter((each) => each.endsWith(".d.ts"))) {
    if (readFileSync(join(unpacked, file), "utf8").includes("better-sqlite3"))
      complain(`${file} names the driver's types`);
  }
}

/** Runs a tool; what it says is shown only when it fails. */
function run(command: string, words: string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) failures.push(`${command} ${words.join(" ")}:\n${stdout}${stderr}`);
}
