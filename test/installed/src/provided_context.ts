/** Where the packages of this run are published, and what clients may remember between the tests. */
export interface PublishedPlace {
  url: string;
  /** A folder. */
  cache: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    npmRegistry: PublishedPlace;
  }
}
