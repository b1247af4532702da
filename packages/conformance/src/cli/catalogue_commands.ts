import { EXIT } from "@perdura/cli/exit_codes.js";
import { has } from "@perdura/cli/option_table.js";
import type { Result, Runner } from "@perdura/cli/run_program.js";
import { suggestion } from "@perdura/cli/suggestion.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { readCorpus } from "../corpus/corpus.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import type { Requirement } from "../corpus/requirements.ts";
import { stepLines } from "../corpus/step_text.ts";
import { count } from "../results/conclusion.ts";
import { namesOf, neededCapabilities } from "../runner/selection.ts";
import { escapeControls } from "../values/escape.ts";
import type { Command, OptionName } from "./table.ts";

function casesOf(id: string, all: readonly LoadedCase[]): string[] {
  return all.filter((loaded) => loaded.case.requirements.includes(id)).map((loaded) => loaded.case.id);
}

/** Text that is the answer itself. It is printed unchanged, so that other programs can read it line by line. */
function printed(summary: string, document: unknown, text: string): Result {
  return { code: EXIT.done, summary, document, text: `${text}\n`, isLaidOut: true };
}

/** Prints the requirements, one per line; with --uncovered only those that no case checks, with the reason. */
export const requirements: Runner<Command, OptionName> = async (given) => {
  const corpus = readCorpus();
  const rows = [...corpus.requirements.values()]
    .map((row) => ({ ...row, cases: casesOf(row.id, corpus.cases) }))
    .filter((row) => !has(given, "uncovered") || row.cases.length === 0);
  const lines = rows.map((row) => {
    const cover = row.cases.length > 0 ? count(row.cases.length, "case") : (row.unchecked ?? "no case yet");
    return `${row.id.padEnd(30)} ${row.level.padEnd(8)} ${row.versions.padEnd(12)} ${row.statement} [${cover}]`;
  });
  return printed(`${rows.length} requirements`, rows, lines.join("\n"));
};

/** Prints one requirement with its cases, one case with its requirements, or the requirements of one section. */
export const explain: Runner<Command, OptionName> = async ({ words: [id = ""] }) => {
  const { requirements: rows, cases: all } = readCorpus();
  const row = rows.get(id);
  const loaded = all.find((candidate) => candidate.case.id === id);
  if (row) {
    const checking = casesOf(row.id, all);
    return printed(`${row.id}: ${row.statement}`, { ...row, cases: checking }, explainRequirement(row, checking));
  }
  if (loaded) return printed(`${id}: ${loaded.case.title}`, loaded.case, explainCase(loaded));
  const section = [...rows.values()].filter((candidate) => namesOf(candidate).includes(id));
  if (section.length > 0)
    return printed(
      `Section ${id}: ${section.length} requirements`,
      section.map((each) => ({ ...each, cases: casesOf(each.id, all) })),
      section.map((each) => `${each.id.padEnd(30)} ${each.level.padEnd(8)} ${each.statement}`).join("\n"),
    );
  const names = new Set([...[...rows.values()].flatMap(namesOf), ...all.map((candidate) => candidate.case.id)]);
  throw new UsageError(
    `No requirement, section or case has the id ${JSON.stringify(id)}.${suggestion(id, [...names])}`,
  );
};

function explainRequirement(row: Requirement, checking: string[]): string {
  const lines = [`${row.id} (section ${row.section}, ${row.level}, versions ${row.versions})`, row.statement];
  if (row.question !== undefined) {
    lines.push("", "Open question", `  ${row.question}`, "Known answers");
    for (const [answer, words] of Object.entries(row.answers ?? {}))
      lines.push(`  ${answer.padEnd(16)} ${words}${answer === row.ruling ? "  (our ruling)" : ""}`);
  }
  const cover = checking.length > 0 ? checking : [`none: ${row.unchecked ?? "no case yet"}`];
  return `${[...lines, "", "Cases", ...cover.map((name) => `  ${name}`)].join("\n")}`;
}

function explainCase(loaded: LoadedCase): string {
  const { id, title, steps, versions } = loaded.case;
  const ranges = [...new Set([versions ?? "*", ...loaded.requirements.map((row) => row.versions)])];
  const needed = [...new Set([...neededCapabilities(loaded, "15.0.0"), ...neededCapabilities(loaded, "16.0.0")])];
  return `${[
    `${id} (${loaded.level}, versions ${ranges.filter((range) => range !== "*").join(" ") || "*"})`,
    title,
    "",
    "Requirements",
    ...loaded.requirements.map((row) => `  ${row.id}, section ${row.section}: ${row.statement}`),
    "Capabilities",
    `  ${needed.join(", ") || "none"}`,
    "Steps",
    ...steps.flatMap((step, index) => {
      const [first = "", ...more] = stepLines(step);
      return [
        `  ${String(index + 1).padStart(2)}  ${escapeControls(first)}`,
        ...more.map((line) => `      ${escapeControls(line)}`),
      ];
    }),
  ].join("\n")}`;
}

/** Prints the ids of all cases, one per line. */
export const cases: Runner<Command, OptionName> = async () => {
  const rows = readCorpus().cases.map(({ case: { id, title, requirements: cited }, level }) => ({
    id,
    level,
    title,
    requirements: cited,
  }));
  const lines = rows.map(({ id, level, title }) => `${id.padEnd(44)} ${level.padEnd(8)} ${title}`);
  return printed(`${rows.length} cases`, rows, lines.join("\n"));
};
