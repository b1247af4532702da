/**
 * Texts of durations. The script of the page contains it as text, so it uses nothing outside of this function; the programs
 * call it as well.
 */
export function durations(): Durations {
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;
  const YEAR = 365.25 * DAY;
  // Durations below two units are easier to read in the smaller unit: 90 s, 36 h. 999.5 ms would be rounded to 1,000 ms.
  const UNITS: (DurationUnit & { from: number })[] = [
    { name: "years", one: "year", milliseconds: YEAR, from: 2 * YEAR },
    { name: "days", one: "day", milliseconds: DAY, from: 2 * DAY },
    { name: "h", one: "h", milliseconds: HOUR, from: 2 * HOUR },
    { name: "min", one: "min", milliseconds: MINUTE, from: 2 * MINUTE },
    { name: "s", one: "s", milliseconds: SECOND, from: 0.9995 * SECOND },
    { name: "ms", one: "ms", milliseconds: 1, from: 0 },
  ];
  return { durationText, unitOf, inUnit };

  function durationText(milliseconds: number): string {
    if (!Number.isFinite(milliseconds)) return String(milliseconds);
    if (milliseconds > 0 && milliseconds < 0.0005) return "<0.001 ms";
    const unit = unitOf(milliseconds);
    return inUnit(milliseconds / unit.milliseconds, unit);
  }

  function unitOf(milliseconds: number): DurationUnit {
    return UNITS.find(({ from }) => Math.abs(milliseconds) >= from) ?? UNITS.at(-1)!;
  }

  function inUnit(value: number, { name, one }: DurationUnit): string {
    const text = numberText(value);
    return `${text} ${text === "1" ? one : name}`;
  }

  /** Three digits, so that the text of any number is short. */
  function numberText(value: number): string {
    const size = Math.abs(value);
    if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(1).replace("e+", "e");
    const notation = size >= 10_000 ? "compact" : "standard";
    return value.toLocaleString("en-US", { notation, maximumSignificantDigits: 3 });
  }
}

export interface DurationUnit {
  /** Name of several, and of one. */
  name: string;
  one: string;
  milliseconds: number;
}

export interface Durations {
  /** A duration in the unit that suits it, for example `0.02 ms`, `132 ms`, `4.2 s`, `90 s`, `3.5 h`, `11.6 days`. */
  durationText: (milliseconds: number) => string;
  /** The unit that suits a duration. */
  unitOf: (milliseconds: number) => DurationUnit;
  /** A number of units, for example `0.5 h`. */
  inUnit: (value: number, unit: DurationUnit) => string;
}
