import { startHashing } from "../../packages/json-cas/src/hash.js";

// For tests, which run on the sources, as scripts/bins/start.ts does for binaries.
await startHashing();
