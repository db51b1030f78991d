/** The system that a process runs on. A field is `null` if the system does not provide it. */
export type Origin = {
  readonly host: string | null;
  /** /etc/machine-id: two hosts can share a name, and a later boot of this machine has the same one. */
  readonly machineId: string | null;
  readonly bootId: string | null;
  /** The pid namespace (`pid:[4026531836]`): a pid means nothing in another one. */
  readonly pidNamespace: string | null;
};

/** A folder: its path, and the numbers by which the file system knows it, which a copy does not share. */
export type FolderIdentity = { readonly folder: string; readonly device: string; readonly inode: string };

/** What a record says of the folder that it was made in; `null`: nothing. */
export type Made = Pick<Origin, "bootId"> & { readonly place: FolderIdentity | null };

/** Who holds a lock. */
export type LockRecord = Origin &
  Made & {
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

/** A record where it was found. */
export type FoundLock = LockRecord & {
  readonly foundIn: string;
  /** When its holder last gave a sign of life, epoch ms by the clock of the file system. */
  readonly renewedAt: number;
};

/** A lock that this process holds. */
export type Lock = {
  readonly kind: "lock";
  readonly path: string;
  readonly record: LockRecord;
  /** Renews it until it is released; `null`: it is not held for long. */
  readonly renewing: NodeJS.Timeout | null;
};

/** Another process has the lock; `unknown` holders cannot be judged from here and count as alive. */
export type LockBusy = {
  readonly kind: "busy";
  readonly path: string;
  readonly holder: FoundLock;
  readonly judgement: "alive" | "unknown";
};

export type Judgement = "alive" | "dead" | "unknown";

/** A judgement and its reason, a clause about the holder: `no living process has its pid and start time`. */
export type Verdict = { readonly judgement: Judgement; readonly because: string };
