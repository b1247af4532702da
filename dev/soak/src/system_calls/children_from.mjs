/**
 * Loaded before perdura-migrate (`--import`): lets its children be started by another program than this Node.js, so that
 * strace can stand around one of them alone.
 */
const program = process.env["PERDURA_SOAK_CHILD"];
if (program !== undefined) process.execPath = program;
