import type { Catalog } from "../layouts/catalog.ts";
import { Stop } from "../../core/stop.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { mentions, type Token, tokensOf } from "../sql/tokens.ts";
import { sqlName } from "../sql/sql_text.ts";

/**
 * @throws Stop for each part of the table, and each index on it, that names the column of the metadata, which moves to a
 *   table of its own: SQLite drops no column that something names. Views and triggers show when they are compiled.
 */
export function assertNothingNamesMetadata(catalog: Catalog, { name, metadata }: MetricsTable): void {
  if (metadata === null) return;
  const entry = catalog.entries.find((one) => one.type === "table" && one.name === name);
  const parts = definitionsIn(entry?.sql ?? "").flatMap((part) => usesIn(part, metadata, catalog, name));
  const computed = parts.flatMap(({ column }) => (column === null ? [] : [column]));
  const indexes = catalog.entries.filter(
    ({ type, table, sql }) =>
      type === "index" &&
      table.toLowerCase() === name.toLowerCase() &&
      sql !== null &&
      mentions(textAfterName(sql), [metadata, ...computed]),
  );
  const found = [
    ...indexes.map(
      (index) =>
        `the index ${index.name} (DROP INDEX ${sqlName(index.name)}; an index holds no data of its own, and can be made again on interaction_metadata)`,
    ),
    ...parts.map(({ what }) => what),
  ];
  if (found.length === 0) return;
  throw new Stop(
    "refused",
    `The column ${metadata} of the table ${name} moves to the table interaction_metadata, and this names it: ${found.join("; ")}. Nothing was changed. Take that out of the schema in this order, then run this command again; no row has to be removed for that.`,
  );
}

/** A part of a table that names a column: in words, and the computed column that it is, if it is one. */
interface PartUse {
  what: string;
  column: string | null;
}

const REBUILD =
  "SQLite cannot take a condition out of a table: make a table without it, copy every row into it, and give it the name, as sqlite.org/lang_altertable.html says in its section 7";

function usesIn(part: Token[], metadata: string, { computed }: Catalog, table: string): PartUse[] {
  const words = part.filter(isSignificant);
  const [first] = words;
  if (first === undefined) return [];
  const isOf = (column: string): boolean => first.value.toLowerCase() === column.toLowerCase();
  const bare = new Set(words.filter(({ kind }) => kind === "word").map(({ text }) => text.toLowerCase()));
  const isOfTable = first.kind === "word" && /^(?:constraint|check|unique|foreign|primary)$/i.test(first.text);
  if (!isOfTable && isOf(metadata))
    // Its own CHECK and REFERENCES go with it.
    return bare.has("unique") ? [{ what: `the UNIQUE of the column itself (${REBUILD})`, column: null }] : [];
  if (!mentions(withoutParents(words), [metadata])) return [];
  if (!isOfTable && computed.get(table.toLowerCase())?.some(isOf) === true) {
    const column = first.value;
    return [
      {
        what: `the generated column ${column} (ALTER TABLE ${sqlName(table)} DROP COLUMN ${sqlName(column)}; SQLite computes it, and a view of interactions with interaction_metadata can give the same)`,
        column,
      },
    ];
  }
  return [{ what: `the condition ${textOf(part)} (${REBUILD})`, column: null }];
}

/** How much of a condition is shown, in characters. */
const SHOWN = 100;

function textOf(part: readonly Token[]): string {
  const text = part
    .map(({ text: one }) => one)
    .join("")
    .trim()
    .replaceAll(/\s+/g, " ");
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** The definitions of columns and conditions of a CREATE TABLE: what commas part in its outermost parentheses. */
function definitionsIn(sql: string): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokensOf(sql)) {
    if (token.text === ")") depth -= 1;
    if (depth === 1 && token.text === ",") parts.push([]);
    else if (depth > 0) parts.at(-1)?.push(token);
    if (token.text === "(") depth += 1;
  }
  return parts;
}

const isSignificant = ({ kind, text }: Token): boolean => kind !== "comment" && text.trim() !== "";

/** Without the columns of another table, that a REFERENCES names. */
function withoutParents(words: readonly Token[]): string {
  let rest = "";
  for (let at = 0; at < words.length; at += 1) {
    const { kind, text } = words[at] as Token;
    if (kind === "word" && /^references$/i.test(text)) {
      const end = words.findIndex((word, index) => index > at && word.text === ")");
      at = words[at + 2]?.text === "(" && end !== -1 ? end : at + 1;
    } else rest += `${text} `;
  }
  return rest;
}

/** What an index is called says nothing of what it names. */
function textAfterName(sql: string): string {
  const tokens = tokensOf(sql);
  return tokens
    .slice(tokens.findIndex(({ text }) => text === "("))
    .map(({ text }) => text)
    .join("");
}
