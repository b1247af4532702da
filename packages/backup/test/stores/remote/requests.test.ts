import { expect, test } from "vitest";
import { azureFailure } from "../../../src/stores/azure/failures.ts";
import { Requests } from "../../../src/stores/remote/requests.ts";

const requests = new Requests({ tries: 4, timeoutMs: 20_000, partSize: 1024 * 1024 }, (error) => azureFailure(error));

/** An error of the SDK. */
function busy(retryAfter: string): Error {
  const headers = new Map([["retry-after", retryAfter]]);
  return Object.assign(new Error("busy"), { statusCode: 503, code: "ServerBusy", response: { headers } });
}

test("a signal ends the wait between two tries", async () => {
  const [enough, reason] = [new AbortController(), new Error("enough")];
  let tries = 0;
  const request = async () => {
    tries += 1;
    // After the wait has begun.
    setImmediate(() => enough.abort(reason));
    throw busy("30");
  };
  await expect(requests.send(request, enough.signal)).rejects.toBe(reason);
  expect(tries).toBe(1);
});

test("waits until a date, unless it has passed", async () => {
  let tries = 0;
  const begun = performance.now();
  const request = async () => {
    tries += 1;
    if (tries < 3) throw busy(new Date(Date.now() + (tries === 1 ? 2000 : -60_000)).toUTCString());
    return "done";
  };
  expect(await requests.send(request, undefined)).toBe("done");
  // The date is in whole seconds.
  expect(performance.now() - begun).toBeGreaterThan(900);
});

test("does not retry after a thrown value that is not an error", async () => {
  let tries = 0;
  const request = async () => {
    tries += 1;
    throw "text";
  };
  await expect(requests.send(request, undefined)).rejects.toBe("text");
  expect(tries).toBe(1);
});
