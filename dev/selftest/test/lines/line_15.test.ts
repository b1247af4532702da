import { judgeLine } from "./judge_line.ts";

// A separate file for each line: they run in parallel.
judgeLine("perdura-15", "15");
