// @ts-nocheck: Bun is known to bun alone.
// Starts an empty program of the same runtime and waits for it: the floor of everything that starts an agent.
const child = Bun.spawn([
  process.execPath,
  "--env-file=/dev/null",
  "--config=/dev/null",
  `${import.meta.dir}/empty.mjs`,
]);
await child.exited;
