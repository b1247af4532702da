import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, inject, test } from "vitest";
import { BareFolder } from "../src/bare_folder.ts";

const TSSERVER = createRequire(import.meta.url).resolve("typescript-6/lib/tsserver.js");

const PROGRAM = `import { MetricsCollector } from "perdura";
import { PatternPersistence } from "perdura/pattern_persistence";
new MetricsCollector("metrics.db").getUserStats("alice");
PatternPersistence.saveToJson;
`;

/** An answer of the language server of TypeScript: definitions with their places, lines from 1. */
interface Answer {
  request_seq?: number;
  body?: { file: string; start: { line: number } }[];
}

/** Asks for the definitions of names in the program, as editors do. @returns File and text of the line of each. */
function definitionsOf(folder: BareFolder, names: readonly string[]): [file: string, text: string][] {
  const file = join(folder.path, "program.ts");
  const questions = names.map((name, index) => {
    const before = PROGRAM.slice(0, PROGRAM.lastIndexOf(name)).split("\n");
    const place = { file, line: before.length, offset: (before.at(-1)?.length ?? 0) + 1 };
    return { seq: index + 2, type: "request", command: "definition", arguments: place };
  });
  const requests = [{ seq: 1, type: "request", command: "open", arguments: { file } }, ...questions];
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join("");
  const words = [TSSERVER, "--disableAutomaticTypingAcquisition"];
  const { stdout } = spawnSync(process.execPath, words, { cwd: folder.path, input, encoding: "utf8" });
  const lines = stdout.split(/\r?\n/).filter((line) => line.startsWith("{"));
  const answers = lines.map((line) => JSON.parse(line) as Answer);
  const sources = join(folder.path, "node_modules", "perdura", "dist", "sources");
  return questions.map(({ seq }, index) => {
    const found = answers.find(({ request_seq: asked }) => asked === seq)?.body?.[0];
    if (found === undefined) throw new Error(`no definition of ${names[index]}: ${stdout}`);
    const text = readFileSync(found.file, "utf8").split("\n")[found.start.line - 1] ?? "";
    return [relative(sources, found.file).replaceAll("\\", "/"), text.trim()];
  });
}

test("editors find definitions in the sources, and stack traces name them", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  folder.install("perdura@latest");
  folder.write("program.ts", PROGRAM);
  folder.write("tsconfig.json", JSON.stringify({ compilerOptions: { module: "nodenext" }, files: ["program.ts"] }));
  expect(definitionsOf(folder, ["getUserStats", "MetricsCollector", "saveToJson"])).toEqual([
    ["internals/metrics/collector_base.ts", expect.stringContaining("getUserStats(")],
    ["v16/metrics_collector.ts", expect.stringContaining("class MetricsCollector")],
    [expect.stringMatching(/^internals\/patterns\//), expect.stringContaining("saveToJson(")],
  ]);

  folder.write("failing.js", `import { PatternLibrary } from "perdura"; new PatternLibrary().contribute("", {});`);
  const { stderr } = folder.run(process.execPath, "--enable-source-maps", "failing.js");
  expect(stderr).toMatch(/dist[/\\]sources[/\\]internals[/\\]patterns[/\\]library\.ts:\d+/);
});
