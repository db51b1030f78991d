import type { CasCommand } from "../commands/index.js";
import type { CasContext } from "./types.js";

/** Loads a command, runs it on the context's store and prints its answer. */
export async function invoke<Request>(
  context: CasContext,
  load: () => Promise<CasCommand<Request>>,
  request: Request,
): Promise<void> {
  const command = await load();
  const { warn, readStdin, write, now, prefix, loadHooks } = context;
  const tools = { ...context.openStore(), warn, readStdin, write, now, prefix, loadHooks };
  const answer = await command(tools, request);
  if (answer.document !== null) await context.print(answer.document, answer.exitCode);
}
