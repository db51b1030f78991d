import type { CommandHandler } from "../commands/types.js";

/** Runs the handler of a command; the handler's module is loaded by `load` only now. */
export type Invoke = <Request>(load: () => Promise<CommandHandler<Request>>, request: Request) => Promise<void>;
