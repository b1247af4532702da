import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Bill } from "../../dev/tools/bills/bill.ts";
import { freshFolder } from "../fresh_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("each package has a bill of materials with its dependencies, and with SQLite inside the driver", () => {
  const folder = freshFolder();
  const { status, stderr } = spawnSync(process.execPath, ["--no-warnings", "dev/tools/sbom.ts", folder], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const bills = Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.replace(/-\d+\.\d+\.\d+\.cdx\.json$/, (version) => version.slice(0, 3)),
      JSON.parse(readFileSync(join(folder, file), "utf8")) as Bill,
    ]),
  );
  expect(Object.keys(bills).toSorted()).toEqual([
    "perdura-15",
    "perdura-16",
    "perdura-backup-0.",
    "perdura-conformance-0.",
    "perdura-inspect-0.",
    "perdura-mcp-0.",
    "perdura-migrator-0.",
    "perdura-otel-0.",
    "perdura-postgres-0.",
  ]);
  for (const line of [15, 16]) {
    const { metadata, components } = bills[`perdura-${line}`] as Bill;
    expect(metadata.component.purl).toMatch(new RegExp(`^pkg:npm/perdura@${line}\\.`));
    const driver = components.find(({ name }) => name === "better-sqlite3");
    expect(driver?.components).toMatchObject([
      { name: "sqlite", version: expect.stringMatching(/^3\.\d+\.\d+$/) as string },
    ]);
  }
  const text = JSON.stringify(bills);
  expect(text).not.toMatch(/%40perdura\/(?:v15|v16|internals|test-servers)/);
});
