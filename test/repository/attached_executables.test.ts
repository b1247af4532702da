import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test, vi } from "vitest";
import { archiveName, PLATFORMS } from "../../dev/executables/archive.ts";
import { attachExecutable } from "../../dev/executables/attach_executable.ts";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";

const CLIENT = fileURLToPath(new URL("programs/gh.ts", import.meta.url));
const TAG = "@perdura/migrator@1.2.3";

let root = "";
let github = "";
const git = (...words: string[]): void => {
  execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.org", ...words], { cwd: root });
};
const attach = (): Promise<string> => attachExecutable("perdura-migrate", root);
const release = (): string => join(github, encodeURIComponent(TAG));

beforeEach(() => {
  root = freshFolder();
  github = freshFolder();
  const bin = freshFolder();
  writeFileSync(join(bin, "gh"), `#!/bin/sh\nexec "${process.execPath}" --no-warnings "${CLIENT}" "$@"\n`);
  chmodSync(join(bin, "gh"), 0o755);
  vi.stubEnv("PATH", `${bin}${delimiter}${process.env["PATH"]}`);
  vi.stubEnv("FAKE_GITHUB", github);
  mkdirSync(join(root, "packages", "migrator"), { recursive: true });
  mkdirSync(join(root, "executables"));
  writeFileSync(join(root, "packages", "migrator", "package.json"), '{ "version": "1.2.3" }');
  for (const platform of PLATFORMS)
    writeFileSync(join(root, "executables", archiveName("perdura-migrate", "1.2.3", platform)), platform);
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "-m", "Begin");
  git("tag", TAG);
  return () => vi.unstubAllEnvs();
});

test("attaches all archives with their checksums, once", ON_POSIX, async () => {
  expect(await attach()).toBe(`${TAG}: attached 5 archives and SHA256SUMS.`);
  expect(readdirSync(release()).toSorted()).toEqual([
    "SHA256SUMS",
    "draft",
    ...PLATFORMS.map((platform) => `perdura-migrate-1.2.3-${platform}.tar.gz`),
  ]);
  expect(readFileSync(join(release(), "draft"), "utf8")).toBe("false\n");
  if (process.platform === "linux")
    expect(spawnSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: release() }).status).toBe(0);
  expect(await attach()).toBe(`${TAG} has its executables.`);
});

test("stays a draft when it is interrupted, and continues", ON_POSIX, async () => {
  writeFileSync(join(github, "interrupted"), "");
  await expect(attach()).rejects.toThrow("connection lost");
  expect(readFileSync(join(release(), "draft"), "utf8")).toBe("true\n");
  rmSync(join(github, "interrupted"));
  expect(await attach()).toContain("attached 5 archives");
});

test("attaches nothing if a platform is missing, or if the version was released from another commit", async () => {
  rmSync(join(root, "executables", "perdura-migrate-1.2.3-windows-x64.tar.gz"));
  await expect(attach()).rejects.toThrow("missing in executables: perdura-migrate-1.2.3-windows-x64.tar.gz");
  git("commit", "--quiet", "--allow-empty", "-m", "Continue");
  expect(await attach()).toBe(`${TAG} was released from another commit: nothing was attached.`);
  expect(readdirSync(github)).toEqual([]);
});

test("the command refuses arguments, and attaches nothing", () => {
  const program = fileURLToPath(new URL("../../dev/executables/attach.ts", import.meta.url));
  const words = ["--conditions=@perdura/source", "--no-warnings", program, "--help"];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect([status, stderr]).toEqual([1, expect.stringContaining("expected no arguments")]);
  expect(readdirSync(github)).toEqual([]);
});
