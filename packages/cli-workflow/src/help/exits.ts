/** What commands may exit with besides the codes of every command: 0, 1 (a bug), 2 (usage), 7 (damage), 74 (I/O). */
export const EXITS: Readonly<Record<string, readonly number[]>> = {
  "cas put-text": [3, 4],
  "cas file put": [3, 4],
  "cas file get": [3, 4],
};
