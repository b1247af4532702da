import { S3Error } from "../s3_error.ts";
import { ALGORITHM } from "./signature.ts";
import type { Scope } from "./signature.ts";

/** The parsed Authorization header. */
export interface Authorization {
  accessKeyId: string;
  scope: Scope;
  signedHeaders: string[];
  signature: string;
}

export function parsedAuthorization(header: string, region: string): Authorization {
  if (!header.startsWith(`${ALGORITHM} `))
    throw new S3Error(
      400,
      "InvalidRequest",
      "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.",
    );
  const fields = new Map<string, string>();
  for (const field of header.slice(ALGORITHM.length + 1).split(",")) {
    const [name = "", value = ""] = field.trim().split("=");
    fields.set(name, value);
  }
  const [accessKeyId, date, signedRegion, service, end, ...more] = (fields.get("Credential") ?? "").split("/");
  const signature = fields.get("Signature") ?? "";
  const signedHeaders = (fields.get("SignedHeaders") ?? "").split(";");
  if (accessKeyId === undefined || date === undefined || signedRegion === undefined || more.length > 0)
    throw malformed('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".');
  if (!/^\d{8}$/.test(date))
    throw malformed(`incorrect date format "${date}". This date in the credential must be in the format "yyyyMMdd".`);
  if (service !== "s3") throw malformed(`incorrect service "${service}". This endpoint belongs to "s3".`);
  if (end !== "aws4_request") throw malformed(`incorrect terminal "${end}". This endpoint uses "aws4_request".`);
  if (signedRegion !== region)
    throw malformed(`the region '${signedRegion}' is wrong; expecting '${region}'`, { Region: region });
  if (!/^[0-9a-f]{64}$/.test(signature) || signedHeaders[0] === "")
    throw malformed("the authorization header requires three components: Credential, SignedHeaders, and Signature.");
  return { accessKeyId, scope: { date, region }, signedHeaders, signature };
}

function malformed(what: string, details: Record<string, string> = {}): S3Error {
  return new S3Error(
    400,
    "AuthorizationHeaderMalformed",
    `The authorization header is malformed; ${what}`,
    details,
    details["Region"] === undefined ? {} : { "x-amz-bucket-region": details["Region"] },
  );
}
