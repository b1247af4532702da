import type { Chance } from "./chance.ts";

/**
 * Texts that have broken programs before: keys of prototypes, names of files elsewhere, control sequences of terminals.
 */
const TEXTS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "toJSON",
  "hasOwnProperty",
  "length",
  "then",
  "",
  " ",
  ".",
  "..",
  "../canary/outside",
  "..\\canary\\outside",
  "/tmp/../canary",
  "a/../../canary/outside",
  "%2e%2e%2fcanary",
  "%00",
  "%~",
  "%~0000000000000000000000000000000000000000000000000000000000000000",
  "CON",
  "con.json",
  "nul",
  "COM1",
  "aux.",
  "file\0name",
  "\0",
  "-rf",
  "--help",
  "$(id)",
  "`id`",
  "; DROP TABLE patterns; --",
  "' OR 1=1 --",
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "\\|<script>alert(1)</script>[a](https://x.invalid)",
  "__www.x.invalid",
  "]]>",
  "{{7*7}}",
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  "\u001b[2J\u001b[H",
  "\u009b31m",
  "\b\b\b\b",
  "\r\nforged: line",
  "\u202egnp.exe",
  "\u2066\u2069",
  "\u2028\u2029",
  "\u200b\ufeff",
  "\ud800",
  "\udc00",
  "a\ud83db",
  "\u{1f600}",
  "e\u0301",
  "\uffff",
  "null",
  "NaN",
  "Infinity",
  "-0",
  "1e400",
  "9007199254740993",
  "2026-02-30T00:00:00",
  "0000-00-00T00:00:00",
  "9999-12-31T23:59:59.999999",
] as const;

/** One of these texts, sometimes padded to a great length. */
export function hostileText(chance: Chance): string {
  const text = chance.pick(TEXTS);
  if (chance.percent(90)) return text;
  const length = chance.pick([200, 255, 256, 4096, 70_000]);
  return `${text}${"x".repeat(length)}`;
}

/** Numbers in unusual spellings of JSON; the last ones are invalid. */
const NUMBERS = [
  "-0",
  "-0.0",
  "1e400",
  "-1e400",
  "1e-400",
  "5e-324",
  "1.7976931348623157e308",
  "9007199254740993",
  "-9223372036854775809",
  "18446744073709551616",
  "0.1000000000000000055511151231257827",
  "1E+2",
  "1e0000000000000000001",
  "100000000000000000000000000000000000000000000000000000000001",
] as const;

/** A number as JSON text. */
export function hostileNumber(chance: Chance): unknown {
  const text = chance.percent(95) ? chance.pick(NUMBERS) : `1.${"0".repeat(chance.pick([20, 400, 5000]))}1`;
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
