/** What each exit code means, and whether a retry helps; up to the first `;`, `:` or `,` in two or three words. */
export const EXIT_CODES = {
  0: "success; `done` says whether the thread has ended",
  1: "a bug in uwf",
  2: "usage: bad flag, malformed id",
  3: "not found: thread, workflow, node, file",
  4: "invalid workflow, config or input; an agent that is not found or cannot be started",
  5: "routing failed: condition error, not a boolean, no transition",
  6: "the agent failed; a retry usually helps",
  7: "the store is damaged, or a hash collision",
  8: "the thread has already ended, or was killed in the meantime",
  9: "it waits: for an answer, for other threads, paused, at a limit; nothing was started. Or `thread run` stopped unfinished; it prints the last state",
  10: "the thread has ended as failed (`$FAIL`); its last state is on stdout",
  74: "I/O: disk full, no permission, read-only, a remote that cannot be reached; a retry helps later",
  75: "busy: another process holds the thread, or the head moved; a retry helps",
  129: "interrupted by SIGHUP; a retry helps",
  130: "interrupted by SIGINT; a retry helps",
  143: "interrupted by SIGTERM; a retry helps",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;
