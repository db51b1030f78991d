import { afterAll, afterEach } from "vitest";
import { endFile, endTest } from "../../packages/json-cas-fs/test/support/ends.js";

// A setup file is evaluated for each file of tests, also where a worker keeps all other modules.
afterEach(endTest);
afterAll(endFile);
