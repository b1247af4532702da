import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadCases, shippedCorpus } from "../src/corpus/load_cases.ts";
import { loadRequirements } from "../src/corpus/load_requirements.ts";
import { exportCases } from "../src/export/export_cases.ts";
import { applies } from "../src/runner/selection.ts";

const folder = mkdtempSync(join(tmpdir(), "perdura-export-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));

describe.each(["15.0.0", "16.0.0", "16.0.0-rc.1"])("an export for %s", (version) => {
  const directory = join(folder, version);
  const result = exportCases(version, directory);
  const read = (name: string) => JSON.parse(readFileSync(join(directory, name), "utf8"));

  it("has every case of the version, with no name of data and no other version left", () => {
    const wanted = loadCases(shippedCorpus(), loadRequirements())
      .filter((loaded) => applies(loaded, version))
      .map((loaded) => `cases/${loaded.case.id}.json`);
    const cases = filesIn(directory).filter((name) => name.startsWith("cases/"));
    expect(cases.toSorted()).toEqual(wanted.toSorted());
    expect(result.cases).toBe(wanted.length);
    for (const name of cases) {
      const flat = read(name);
      expect(JSON.stringify(flat.steps), name).not.toMatch(/"\$(data|repeat)":/);
      for (const step of flat.steps) expect(step, name).not.toHaveProperty("versions");
      for (const row of flat.requirements) expect(row.statement.length, name).toBeGreaterThan(10);
    }
  });

  it("has every handed-over file, ready-made", () => {
    const cases = filesIn(directory).filter((name) => name.startsWith("cases/"));
    const puts = cases.flatMap((name) => read(name).steps.filter((step: object) => "put" in step));
    expect(puts.length).toBeGreaterThan(20);
    for (const put of puts) {
      expect(Object.keys(put).toSorted()).toEqual(["file", "put"]);
      expect(filesIn(directory)).toContain(put.file);
    }
  });

  it("has a manifest with the checksum of every file", () => {
    const { files, spec_version } = read("manifest.json");
    expect(spec_version).toBe(version);
    expect(files.map((row: { path: string }) => row.path).toSorted()).toEqual(
      filesIn(directory)
        .filter((name) => name !== "manifest.json")
        .toSorted(),
    );
    for (const { path, bytes, sha256 } of files) {
      const content = readFileSync(join(directory, path));
      expect([bytes, sha256]).toEqual([content.length, createHash("sha256").update(content).digest("hex")]);
    }
  });
});

it("an export goes nowhere where something is", () => {
  const taken = join(folder, "taken");
  mkdirSync(taken);
  writeFileSync(join(taken, "mine.txt"), "mine");
  expect(() => exportCases("16.0.0", taken)).toThrow(/taken is not empty.*Nothing was written/);
  expect(readdirSync(taken)).toEqual(["mine.txt"]);
});
