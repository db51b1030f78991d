import { ENV, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";

/** What reaches an agent however narrow its `env` list is: it could not work or report without these. */
const ALWAYS: ReadonlySet<string> = new Set(["PATH", "HOME", ...Object.values(ENV)]);

/** What config.yaml says of one alias holds for no agent that is run by an agent. */
const OF_OUTER_RUN: ReadonlySet<string> = new Set([ENV.agentEnv, ENV.resume]);

type Run = {
  /** The alias's `env`; `null` passes everything. */
  readonly passed: readonly string[] | null;
  /** Whether sessions are continued. */
  readonly resume: boolean;
  readonly root: string;
  /** Where it works. */
  readonly folder: string;
  readonly head: string;
  readonly token: string;
  readonly stepKey: string;
  /** The command as it was chosen, without keys. */
  readonly agent: string;
  readonly keyNames: readonly string[];
  /** Whether a text holds one of the keys. */
  readonly isSecret: (text: string) => boolean;
};

/** The agent's environment: ours or the listed part of it, the storage root as an absolute path, and what uwf says of the run. */
export function agentEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  run: Run,
): Readonly<Record<string, string>> {
  const names = run.passed === null ? null : new Set([...ALWAYS, ...run.passed]);
  // Without a prototype, for `__proto__` is a name like any other.
  const inherited: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || OF_OUTER_RUN.has(name) || names?.has(name) === false) continue;
    if (!wouldBeListed(name, value, run.isSecret)) inherited[name] = value;
  }
  return {
    ...inherited,
    ...(run.passed === null ? {} : { [ENV.agentEnv]: run.passed.join(",") }),
    ...(run.resume ? {} : { [ENV.resume]: "off" }),
    PWD: run.folder,
    [ENV.storageRoot]: run.root,
    [ENV.head]: run.head,
    [ENV.run]: run.token,
    [ENV.stepKey]: run.stepKey,
    [ENV.agent]: run.agent,
    [ENV.keyNames]: run.keyNames.join(","),
  };
}

// A variable whose name no shell can spell passes through the arguments of env(1), where everybody can see it.
function wouldBeListed(name: string, value: string, isSecret: Run["isSecret"]): boolean {
  return !isPlain(name) && isSecret(value);
}

/** Whether a shell can spell the variable's name. */
function isPlain(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

// Times that the environment can change, beside those of config.yaml.

type Env = Readonly<Record<string, string | undefined>>;

/** Between SIGTERM and SIGKILL, and between a seen result and the end of an agent that stays. */
const GRACE_SECONDS = 5;

/** Before the first retry; each further one waits twice as long, up to 60 times this. */
const BACKOFF_SECONDS = 1;
const LONGEST_BACKOFF = 60;

/** Refuses a time that is none (2), rather than wait for another one than was meant. */
export function checkTimes(env: Env): Result<void, Fault> {
  for (const name of ["UWF_GRACE_SECONDS", "UWF_BACKOFF_SECONDS"]) {
    const text = env[name] ?? "";
    if (text.trim() !== "" && !(Number.isFinite(Number(text)) && Number(text) >= 0)) {
      const reason = `${name} is ${JSON.stringify(text)}, not a number of seconds`;
      return err(fault("USAGE", { reason, usage: `give it seconds, 0 or more, or \`unset ${name}\`` }));
    }
  }
  return ok(undefined);
}

export function graceMs(env: Env): number {
  return 1000 * secondsOf(env.UWF_GRACE_SECONDS, GRACE_SECONDS);
}

/** The wait after the failure of run number `attempt`. */
export function backoffMs(env: Env, attempt: number): number {
  return (
    1000 * secondsOf(env.UWF_BACKOFF_SECONDS, BACKOFF_SECONDS) * Math.min(2 ** (attempt - 1), LONGEST_BACKOFF)
  );
}

/** One that `checkTimes` has passed. */
function secondsOf(text: string | undefined, otherwise: number): number {
  return text === undefined || text.trim() === "" ? otherwise : Number(text);
}
