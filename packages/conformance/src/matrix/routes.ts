import type { Artifact } from "./artifacts.ts";
import type { Peer } from "./peer.ts";

/** One way from a producer to a consumer, or why there is none. */
export interface Route {
  /** Who brings the data to 16 in between. */
  migrator?: Peer;
  blocked?: { verdict: "unsupported" | "inapplicable"; reason: string };
}

/** The ways for one artifact: straight, or through each implementation that can migrate. */
export function routes(artifact: Artifact, producer: Peer, consumer: Peer, peers: readonly Peer[]): Route[] {
  const no = (verdict: "unsupported" | "inapplicable", reason: string): Route[] => [{ blocked: { verdict, reason } }];
  if (artifact.name === "states" && !(producer.before16 && consumer.before16))
    return no("inapplicable", "there is no collaboration state from 16");
  const lacking = [producer, consumer].find((peer) => !peer.can(artifact.capability));
  if (lacking) return no("unsupported", `${lacking.name} does not declare ${artifact.capability}`);
  if (artifact.name !== "metrics.db" || producer.before16 === consumer.before16) return [{}];
  if (!producer.before16) return no("inapplicable", "a metrics database of 16 is not for readers of before 16");
  const migrators = peers.filter((peer) => peer.can("migration"));
  return migrators.length > 0
    ? migrators.map((migrator) => ({ migrator }))
    : no("inapplicable", "the column has another name from 16, and nobody here declares migration");
}
