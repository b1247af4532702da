/** What only this repository needs stays out of the packages: some of it is published nowhere. */
function beforePacking(manifest) {
  const published = { ...manifest };
  delete published.devDependencies;
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  if (GITHUB_SERVER_URL === undefined || GITHUB_REPOSITORY === undefined) return published;
  const address = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  return {
    ...published,
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
    // A provenance attestation is refused where the package does not name the repository that it comes from.
    repository: { type: "git", url: `git+${address}.git` },
  };
}

module.exports = { hooks: { beforePacking } };
