import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCorpus } from "../src/corpus/corpus.ts";
import { exportCases } from "../src/export/export_cases.ts";
import { applies } from "../src/runner/selection.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const folder = freshFolder();
const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));

describe.each(["15.0.0", "16.0.0", "16.0.0-rc.1"])("an export for %s", (version) => {
  const directory = join(folder, version);
  const result = exportCases(version, directory);
  const files = filesIn(directory).toSorted();
  const cases = files
    .filter((name) => name.startsWith("cases/"))
    .map((name) => ({ name, flat: JSON.parse(readFileSync(join(directory, name), "utf8")) }));

  it("has every case of the version, with all data filled in and without other versions", () => {
    const applying = readCorpus().cases.filter((loaded) => applies(loaded, version));
    const isGenerated = (id: string): boolean => id.startsWith("generated/");
    const wanted = applying
      .filter(({ case: { id } }) => !isGenerated(id))
      .map(({ case: { id } }) => `cases/${id}.json`);
    const exported = cases.map(({ name }) => name);
    const sequences = exported.filter((name) => isGenerated(name.slice("cases/".length)));
    expect(exported.filter((name) => !sequences.includes(name))).toEqual(wanted.toSorted());
    expect(result.cases).toBe(exported.length);
    // Of each generated case many sequences, as plain steps.
    const generated = new Set(sequences.map((name) => name.replace(/-\d\d\.json$/, "").slice("cases/".length)));
    expect([...generated]).toEqual(applying.map(({ case: { id } }) => id).filter(isGenerated));
    expect(sequences.length).toBeGreaterThan(10 * generated.size);
    expect(cases.filter(({ flat }) => flat.steps.some((step: object) => "generate" in step))).toEqual([]);
    const faults = cases.flatMap(({ name, flat: { steps, requirements } }) => [
      ...(/"\$(?:data|repeat)":/.test(JSON.stringify(steps)) ? [`${name} names data`] : []),
      ...steps.filter((step: object) => "versions" in step).map(() => `${name} has a step of some versions`),
      ...requirements
        .filter(({ statement }: { statement: string }) => !(statement.length > 10))
        .map(({ id }: { id: string }) => `${name} does not say what ${id} is`),
    ]);
    expect(faults).toEqual([]);
  });

  it("has every input file", () => {
    const puts = cases.flatMap(({ flat }) => flat.steps.filter((step: object) => "put" in step));
    expect(puts.length).toBeGreaterThan(20);
    const known = new Set(files);
    const keys = puts.map((put) => Object.keys(put).toSorted().join());
    expect(new Set(keys)).toEqual(new Set(["file,put", "file,mode,put", "link,put", "put,symlink"]));
    expect(puts.flatMap(({ file }) => file ?? []).filter((file) => !known.has(file))).toEqual([]);
  });

  it("has a manifest with the checksum of every file", () => {
    const manifest = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8"));
    const contents = files
      .filter((name) => name !== "manifest.json")
      .map((path) => ({ path, content: readFileSync(join(directory, path)) }));
    expect(manifest.spec_version).toBe(version);
    expect(manifest.files).toEqual(
      contents.map(({ path, content }) => ({
        path,
        bytes: content.length,
        sha256: createHash("sha256").update(content).digest("hex"),
      })),
    );
  });
});

it("an export refuses a directory that is not empty", () => {
  const taken = join(folder, "taken");
  mkdirSync(taken);
  writeFileSync(join(taken, "mine.txt"), "mine");
  expect(() => exportCases("16.0.0", taken)).toThrow(/taken is not empty.*Nothing was written/);
  expect(readdirSync(taken)).toEqual(["mine.txt"]);
});
