import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { isSignificant, partsIn, type Token, tokensOf } from "./sql_text.ts";

/** Words that begin a constraint of a column, and so end its declared type. */
const CONSTRAINT = /^(?:constraint|primary|not|null|unique|check|default|collate|references|generated|as)$/i;

/** Words that begin a constraint of the table instead of a column. */
const TABLE_CONSTRAINT = /^(?:constraint|primary|unique|check|foreign)$/i;

/**
 * Replaces the declared type of a column in the text of a table. Everything else stays unchanged: constraints,
 * comments, blanks.
 *
 * @param type The new type; empty for none.
 * @returns Undefined if the text has no definition of such a column.
 */
export function withColumnType(sql: string, column: string, type: string): string | undefined {
  const tokens = tokensOf(sql);
  const definition = definitionOf(tokens, column);
  if (definition === undefined) return undefined;
  const [name, ...rest] = definition;
  const end = rest.findIndex((at) => tokens[at]?.kind === "word" && CONSTRAINT.test(tokens[at].text));
  const old = end === -1 ? rest : rest.slice(0, end);
  const texts = tokens.map(({ text }) => text);
  const [first, last] = [old[0], old.at(-1)];
  if (first === undefined || last === undefined) texts[name as number] += type === "" ? "" : ` ${type}`;
  else texts.splice(first, last - first + 1, type);
  return texts.join("");
}

/** Removes the expression of a generated column from the text of a table. Everything else stays unchanged. */
export function withStoredColumn(sql: string, column: string): string {
  const tokens = tokensOf(sql);
  const places = definitionOf(tokens, column) ?? [];
  const isWord = (at: number | undefined, words: RegExp): boolean =>
    at !== undefined && tokens[at]?.kind === "word" && words.test(tokens[at].text);
  const depths = depthsOf(places.map((at) => (tokens[at] as Token).text));
  const begin = places.findIndex((at, index) => depths[index] === 0 && isWord(at, /^(?:generated|as)$/i));
  const closing = depths.findIndex(
    (depth, index) => index > begin && depth === 0 && tokens[places[index] ?? -1]?.text === ")",
  );
  if (begin === -1 || closing === -1) return sql;
  const end = isWord(places[closing + 1], /^(?:virtual|stored)$/i) ? closing + 1 : closing;
  const texts = tokens.map(({ text }) => text);
  const first = places[begin] as number;
  texts.splice(first, (places[end] as number) - first + 1);
  return texts.join("");
}

/** The number of parentheses around each token; a parenthesis is not inside of itself. */
function depthsOf(texts: readonly string[]): number[] {
  let depth = 0;
  return texts.map((text) => {
    if (text === ")") depth -= 1;
    const found = depth;
    if (text === "(") depth += 1;
    return found;
  });
}

/**
 * Replaces the name of a table after REFERENCES in the text of a table. Everything else stays unchanged.
 *
 * @param to The new name, which needs no quotes.
 * @returns Undefined if the text has no reference to a table of that name.
 */
export function withParent(sql: string, from: string, to: string): string | undefined {
  let isAfterReferences = false;
  const texts = tokensOf(sql).map((token) => {
    if (!isSignificant(token)) return token.text;
    const isParent = isAfterReferences && token.value.toLowerCase() === from.toLowerCase();
    isAfterReferences = token.kind === "word" && /^references$/i.test(token.text);
    // Only quotes separate a name from the words around it without a blank.
    return isParent ? (token.kind === "word" ? to : sqlName(to)) : token.text;
  });
  const changed = texts.join("");
  return changed === sql ? undefined : changed;
}

/** Places of the significant tokens of a column's definition, its name first. */
function definitionOf(tokens: readonly Token[], column: string): number[] | undefined {
  return partsIn(tokens)
    .map((part) => part.filter((at) => isSignificant(tokens[at] as Token)))
    .find(([first = -1]) => {
      const name = tokens[first];
      const isOfTable = name?.kind === "word" && TABLE_CONSTRAINT.test(name.text);
      return !isOfTable && name?.value.toLowerCase() === column.toLowerCase();
    });
}
