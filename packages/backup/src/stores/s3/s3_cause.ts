import { withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";

/** What a store or the network said, without the request and the answer that the SDK hangs on its errors. */
export class S3Cause extends Error {
  /** S3's code, or the operating system's. */
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, code: string | undefined, status: number | undefined, requestId: string | undefined) {
    super(message);
    this.name = "S3Cause";
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}

/** An error that may be shown with all its properties. */
export function cleanCause(error: unknown, secrets: readonly string[]): S3Cause {
  const { name, message, code, $metadata } = (error ?? {}) as {
    name?: unknown;
    message?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: number; requestId?: string };
  };
  const shownCode = typeof code === "string" ? code : typeof name === "string" ? name : undefined;
  const text = typeof message === "string" ? message : String(error);
  return new S3Cause(withoutSecrets(text, secrets), shownCode, $metadata?.httpStatusCode, $metadata?.requestId);
}
