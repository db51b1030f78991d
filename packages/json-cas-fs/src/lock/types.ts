/** The system that a process runs on. A field is `null` if the system does not provide it. */
export type Origin = {
  readonly host: string | null;
  /** /etc/machine-id: two hosts can share a name, and a later boot of this machine has the same one. */
  readonly machineId: string | null;
  readonly bootId: string | null;
  /** The pid namespace (`pid:[4026531836]`): a pid means nothing in another one. */
  readonly pidNamespace: string | null;
};

/** Who holds a lock. */
export type LockRecord = Origin & {
  readonly pid: number;
  /**
   * Field 22 of /proc/PID/stat, in clock ticks since boot: distinguishes a process from a later one with the same
   * pid.
   */
  readonly startTime: string | null;
  readonly host: string;
  /** Unique for every record that was ever written. */
  readonly nonce: string;
  /** Epoch ms. */
  readonly acquiredAt: number;
};

/** A lock that this process holds. */
export type Lock = { readonly kind: "lock"; readonly path: string; readonly record: LockRecord };

/** Somebody else has it; `unknown` holders cannot be judged from here and count as alive. */
export type LockBusy = {
  readonly kind: "busy";
  readonly path: string;
  readonly holder: LockRecord;
  readonly judgement: "alive" | "unknown";
};

export type Judgement = "alive" | "dead" | "unknown";

/** A judgement and its reason, a clause about the holder: `no living process has its pid and start time`. */
export type Verdict = { readonly judgement: Judgement; readonly because: string };
