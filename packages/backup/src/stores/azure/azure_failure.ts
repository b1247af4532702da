import { withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";
import { codeOf } from "./failed_tries.ts";
import type { RestFailure } from "./failed_tries.ts";

/** The cause of an error, without the request that the SDK keeps in its own: that has signatures in URL and headers. */
export class AzureFailure extends Error {
  /** The service's own code, or that of Node.js; may be empty. */
  readonly code: string;
  readonly statusCode: number | undefined;
  /** By which the service's operators find the request. */
  readonly requestId: string | undefined;

  constructor(error: Error) {
    const { name, message, statusCode, response }: RestFailure = error;
    super(withoutSecrets(message));
    this.name = name;
    this.code = codeOf(error);
    this.statusCode = statusCode;
    this.requestId = response?.headers?.get("x-ms-request-id");
  }
}
