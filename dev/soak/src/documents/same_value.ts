/**
 * First difference between two JSON texts, or nothing. Numbers with equal values are equal in any notation; those
 * beyond a double are compared by their digits.
 */
export function differenceOf(known: string, reloaded: string): string[] {
  if (known === reloaded) return [];
  const [one, other] = [known, reloaded].map(inOneSpelling) as [string, string];
  if (one === other) return [];
  let at = 0;
  while (one[at] === other[at]) at += 1;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 100), at + 100));
  return [`${around(one)} became ${around(other)}`];
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function inOneSpelling(text: string): string {
  const revive: Reviver = (_, value, { source }) => (typeof value === "number" ? spelling(source ?? "") : value);
  return JSON.stringify(JSON.parse(text, revive as (key: string, value: unknown) => unknown));
}

/** Digits without leading and trailing zeros, with a power of ten; -0 is 0. */
function spelling(source: string): string {
  const [, sign, whole = "", fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(
    source,
  ) as unknown as string[];
  const all = `${whole}${fraction}`;
  let [from, to] = [0, all.length];
  while (all[from] === "0") from += 1;
  while (to > from && all[to - 1] === "0") to -= 1;
  return from === to
    ? "number 0"
    : `number ${sign}${all.slice(from, to)} e${BigInt(power) - BigInt(fraction.length) + BigInt(all.length - to)}`;
}
