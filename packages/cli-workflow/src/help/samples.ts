/** What a command prints for a person. */
export type Sample = {
  /** Without `uwf`. */
  readonly command: string;
  /** `…` alone stands for further lines. */
  readonly prints: string;
};

/**
 * What commands print, from a real run; a test compares each with one. A line that ends with `…` is the beginning of one.
 */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  "remote init": {
    command: "remote init",
    prints: `the remote has version 4, and had no tables before
next: uwf thread submit <workflow> -p <task>`,
  },
  "remote status": {
    command: "remote status",
    prints: `0 threads ready, 0 at a worker, 0 held, 0 failed, 0 ended
…`,
  },
  "remote gc": {
    command: "remote gc --retention 90d",
    prints: "removed 0 threads, 0 nodes and 0 lost roots",
  },
  worker: {
    command: "worker --until-idle",
    prints: "0 steps pushed, 0 too late, 0 threads put aside",
  },
  report: { command: "report -o public", prints: "wrote 5 pages of 5:…" },
  "cas put-text": { command: 'cas put-text "The parser, then its tests."', prints: "7383PTTAA68JM" },
  "cas file put": { command: "cas file put report.html", prints: "6PRC90G3SQT6F" },
  "cas file get": {
    command: "cas file get 6PRC90G3SQT6F -o copy.html",
    prints: "wrote /home/kim/copy.html, 25 KiB",
  },
  log: {
    command: "log --thread W8YB",
    prints: `2026-01-31T09:12:03Z  the thread was started
2026-01-31T09:12:05Z  planner recorded as 968RK709D8JWK
…`,
  },
  ui: {
    command: "ui",
    prints: `http://127.0.0.1:41235/#token=…
ends when you have closed the page`,
  },
  completion: {
    command: "completion bash",
    prints: `_uwf() {
  local IFS=$'\\n'
…`,
  },
  skill: {
    command: "skill",
    prints: `---
name: uwf
…`,
  },
  doctor: {
    command: "doctor",
    prints: "everything is fine: 30 checks of root, writable, disk, filesystem, format,\n…",
  },
  init: {
    command: "init door-sign",
    prints: `written  .workflows/door-sign.yaml
         .workflows/door-sign.scenario.yaml
…`,
  },
  setup: {
    command: "setup --agent uwf-claude",
    prints: `config  /home/kim/.uncaged/workflow/config.yaml
env     /home/kim/.uncaged/workflow/.env
agent   claude`,
  },
};
