#!/usr/bin/env node
// Stands in the repository, not in dist/, so that the package manager can link it before the first build.
import "../dist/cli.js";
