/** Registry of the packages of this run, with a cache for clients. */
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
