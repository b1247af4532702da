/** Addresses that only the environment knows; the repository names none. */
export interface Publication {
  /** Address of the site with a slash at its end, from `SITE_ADDRESS`: `https://example.org/perdura/`. */
  site: URL | undefined;
  /** Address of the repository without a slash at its end, from `SITE_REPOSITORY`: `https://github.com/owner/name`. */
  repository: string | undefined;
}

/** Reads the addresses from the environment; an empty variable counts as absent. */
export function publication(): Publication {
  const { SITE_ADDRESS = "", SITE_REPOSITORY = "" } = process.env;
  return {
    site: SITE_ADDRESS === "" ? undefined : new URL(SITE_ADDRESS.replace(/\/*$/, "/")),
    repository: SITE_REPOSITORY === "" ? undefined : SITE_REPOSITORY.replace(/\/+$/, ""),
  };
}
