import { randomUUID } from "node:crypto";
import { checkedOptions } from "../../src/options.ts";
import { openStore } from "../../src/stores/open_store.ts";
import { emptyPrefix } from "../stores/s3/empty_prefix.ts";
import type { Place } from "./place.ts";

/**
 * A place in a given store: below a new prefix, which is emptied afterwards. Tests with faults are not possible there.
 *
 * @param address A bucket or a prefix in it for the tests; the environment has the credentials.
 * @param wrong Credentials that are refused.
 */
export function placeElsewhere(address: string, wrong?: Place["wrong"]): Place {
  const [, scheme = "", bucket = "", prefix = "", query = ""] = /^(\w+:\/\/)([^/?]+)([^?]*)(.*)$/.exec(address) ?? [];
  const own = `${prefix.replace(/\/$/, "")}/perdura-test-${randomUUID()}${query}`;
  return {
    address: `${scheme}${bucket}${own}`,
    missing: `${scheme}perdura-missing-${randomUUID().slice(0, 8)}${own}`,
    environment: {},
    ...(wrong && { wrong }),
    stop: async () => {
      if (scheme === "s3://") return emptyPrefix(`${scheme}${bucket}${own}`, checkedOptions());
      const store = await openStore(
        `${scheme}${bucket}${own}`,
        { bucket: undefined, prefix: undefined },
        checkedOptions(),
      );
      for await (const { key } of store.list("")) await store.remove(key);
      return store.close();
    },
  };
}
