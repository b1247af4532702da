import { createRequire } from "node:module";
import type Database from "better-sqlite3";
import type { PublishedPackage } from "../release/published.ts";
import { runFine } from "../release/run_tool.ts";

/** A component of a software bill of materials (CycloneDX), as far as it is read here. */
export interface Component {
  name: string;
  group?: string;
  version: string;
  purl: string;
  licenses?: { license: { id?: string; name?: string } }[];
  components?: object[];
}

/** A software bill of materials of one package: what npm installs with it, and nothing that is optional or for tests. */
export interface Bill {
  metadata: { component: Component };
  components: Component[];
}

/** Made by pnpm from the lockfile, under the name that the package is published as. */
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

/** The driver carries SQLite itself, which no lockfile knows. */
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
