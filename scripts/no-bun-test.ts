// The preload of `bun test` (bunfig.toml): bun's own runner would half run vitest's tests.

console.error(
  "error: `bun test` is bun's own test runner. Run `bun run test` (vitest), e.g. `bun run test packages/json-cas`.",
);
process.exit(1);
