import { expect, test } from "vitest";
import { refusedSources } from "../refused_sources.ts";

/** Files of a folder, one for each text, numbered. */
function filesOf(folder: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text, index) => [`${folder}/file_${index}.ts`, text]));
}

/** Texts whose files the rule refuses. */
function refusedTexts(folder: string, texts: readonly string[]): string[] {
  const files = filesOf(folder, texts);
  return refusedSources(files, "no-decisions").map((path) => files[path] as string);
}

/** Source of a function with an expression about an error. */
const withError = (body: string): string => `export function f(error: Error): unknown { return ${body}; }`;

const DECIDING = [
  ...["startsWith", "endsWith", "includes", "indexOf", "lastIndexOf", "split", "localeCompare"].map((method) =>
    withError(`error.message.${method}("a")`),
  ),
  ...["match", "matchAll", "search"].map((method) => withError(`error.message.${method}(/a/g)`)),
  ...["replace", "replaceAll"].map((method) => withError(`error.message.${method}("a", "b")`)),
  withError("error.message.slice(3)"),
  withError("error.message.slice(0, -1)"),
  withError("error.message.substring(3)"),
  withError('error["message"].includes("a")'),
  withError('(error as Error).message.includes("a")'),
  withError('(error as Error | undefined)?.message.includes("a")'),
  withError('(error.message ?? "").includes("a")'),
  withError('error.message.trim().toLowerCase().includes("a")'),
  withError('`${error.message}`.includes("a")'),
  withError('`${error}`.includes("a")'),
  withError('(error.name + error.message).includes("a")'),
  withError('String(error).includes("a")'),
  withError('String(error.cause).includes("a")'),
  withError('error.toString().includes("a")'),
  withError("/a/.test(error.message)"),
  withError("/a/.exec(String(error))"),
  withError('["a", "b"].includes(error.message)'),
  withError('new Map([["a", 1]]).get(error.message)'),
  withError('error.message === "a"'),
  withError('"a" !== error.message'),
  withError("error.message === `a ${error.name}`"),
  withError('(() => { switch (error.message) { case "a": return 1; default: return 2; } })()'),
  'export const f = (report: { summary: string }) => report.summary.includes("a");',
  'export const f = (row: { title: string }) => row.title.startsWith("a");',
  'export const f = ({ message }: Error) => message.includes("a");',
  'export const f = ({ message: text }: Error) => text === "a";',
  'export const f = ({ cause: { message } }: { cause: Error }) => message.includes("a");',
  'export const f = ({ message = "" }: { message?: string }) => message.includes("a");',
  "export const f = (errors: Error[]) => errors.map(({ message }) => message).concat(errors.filter(({ message }) => /a/.test(message)).map(String));",
  'export function f(error: Error): boolean { const { message } = error; return message.includes("a"); }',
  'export function f(error: Error): boolean { const text = error.message; return text.includes("a"); }',
  'export const f = (message: string) => message.includes("a");',
  "export const f = (told: string) => /a/.exec(told);",
  "export const f = (probe: () => string) => { const message = probe(); return message.slice(3); };",
  'export const f = (header: { error: string | null }) => header.error?.startsWith("ENOENT") === true;',
  'export const f = ({ reason }: { reason: string }) => new Set(["a"]).has(reason);',
  'export function f(error: Error): boolean { const { message } = error; return [1].some(() => message.includes("a")); }',
];

const HARMLESS = [
  withError("error.message"),
  withError("`${error.message} Nothing was changed.`"),
  withError("error.message.length"),
  withError('error.message === ""'),
  withError("error.message.slice(0, 300)"),
  withError("error.message.concat(error.name)"),
  withError('error.name.startsWith("a")'),
  withError('error.name === "TypeError"'),
  withError('String(error.name).includes("a")'),
  withError("error.message === error.name"),
  withError('(error as Error & { code: string }).code.startsWith("SQLITE_")'),
  "export const f = (message: string, database: { exec: (sql: string) => void }) => database.exec(`SELECT ${message}`);",
  'export const f = (header: { error: { code: string } | null }) => header.error?.code === "ENOENT";',
  'export const f = ({ messages }: { messages: string[] }) => messages.includes("a");',
  'export const f = ({ text }: { text: string }) => text.replace("a", "b");',
  `export function f(error: Error): boolean {
    // oxlint-disable-next-line messages/no-decisions -- the words of a driver, which has no code
    return error.message.includes("a");
  }`,
];

test("the linter refuses code that depends on the text of a message, and allows similar code that does not", () => {
  expect(refusedTexts("packages/backup/src", [...DECIDING, ...HARMLESS])).toEqual(DECIDING);
});

test("the rule applies to all programs, and not to their tests", () => {
  const [text] = DECIDING as [string];
  const held = [
    "packages/cli/src",
    "packages/v15/src/deep",
    "packages/conformance/adapters",
    "dev/soak/src",
    "dev/tools",
  ];
  const free = ["packages/cli/test", "dev/soak/test", "test/lines"];
  const files = Object.fromEntries([...held, ...free].map((folder) => [`${folder}/file.ts`, text]));
  expect(refusedSources(files, "no-decisions")).toEqual(held.map((folder) => `${folder}/file.ts`));
});
