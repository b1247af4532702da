import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startNpmRegistry, type NpmRegistry } from "@perdura/test-servers/npm/registry.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { planRelease } from "../../../dev/tools/release/plan.ts";
import { PUBLISHED, type PublishedPackage, versionOf } from "../../../dev/tools/release/published.ts";
import { Registry } from "../../../dev/tools/release/registry.ts";
import { interruptedRegistry } from "../src/interrupted_registry.ts";
import { BareFolder } from "../src/bare_folder.ts";
import { CopiedRepository } from "../src/copied_repository.ts";

/** A maintainer's day, in order: each test continues where the previous one ended. */
let repository: CopiedRepository;
let registry: NpmRegistry;

beforeAll(async () => {
  registry = await startNpmRegistry();
  repository = new CopiedRepository();
  // As in RELEASING.md: pending changesets become versions, and the result is committed.
  const waiting = repository.git("ls-files", ".changeset/*.md", ":!.changeset/README.md") !== "";
  if (waiting) {
    repository.fine("pnpm", "changeset", "version");
    repository.commit("Version");
  }
});

afterAll(async () => {
  repository?.remove();
  await registry?.stop();
});

/** The maintainer's command; nothing was built before. */
const release = ["pnpm", "--silent", "run", "release", "--registry"] as const;
/** The same with the existing build. */
const built = ["node", "dev/tools/release.ts", "--registry"] as const;
/** The package at this position in the order of publication. */
const named = (place: number): string => versions()[place]?.replace(/(?<=.)@/, " ") as string;
const versions = () => PUBLISHED.map((published) => `${published.name}@${versionOf(repository.path, published)}`);
const tags = () =>
  repository
    .git("tag", "--list")
    .split("\n")
    .filter((tag) => tag !== "")
    .toSorted();

/** Versions and tags of a package on the registry. */
async function listed(name: string): Promise<{ versions: string[]; tags: Record<string, string> }> {
  const answer = await fetch(new URL(name.replace("/", "%2f"), registry.url), { headers: { connection: "close" } });
  if (answer.status === 404) return { versions: [], tags: {} };
  const { versions: known, "dist-tags": tagged } = (await answer.json()) as Record<string, Record<string, string>>;
  return { versions: Object.keys(known ?? {}), tags: tagged ?? {} };
}
/** All versions of all packages. */
const everything = async () =>
  (await Promise.all([...new Set(PUBLISHED.map(({ name }) => name))].map(listed))).flatMap((each) => each.versions);

// Until the first release is published: RELEASING.md says when to remove this test.
test("the first release has the first version of each line, and 0.1.0 of the other packages", () => {
  expect(versions()).toEqual([
    "perdura@16.0.0",
    "perdura@15.0.0",
    "@perdura/postgres@0.1.0",
    "@perdura/migrator@0.1.0",
    "@perdura/backup@0.1.0",
    "@perdura/inspect@0.1.0",
    "@perdura/mcp@0.1.0",
    "@perdura/otel@0.1.0",
    "@perdura/conformance@0.1.0",
  ]);
  for (const published of PUBLISHED) {
    const changelog = readFileSync(join(repository.path, "packages", published.folder, "CHANGELOG.md"), "utf8");
    expect(changelog.match(/^## .*/gm)).toEqual([`## ${versionOf(repository.path, published)}`]);
  }
});

test("refuses to release uncommitted changes and changesets without a version", async () => {
  repository.changeset("@perdura/v16", "patch", "Not versioned");
  const { status, stderr } = repository.run(...built, registry.url);
  expect(status).toBe(1);
  expect(stderr).toContain("nothing was published");
  expect(stderr).toContain("changesets have no version yet (not-versioned.md)");
  expect(stderr).toContain("?? .changeset/not-versioned.md");
  expect(await everything()).toEqual([]);
  repository.git("clean", "--quiet", "--force", ".changeset");
});

test("a release that is killed midway has created no tag", async () => {
  const killing = await interruptedRegistry(registry.url, 3, () => started.kill());
  const started = repository.start(...release, killing.url);
  await started.ended;
  killing.close();
  expect((await everything()).length).toBe(3);
  expect(tags()).toEqual([]);
});

test("a dry run lists what it would publish and changes nothing", async () => {
  const before = await everything();
  const { status, stdout, stderr } = repository.run(...built, registry.url, "--dry-run");
  expect(stderr).toBe("");
  expect(status).toBe(0);
  for (const [place, { name, tag }] of PUBLISHED.entries()) {
    const state = place < 3 ? "is published" : "to publish";
    expect(stdout).toMatch(new RegExp(`^${name} \\S+ \\(\\S+ kB\\) → ${tag}: ${state}$`, "m"));
  }
  expect(stdout).toContain("Nothing was published or tagged.");
  expect(await everything()).toEqual(before);
  expect(tags()).toEqual([]);
});

test("a release that the registry refuses midway lists what is published and what is not", async () => {
  const failing = await interruptedRegistry(registry.url, 1, (response) =>
    response.writeHead(403).end(`{ "error": "this token has expired" }`),
  );
  const { status, stdout, stderr } = await repository.start(...built, failing.url).ended;
  failing.close();
  expect(status).toBe(1);
  expect(stdout).toContain(`${named(3)}: published as latest`);
  expect(stderr).toContain(`${named(4)} was not published: `);
  expect(stderr).toContain("this token has expired");
  const later = PUBLISHED.slice(4).map((_, place) => named(4 + place));
  expect(stderr).toContain(`Published before that: ${named(3)}. Not yet: ${later.join(", ")}.`);
  expect(tags()).toEqual([]);
});

test("resumes an interrupted release", () => {
  const { status, stdout, stderr } = repository.run(...built, registry.url);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.match(/: is published$/gm)).toHaveLength(4);
  expect(stdout.match(/published as/g)).toHaveLength(PUBLISHED.length - 4);
  expect(stdout).toContain("Everything is published.");
  expect(tags()).toEqual(versions().toSorted());
});

test("the two lines share a package name, and each has its own tag", async () => {
  const [sixteen, fifteen] = versions().map((each) => each.split("@").at(-1));
  expect((await listed("perdura")).tags).toEqual({ latest: sixteen, "latest-15": fifteen });
  for (const { name, tag } of PUBLISHED.slice(2)) expect(Object.keys((await listed(name)).tags)).toEqual([tag]);
});

test("both lines and the migrator install from the registry, next to each other", () => {
  const folder = new BareFolder({
    url: registry.url,
    cache: join(repository.path, "node_modules", ".cache", "installed"),
  });
  folder.fine("npm", "install", "perdura-15@npm:perdura@latest-15", "perdura@latest", "@perdura/migrator");
  const printed = folder.program(`import { VERSION as fifteen } from "perdura-15";
    import { VERSION as sixteen } from "perdura";
    console.log(fifteen, sixteen);`);
  const [sixteen, fifteen] = versions().map((each) => each.split("@").at(-1));
  expect(printed).toBe(`${fifteen} ${sixteen}\n`);
  const migrate = join("node_modules", ".bin", "perdura-migrate");
  expect(folder.fine(migrate, "--version").trim()).toBe(versions()[3]?.split("@").at(-1));
});

test("a fix of the old line does not move the tag latest", async () => {
  const { tags: was } = await listed("perdura");
  repository.changeset("@perdura/v15", "patch", "A fix of the old line");
  repository.commit("Fix the old line");
  repository.fine("pnpm", "changeset", "version");
  repository.commit("Version");
  const { status, stdout, stderr } = repository.run(...built, registry.url);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const [major, minor, patch] = (was["latest-15"] as string).split(".").map(Number);
  const fixed = `${major}.${minor}.${(patch as number) + 1}`;
  expect(stdout.match(/published as .*/g)).toEqual(["published as latest-15"]);
  expect((await listed("perdura")).tags).toEqual({ latest: was["latest"], "latest-15": fixed });
  expect(tags()).toContain(`perdura@${fixed}`);
});

test("a repeated release publishes nothing, not even a published version that now has other content", async () => {
  repository.write("packages/backup/LICENSE", "Another one.\n");
  repository.commit("Change without a changeset");
  const before = [await everything(), tags()];
  const { status, stdout } = repository.run(...built, registry.url);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^@perdura\/backup .*: was already published with other content/m);
  expect(stdout.match(/: is published$/gm)).toHaveLength(PUBLISHED.length - 1);
  expect(stdout).not.toContain("published as");
  expect([await everything(), tags()]).toEqual(before);
});

/** The plan for a package that was not packed. */
const plan = (name: string, tag: PublishedPackage["tag"], version: string, address = registry.url) => {
  const nothing = { folder: "", tarball: "", unpacked: "", bytes: 0, most: 0, integrity: "" };
  return planRelease([{ ...nothing, name, tag, version }], new Registry(repository.path, address));
};

test("an unreachable registry is an error, not an empty registry", async () => {
  await expect(plan("perdura", "latest", "99.0.0", "http://127.0.0.1:1/")).rejects.toThrow(
    "asking the registry for perdura failed: ",
  );
});

test("refuses to move a tag from a newer to an older version, and refuses previews", async () => {
  repository.write("package-of-its-own/package.json", `{ "name": "@perdura/own", "version": "2.0.0" }`);
  repository.fine("pnpm", "publish", "./package-of-its-own", "--no-git-checks", "--registry", registry.url);
  await expect(plan("@perdura/own", "latest", "1.9.0")).rejects.toThrow(
    "@perdura/own 1.9.0 would move the tag latest from 2.0.0, which is newer",
  );
  expect(await plan("@perdura/own", "latest", "2.0.1")).toMatchObject([{ state: "to publish" }]);
  await expect(plan("@perdura/new", "latest", "2.1.0-rc.1")).rejects.toThrow("version 2.1.0-rc.1: expected X.Y.Z");
  // A tag of one line at a version of the other, which a registry sets for a first version, is corrected by publishing.
  expect(await plan("perdura", "latest", "15.99.0")).toMatchObject([{ state: "to publish" }]);
});
