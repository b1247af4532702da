/** An error of the SDK or the network, as far as we look at it. */
export interface Thrown {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  errors?: unknown;
  $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean };
  $response?: { headers?: Record<string, string> };
}

/** No answer within the time of one try. */
export class TooSlow extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`);
    this.name = "TooSlow";
  }
}

/** A body that is not the one that was asked for. */
export class WrongBody extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WrongBody";
  }
}

/** What several tries ended with. */
export class Tried extends Error {
  readonly last: unknown;
  readonly tries: number;
  /** Whether one of them may have done what it was to do. */
  readonly unknown: boolean;

  constructor(last: unknown, tries: number, unknown: boolean) {
    super(`${tries} tries`, { cause: last });
    this.last = last;
    this.tries = tries;
    this.unknown = unknown;
  }
}

/** The error of the last try. */
export function lastOf(error: unknown): unknown {
  return error instanceof Tried ? error.last : error;
}

export function statusOf(error: unknown): number | undefined {
  return (lastOf(error) as Thrown | undefined)?.$metadata?.httpStatusCode;
}

/** S3's code, or the operating system's. */
export function codeOf(error: unknown): string | undefined {
  const { code, name, errors } = (lastOf(error) ?? {}) as Thrown;
  if (typeof code === "string") return code;
  // Node.js tries several addresses of a host.
  const [first] = Array.isArray(errors) ? (errors as Thrown[]) : [];
  if (typeof first?.code === "string") return first.code;
  return typeof name === "string" ? name : undefined;
}

/** The same failure of something that changes nothing, or nothing that anybody sees. */
export function harmless(error: unknown): unknown {
  return error instanceof Tried ? new Tried(error.last, error.tries, false) : error;
}
