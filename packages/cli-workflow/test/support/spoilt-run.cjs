// Preloaded by tests: what happens to a run's folder between its making and the start of its agent.
// `UWF_TEST_SPOIL` says which: `pid`, a disk that is full when the agent records itself; `folder`, no folder any more.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const rename = fs.renameSync;
fs.renameSync = (from, to) => {
  rename(from, to);
  if (!/\/runs\/[0-9A-Z]{26}\/[0-9a-f]{24}$/.test(to)) return;
  if (process.env.UWF_TEST_SPOIL === "pid") fs.symlinkSync("/dev/full", `${to}/pid`);
  if (process.env.UWF_TEST_SPOIL === "folder") fs.rmSync(to, { recursive: true });
};
syncBuiltinESMExports();
