import { parseVersion } from "../runner/version_range.ts";
import { UsageError } from "./usage_error.ts";

/** `--timeout`: seconds to milliseconds. */
export function milliseconds(seconds: string): number {
  const value = Number(seconds);
  if (!(value > 0 && value <= 3600))
    throw new UsageError(`--timeout ${seconds}: wanted is a number of seconds, more than 0 and at most 3600`);
  return value * 1000;
}

/** An option that is a whole number. */
export function wholeNumber(option: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < low || value > high)
    throw new UsageError(`--${option} ${text}: wanted is a whole number from ${low} to ${high}`);
  return value;
}

/** `--line`: a major version, or a full one. */
export function checkedLine(line: string): string {
  if (/^\d+$/.test(line)) return line;
  try {
    parseVersion(line);
    return line;
  } catch (error) {
    throw new UsageError(`--line: ${(error as Error).message}, or 15, or 16`);
  }
}
