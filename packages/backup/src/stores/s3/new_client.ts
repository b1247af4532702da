import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import type { StoreLimits } from "../object_store.ts";
import { addressOf, checkedEndpoint } from "./address.ts";
import type { S3Address } from "./address.ts";
import type { S3Sdk } from "./load_s3.ts";

/** Most stores that are like S3 take any region, and this one is what they call theirs. */
const REGION_ELSEWHERE = "us-east-1";

const LONGEST_CONNECT_MS = 10_000;

/** Makes a client for an address; what it does not say comes from the environment and from Amazon's files. */
export function newClient({ S3Client: Client }: S3Sdk, address: S3Address, limits: StoreLimits): S3Client {
  const { endpoint } = address;
  const region = regionOf(address);
  const config: S3ClientConfig = {
    ...(region === undefined ? {} : { region }),
    // Tries are counted by ourselves: they include the bodies of answers.
    maxAttempts: 1,
    // A store that does not answer to it would cost six seconds a part.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: Math.min(limits.timeoutMs, LONGEST_CONNECT_MS) },
  };
  if (endpoint === undefined) return new Client({ ...config, followRegionRedirects: true });
  return new Client({
    ...config,
    endpoint,
    forcePathStyle: true,
    // Many know nothing of Amazon's newer sums; bodies go with an MD5 instead.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
}

/** An address with the endpoint that the environment names, where it has none of its own. */
export function withEndpoint(address: S3Address): S3Address {
  if (address.endpoint !== undefined) return address;
  const name = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].find((each) => (process.env[each] ?? "") !== "");
  if (name === undefined) return address;
  const endpoint = checkedEndpoint(process.env[name] ?? "", name);
  return addressOf(address.bucket, address.prefix, address.region, endpoint);
}

/** Undefined where Amazon's files may still say it. */
function regionOf({ region, endpoint }: S3Address): string | undefined {
  const named = region ?? (process.env["AWS_REGION"] || process.env["AWS_DEFAULT_REGION"]);
  if (named !== undefined && named !== "") return named;
  return endpoint === undefined ? undefined : REGION_ELSEWHERE;
}
