import { afterAll } from "vitest";
import { launchPostgres, type Server } from "./server.js";

export { BINARIES, type Server } from "./server.js";

/** A PostgreSQL of its own for a test file. */
export async function startPostgres(): Promise<Server> {
  const server = await launchPostgres();
  afterAll(server.remove);
  return server;
}
