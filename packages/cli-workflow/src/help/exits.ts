/** What commands may exit with besides the codes of every command: 0, 1 (a bug), 2 (usage), 7 (damage), 74 (I/O). */
export const EXITS: Readonly<Record<string, readonly number[]>> = {
  "remote init": [4, 75],
  "remote status": [4, 75],
  "remote gc": [4, 75],
  worker: [3, 4, 6, 75],
  "cas put-text": [3, 4],
  "cas file put": [3, 4],
  "cas file get": [3, 4],
  report: [4],
  ui: [4],
  log: [3, 4, 75, 130, 143],
  doctor: [4],
  init: [4],
  setup: [4, 75, 130],
  completion: [],
  skill: [],
  help: [],
};
