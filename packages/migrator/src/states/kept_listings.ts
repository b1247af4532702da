import type { Run } from "../run/run.ts";
import type { Listing } from "./listing.ts";

/** Keeps what was listed for the plan, so that a directory need not be listed again at once. Closed with the run. */
export function keepListing(run: Run, directory: string, listing: Listing): void {
  run.listings.get(directory)?.close();
  run.listings.set(directory, listing);
}

/** The listing that was kept; from now on the caller closes it. */
export function takeListing(run: Run, directory: string): Listing | undefined {
  const listing = run.listings.get(directory);
  run.listings.delete(directory);
  return listing;
}
