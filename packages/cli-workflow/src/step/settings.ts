// Times that the environment can change, beside those of config.yaml.

type Env = Readonly<Record<string, string | undefined>>;

/** Between SIGTERM and SIGKILL, and between a seen result and the end of an agent that stays. */
const GRACE_SECONDS = 5;

/** Before the first retry; each further one waits twice as long, up to 60 times this. */
const BACKOFF_SECONDS = 1;
const LONGEST_BACKOFF = 60;

export function graceMs(env: Env): number {
  return 1000 * secondsOf(env.UWF_GRACE_SECONDS, GRACE_SECONDS);
}

/** The wait after the failure of run number `attempt`. */
export function backoffMs(env: Env, attempt: number): number {
  return (
    1000 * secondsOf(env.UWF_BACKOFF_SECONDS, BACKOFF_SECONDS) * Math.min(2 ** (attempt - 1), LONGEST_BACKOFF)
  );
}

function secondsOf(text: string | undefined, otherwise: number): number {
  const seconds = text === undefined || text.trim() === "" ? otherwise : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : otherwise;
}
