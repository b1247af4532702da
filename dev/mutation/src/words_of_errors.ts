import { parseSync, Visitor } from "oxc-parser";

/** Functions whose texts end up in errors: the name of an argument, or what was being done. */
const TELLS = /^(?:assert\w*|withStorage|storageErrorOf|syncDone|#store|#within)$/;
/** Words in a text are put into an error somewhere, unless they are SQL: names and keys have no blanks. */
const isSentence = (text: string): boolean => /\S\s+\S/.test(text) && !SQL.test(text);
/** Functions of a database: their arguments are not text for people. */
const ASKS = /^(?:exec|pragma|prepare)$/;
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|DROP|BEGIN|WHERE|FROM|ORDER|VALUES|ON|AND|KEY)\b/;

/**
 * Finds the texts of errors in a source: the arguments of `new …Error(…)` and texts that go there.
 *
 * @returns Whether what stands from an offset to another is such a thing.
 */
export function wordsOfErrors(source: string): (start: number, end: number) => boolean {
  const ranges: [number, number][] = [];
  const asked: [number, number][] = [];
  const { program } = parseSync("source.ts", source);
  const text = ({ start, end }: { start: number; end: number }): void => {
    if (isSentence(source.slice(start, end))) ranges.push([start, end]);
  };
  new Visitor({
    NewExpression({ callee, arguments: given }) {
      if (callee.type !== "Identifier" || !callee.name.endsWith("Error")) return;
      for (const { start, end } of given) ranges.push([start, end]);
    },
    CallExpression({ callee, arguments: given }) {
      const name = callee.type === "MemberExpression" ? callee.property : callee;
      if (!("name" in name)) return;
      const called = source.slice(name.start, name.end);
      if (ASKS.test(called)) for (const { start, end } of given) asked.push([start, end]);
      if (!TELLS.test(called)) return;
      for (const { type, start, end } of given)
        if (type === "Literal" || type === "TemplateLiteral") ranges.push([start, end]);
    },
    // A regular expression is a literal, too, and decides something.
    Literal: (literal) => {
      if (typeof literal.value === "string") text(literal);
    },
    TemplateLiteral: text,
  }).visit(program);
  const within = (all: typeof ranges, start: number, end: number): boolean =>
    all.some(([from, to]) => from <= start && end <= to);
  return (start, end) => within(ranges, start, end) && !within(asked, start, end);
}
