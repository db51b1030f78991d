import { afterEachFile } from "../../../json-cas-fs/test/support/ends.js";
import { launchPostgres, type Server } from "./server.js";

export { BINARIES, type Server } from "./server.js";

const launched: Promise<Server>[] = [];

// Here, and not where a server is started: a hook that a running test asks for is never called.
afterEachFile(async () => {
  for (const server of launched.splice(0)) await (await server).remove();
});

/** A PostgreSQL of its own for a test file. */
export function startPostgres(): Promise<Server> {
  const server = launchPostgres();
  launched.push(server);
  return server;
}
