import { createRequire } from "node:module";
import type Database from "better-sqlite3";
import type { PublishedPackage } from "../release/published.ts";
import { runFine } from "../release/run_tool.ts";

/** A component of a software bill of materials (CycloneDX), with the fields that are read here. */
export interface Component {
  name: string;
  group?: string;
  version: string;
  purl: string;
  licenses?: { license: { id?: string; name?: string } }[];
  components?: object[];
}

/**
 * A software bill of materials of one package: the packages that npm installs with it, without optional ones and those
 * for tests.
 */
export interface Bill {
  metadata: { component: Component };
  components: Component[];
}

/** Makes the bill with pnpm from the lockfile, under the published name of the package. */
export async function billOf(root: string, { folder, name }: PublishedPackage): Promise<Bill> {
  const words = ["--filter", `./packages/${folder}`, "sbom", "--sbom-format", "cyclonedx", "--prod"];
  const text = await runFine("pnpm", words, root);
  const own = `pkg:npm/%40perdura/${folder}@`;
  const bill = JSON.parse(text.replaceAll(own, `pkg:npm/${name.replace("@", "%40")}@`)) as Bill;
  const { component } = bill.metadata;
  if (name === "perdura") {
    component.name = name;
    delete component.group;
  }
  for (const each of bill.components) if (each.name === "better-sqlite3") each.components = [sqlite()];
  return bill;
}

/** The driver contains SQLite itself, which no lockfile lists. */
function sqlite(): object {
  const Driver = createRequire(import.meta.url)("better-sqlite3") as typeof Database;
  const database = new Driver(":memory:");
  const version = database.prepare("SELECT sqlite_version()").pluck().get() as string;
  database.close();
  return {
    type: "library",
    name: "sqlite",
    version,
    cpe: `cpe:2.3:a:sqlite:sqlite:${version}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: "blessing" } }],
  };
}
