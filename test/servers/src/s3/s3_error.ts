import { element } from "./xml.ts";

/** An error answer of S3: a status, a code, a sentence, and additional elements for some codes. */
export class S3Error extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    details: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = "S3Error";
    this.status = status;
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

/** Error for any unsupported feature: it is reported, never silently ignored. */
export function notImplemented(what: string): S3Error {
  return new S3Error(501, "NotImplemented", `This test server does not implement ${what}.`);
}

/** Error for an invalid argument. */
export function invalidArgument(name: string, value: string, message: string): S3Error {
  return new S3Error(400, "InvalidArgument", message, { ArgumentName: name, ArgumentValue: value });
}

export function errorDocument(error: S3Error, resource: string, requestId: string): string {
  const rows = { Code: error.code, Message: error.message, ...error.details, Resource: resource, RequestId: requestId };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(
    "Error",
    Object.entries(rows).map(([name, value]) => element(name, value)),
  )}`;
}
