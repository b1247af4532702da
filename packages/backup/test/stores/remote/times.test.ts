import { expect, test } from "vitest";
import { azureFailure } from "../../../src/stores/azure/failures.ts";
import { gcsFailure } from "../../../src/stores/gcs/failures.ts";

const HOUR = 3_600_000;
const later = (): Date => new Date(Date.now() + HOUR);

/** An error of Azure's package for credentials, with the answer of Entra ID. */
function refusedByEntra(errorCodes: number[], timestamp: Date): Error {
  return Object.assign(new Error("AADSTS: The words of the service.\r\nTrace ID: 1"), {
    name: "AuthenticationError",
    statusCode: undefined,
    errorResponse: { error: "invalid_client", errorCodes, timestamp: timestamp.toISOString() },
  });
}

test.each([
  ["a secret that expired", [7000222], new Date(), "expired"],
  ["a refresh token that expired", [700082], new Date(), "expired"],
  ["an assertion that is not valid yet", [700024], new Date(), "clock"],
  ["any refusal at another time than here", [7000215], later(), "clock"],
  ["a wrong secret", [7000215], new Date(), "refused"],
] as const)("Entra ID refuses %s", (_, codes, time, kind) => {
  const direct = refusedByEntra([...codes], time);
  const chain = Object.assign(new Error("No source worked."), {
    name: "AggregateAuthenticationError",
    errors: [direct],
  });
  for (const error of [direct, chain]) {
    const failure = azureFailure(error);
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(/^AADSTS: The words of the service/);
    expect(failure.message).not.toContain("Trace");
  }
});

test.each([
  [401, new Date(), "refused"],
  [401, later(), "clock"],
  [403, later(), "forbidden"],
] as const)("Google answers %i", (status, time, kind) => {
  const body = { error: { message: "Invalid Credentials", errors: [{ reason: "authError" }] } };
  const failure = gcsFailure(
    { status, headers: { date: time.toUTCString() }, body: Buffer.from(JSON.stringify(body)) },
    false,
  );
  expect(failure.kind).toBe(kind);
  if (kind === "clock") expect(failure.message).toMatch(/this machine has .*, the store has /);
});
