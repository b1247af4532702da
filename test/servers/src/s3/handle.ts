import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "./answer.ts";
import { authenticate } from "./authentication/authenticate.ts";
import type { S3Credentials } from "./authentication/authenticate.ts";
import { receive } from "./body/receive.ts";
import { callOf } from "./call.ts";
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";
import type { Fault, Faults } from "./faults.ts";
import { assertHeadersKnown } from "./known_headers.ts";
import { routeOf } from "./routes.ts";
import type { Route } from "./routes.ts";
import { errorDocument, S3Error } from "./s3_error.ts";
import { send } from "./send.ts";
import type { State } from "./state.ts";
import { assertAccepted, type Vendor } from "./vendors.ts";

/** Common settings of all requests. */
export interface Service {
  host: string;
  credentials: S3Credentials;
  region: string;
  elsewhere: Readonly<Record<string, string>>;
  now: () => Date;
  preconditions: Context["preconditions"];
  vendor: Vendor | undefined;
  state: State;
  faults: Faults;
}

/** Answers one request. */
export async function handle(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = randomBytes(8).toString("hex").toUpperCase();
  response.setHeader("date", service.now().toUTCString());
  response.setHeader("server", "AmazonS3");
  response.setHeader("x-amz-request-id", requestId);
  let fault: Fault["what"] | undefined;
  let answer: Answer;
  try {
    const call = callOf(request, service.host);
    const route = routeOf(call);
    fault = service.faults.take(route.name);
    if (fault === "reset") return void request.socket.destroy();
    if (fault === "hang") return;
    if (typeof fault === "object") throw new S3Error(fault.status, fault.code, fault.message, {}, fault.headers);
    answer = await answerOf(service, call, route, fault === "damage");
  } catch (error) {
    // The client aborted: there is no connection for an answer.
    if (request.destroyed && !request.complete) return;
    const reported =
      error instanceof S3Error ? error : new S3Error(500, "InternalError", `The test server failed: ${String(error)}`);
    answer = {
      status: reported.status,
      headers: { "content-type": "application/xml", ...reported.headers },
      ...(request.method === "HEAD" ? {} : { body: errorDocument(reported, request.url ?? "", requestId) }),
    };
  }
  if (fault === "lose answer") return void request.socket.destroy();
  // A client that is still sending reads the answer only afterwards.
  for await (const rest of request) void rest;
  await send(response, answer, fault);
}

async function answerOf(service: Service, call: Call, route: Route, damaged: boolean): Promise<Answer> {
  assertAccepted(call, service.vendor);
  assertHeadersKnown(call, route);
  const seed = authenticate(call, service.credentials, service.region, service.now());
  const context: Context = {
    call,
    seed,
    state: service.state,
    now: service.now,
    preconditions: service.preconditions,
    receive: () => {
      let done = !damaged;
      return receive(call, seed, service.state.newFile(), (bytes) => {
        if (!done) bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
        done = true;
      });
    },
  };
  if (call.bucket === undefined) return route.run(context as never);
  const region = service.elsewhere[call.bucket];
  if (region !== undefined)
    throw new S3Error(
      301,
      "PermanentRedirect",
      "The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.",
      { Endpoint: `s3.${region}.amazonaws.com`, Bucket: call.bucket },
      { "x-amz-bucket-region": region },
    );
  const bucket = service.state.bucket(call.bucket);
  return route.run({ ...context, bucket, key: call.key } as never);
}
