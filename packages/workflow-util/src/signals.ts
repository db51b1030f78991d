import { ENV } from "@uncaged/workflow-protocol";

/** The signals that ask a program to end. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type EndingSignal = (typeof ENDING)[number];

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Signals that our parent ignores (`nohup`, `&` in a script) and that we must go on ignoring. The runtimes reset
 * them, so the launcher names them in a variable, which also carries them to what we start.
 */
export function ignoredSignals(env: Env): readonly EndingSignal[] {
  const names = (env[ENV.ignoredSignals] || "").split(" ");
  return ENDING.filter((signal) => names.includes(signal.slice(3)));
}

/** Those that end us. */
export function endingSignals(env: Env): readonly EndingSignal[] {
  const ignored = ignoredSignals(env);
  return ENDING.filter((signal) => !ignored.includes(signal));
}
