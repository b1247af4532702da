// Installs @perdura/conformance in a folder of the job, once for each version.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Refusal } from "./job.mjs";

const PACKAGE = "@perdura/conformance";

/**
 * @param version a version, a range, a tag, or the path of a tarball.
 * Installs the suite, unless this version is already installed.
 *
 * @param place the folder that a path is relative to.
 * @returns the path of the suite's program.
 */
export function installSuite(version, place) {
  const { specifier, key } = wanted(version, place);
  const folder = join(process.env.RUNNER_TEMP ?? tmpdir(), "perdura-oracle");
  const installed = join(folder, createHash("sha256").update(key).digest("hex").slice(0, 16));
  const program = join(installed, "node_modules", PACKAGE, "bin", "perdura-conformance.js");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const fresh = mkdtempSync(join(folder, "fresh-"));
  install(specifier, fresh);
  // The folder gets its final name after a complete installation, so that a later step never finds an incomplete one.
  rmSync(installed, { recursive: true, force: true });
  renameSync(fresh, installed);
  return program;
}

function wanted(version, place) {
  if (version.endsWith(".tgz")) {
    const tarball = resolve(place, version);
    if (!existsSync(tarball)) throw new Refusal(`version: the tarball ${tarball} does not exist.`);
    return { specifier: tarball, key: readFileSync(tarball) };
  }
  if (!/^[0-9A-Za-z.^~*<>=|+ -]+$/.test(version))
    throw new Refusal(
      `version: expected a version, a range, a tag or the path of a .tgz, got ${JSON.stringify(version)}.`,
    );
  return { specifier: `${PACKAGE}@${version}`, key: version };
}

function install(specifier, folder) {
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", specifier];
  const [program, before] = npm();
  const { status, error, stdout, stderr } = spawnSync(program, [...before, ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status === 0) return;
  rmSync(folder, { recursive: true, force: true });
  throw new Refusal(`npm could not install ${specifier}:\n${error?.message ?? `${stdout}${stderr}`}`, 1);
}

/** Returns the command that starts npm without a shell. On Windows, npm is a batch file, which would need a shell. */
function npm() {
  if (process.platform !== "win32") return ["npm", []];
  return [process.execPath, [join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js")]];
}
