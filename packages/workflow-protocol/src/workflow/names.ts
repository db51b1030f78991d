/** The graph's entry: the key of the first transitions. */
export const START = "$START";

/** The graph's exit: a transition to it ends the thread. */
export const END = "$END";

/** The graph's other exit: a transition to it ends the thread as failed. */
export const FAIL = "$FAIL";
