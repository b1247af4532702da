import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";

/** Where neither the program nor its user says how long: ten seconds. */
const STANDARD = 10_000;
/** The longest wait that Node.js can keep. */
const LONGEST = 0x7fffffff;

/**
 * Longest wait for a connection, in milliseconds, as libpq is told of it in seconds: by the parameter `connect_timeout` of
 * the address, or else by the environment variable `PGCONNECT_TIMEOUT`. 0 stands for waiting as long as it takes.
 *
 * @throws ValidationError where that is no whole number.
 */
export function connectTimeoutMs(address: string | undefined): number {
  const parameter = address === undefined ? null : new URL(address).searchParams.get("connect_timeout");
  const name = parameter === null ? "PGCONNECT_TIMEOUT" : "connect_timeout in the address";
  const seconds = parameter ?? process.env["PGCONNECT_TIMEOUT"];
  if (seconds === undefined || seconds === "") return STANDARD;
  if (!/^\s*[+-]?\d+\s*$/.test(seconds))
    throw new ValidationError(`${name}: expected a whole number of seconds, got ${describe(seconds)}.`);
  return Math.min(Math.max(Number(seconds), 0) * 1000, LONGEST);
}
