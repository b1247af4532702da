import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import { parseAddress } from "./parsed_address.ts";

/** Default without any setting, in milliseconds. */
export const STANDARD_CONNECT_MS = 10_000;
/** Maximum time of a Node.js timer, in milliseconds. */
const LONGEST = 0x7fffffff;

/**
 * Longest wait for a connection, in milliseconds; 0 for no limit. libpq's settings state it in seconds: the parameter
 * `connect_timeout` of the address, otherwise the environment variable `PGCONNECT_TIMEOUT`. 10,000 without either.
 *
 * @throws ValidationError if the setting is not a whole number. A value from the address is not shown, because a
 * mistyped address may have its password there.
 */
export function connectTimeoutMs(address: string | undefined): number {
  const parameter = address === undefined ? undefined : parseAddress(address).parameters.get("connect_timeout");
  const seconds = parameter ?? process.env["PGCONNECT_TIMEOUT"];
  if (seconds === undefined || seconds === "") return STANDARD_CONNECT_MS;
  if (!/^\s*[+-]?\d+\s*$/.test(seconds))
    throw parameter === undefined
      ? new ValidationError(`expected a whole number of seconds, got ${describe(seconds)}.`, {
          argument: "PGCONNECT_TIMEOUT",
        })
      : new ValidationError("expected a whole number of seconds, got another value.", {
          subject: "connect_timeout in the address",
        });
  return Math.min(Math.max(Number(seconds), 0) * 1000, LONGEST);
}
