// Runs before every build, in plain JavaScript, so that an old Node.js prints a sentence instead of a syntax error.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Building perdura needs Node.js 22.18 or newer; this is ${process.versions.node}. \`npm start\` and \`npm test\` download it automatically.`,
  );
  process.exit(1);
}
