import type { Chance } from "./chance.ts";

/** A value as JSON text, in one of the usual forms, or with small faults. */
export function bytesOf(value: unknown, chance: Chance): Buffer {
  let text = JSON.stringify(value) ?? "null";
  // Indentation would make deep values too large.
  const indent = chance.pick(["", "", 2, "\t"]);
  if (indent !== "" && !/[[{:a"]{900}/.test(text)) text = JSON.stringify(value, null, indent) ?? "null";
  if (chance.percent(5)) text = text.replaceAll("\n", "\r\n");
  if (chance.percent(6)) text = withRepeatedKey(text, chance);
  if (chance.percent(4)) text = withEscapes(text, chance);
  if (chance.percent(3)) text = `${text}${chance.pick(["\n", text, ",", "\0", "\u001a", "}", "]", " \r\n\t "])}`;
  if (chance.percent(3)) text = `\ufeff${text}`;
  let bytes: Buffer = Buffer.from(text);
  const changes = chance.pick([0, 0, 0, 0, 0, 1, 1, 2, 8]);
  for (let count = 0; count < changes; count += 1) bytes = changed(bytes, chance);
  return bytes;
}

/** Repeats a key; objects of JSON may have duplicate keys, and readers take the last one. */
function withRepeatedKey(text: string, chance: Chance): string {
  const keys = [...text.matchAll(/"[^"\\]{1,40}"\s*:/g)];
  if (keys.length === 0) return text;
  const { 0: key, index } = chance.pick(keys) as { 0: string; index: number };
  return `${text.slice(0, index)}${key}${chance.pick(["null", "1", '"x"', "{}", "[]", '{"__proto__":{}}'])},${text.slice(index)}`;
}

/** Writes letters as escapes, which have the same meaning, in keys too. */
function withEscapes(text: string, chance: Chance): string {
  const from = chance.below(text.length);
  const escaped = text
    .slice(from, from + 60)
    .replaceAll(/[a-z](?=[a-z_]{2,}")/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `${text.slice(0, from)}${escaped}${text.slice(from + 60)}`;
}

/** Bytes with a meaning for a reader. */
const PIECES: readonly Buffer[] = [
  ...'{}[]":,\\0 \n'.split("").map((character) => Buffer.from(character)),
  ...[
    "\0",
    "\u001b[0m",
    "\ufeff",
    "NaN",
    "-Infinity",
    "null",
    '"__proto__":',
    "\\u0000",
    "\\ud800",
    "\\",
    "1e999",
    "//",
    "'",
  ].map((text) => Buffer.from(text)),
  ...[[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80]].map((bytes) =>
    Buffer.from(bytes),
  ),
  Buffer.alloc(2000, "["),
  Buffer.alloc(300, '{"a":'),
  Buffer.alloc(5000, "9"),
  Buffer.alloc(4000, "\\"),
];

/** Bytes with one change: flipped, inserted, removed, truncated, doubled or swapped. */
export function changed(bytes: Buffer, chance: Chance): Buffer {
  const at = chance.below(bytes.length + 1);
  const length = Math.min(chance.pick([1, 1, 2, 8, 64, 1000]), bytes.length - at);
  const span = bytes.subarray(at, at + length);
  const rest = bytes.subarray(at + length);
  switch (chance.below(7)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (at < bytes.length) flipped[at] = (flipped[at] as number) ^ (1 << chance.below(8));
      return flipped;
    }
    case 1:
    case 2:
      return Buffer.concat([bytes.subarray(0, at), chance.pick(PIECES), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), rest]);
    case 4:
      return bytes.subarray(0, at);
    case 5:
      return Buffer.concat([bytes.subarray(0, at), span, span, rest]);
    default: {
      const cut = chance.below(rest.length + 1);
      return Buffer.concat([bytes.subarray(0, at), rest.subarray(0, cut), span, rest.subarray(cut)]);
    }
  }
}
