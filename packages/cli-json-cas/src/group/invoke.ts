import type { CasCommand } from "../commands/index.js";
import type { CasContext } from "./types.js";

/** Loads a command, runs it on the context's store and prints its answer. */
export async function invoke<Request>(
  context: CasContext,
  load: () => Promise<CasCommand<Request>>,
  request: Request,
): Promise<void> {
  const command = await load();
  const { warn, readStdin } = context;
  const answer = await command({ ...context.openStore(), warn, readStdin }, request);
  await context.print(answer.document, answer.exitCode);
}
