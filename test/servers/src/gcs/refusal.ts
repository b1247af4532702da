/** An error answer of Google's JSON API: thrown by any code, written by the router. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;
  /** Additional members of the entry of `errors`: `location`, `locationType`. */
  readonly more: Readonly<Record<string, string>>;

  constructor(status: number, reason: string, message: string, more: Record<string, string> = {}) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.reason = reason;
    this.more = more;
  }

  /** The body, in Google's format. */
  get json(): string {
    const { status, reason, message, more } = this;
    const errors = [{ message, domain: "global", reason, ...more }];
    return JSON.stringify({ error: { code: status, message, errors } });
  }
}

export function noSuchBucket(): Refusal {
  return new Refusal(404, "notFound", "The specified bucket does not exist.");
}

export function noSuchObject(bucket: string, name: string): Refusal {
  return new Refusal(404, "notFound", `No such object: ${bucket}/${name}`);
}

export function conditionNotMet(parameter: string): Refusal {
  const message = "At least one of the pre-conditions you specified did not hold.";
  return new Refusal(412, "conditionNotMet", message, { locationType: "header", location: parameter });
}

export function invalid(message: string): Refusal {
  return new Refusal(400, "invalid", message);
}

/**
 * Refuses a feature that the real service may have, but this one does not: a test that depends on it must not pass by
 * chance.
 */
export function notImplemented(what: string): Refusal {
  return new Refusal(501, "notImplemented", `The test server does not implement ${what}.`);
}
