import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { judge, judgeFault } from "../src/judge_fault.ts";
import { pageNow } from "../src/page.ts";
import { changedFiles, IMPLEMENTATIONS, readFaults } from "../src/seeded_fault.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

describe.each(IMPLEMENTATIONS)("faults of $name", (implementation) => {
  const faults = readFaults(root, implementation);

  it("fit the present source, and change it", () => {
    for (const fault of faults)
      for (const [file, text] of changedFiles(join(root, implementation.folder), fault))
        expect(text, fault.name).not.toBe(readFileSync(join(root, implementation.folder, file), "utf8"));
  });

  it("have unique names", () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  });
});

it("a mistake in a copy is judged, and the source stays unchanged", async () => {
  const python = IMPLEMENTATIONS.find(({ name }) => name === "python") as (typeof IMPLEMENTATIONS)[number];
  const file = join(root, python.folder, "agent_persistence_shared", "library_json.py");
  const before = readFileSync(file, "utf8");
  const fault = readFaults(root, python).find(({ name }) => name === "version-1-1");
  // The results of all cases are in results.json.
  expect(await judgeFault(root, python, fault as never, { areas: ["patterns-json"] })).toMatchObject({ level: "must" });
  expect(readFileSync(file, "utf8")).toBe(before);
});

it("an implementation that does not start is an error, not a fault that nothing found", async () => {
  await expect(judge([process.execPath, "-e", "0"], "16")).rejects.toThrow(/^no case was run with /);
});

it("the page agrees with the results, and names a reason for each fault that nothing found", () => {
  const page = pageNow(root);
  expect(readFileSync(join(root, "dev", "faults", "README.md"), "utf8")).toBe(page);
  expect(page).not.toContain("no reason is known");
});

it("a fault that does not fit the source is an error", () => {
  const unfit = { name: "unfit", edits: [{ file: "go.mod", from: "no such text", to: "" }] };
  expect(() => changedFiles(join(root, "examples", "go"), unfit as never)).toThrow(
    'unfit: go.mod does not contain "no such text"',
  );
});
