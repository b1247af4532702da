/**
 * Loaded before perdura-migrate (`--import`): starts its children by another program than this Node.js, so that strace
 * can trace one of them alone.
 */
const program = process.env["PERDURA_SOAK_CHILD"];
if (program !== undefined) process.execPath = program;
