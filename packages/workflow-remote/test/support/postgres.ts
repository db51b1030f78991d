import { afterAll } from "vitest";
import { launchPostgres, type Server } from "./server.js";

export { BINARIES, type Server } from "./server.js";

/** A PostgreSQL of its own for a test file. */
export function startPostgres(): Promise<Server> {
  const launching = launchPostgres();
  // At once: after an `await` nobody asks for hooks any more.
  afterAll(async () => (await launching).remove());
  return launching;
}
