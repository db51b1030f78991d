// Preloaded by tests: somebody kills the thread when its head has just moved, and the signal comes at once; with
// `UWF_TEST_KILL=signal` only that, as of a kill that found the thread at its own end.
const fs = require("node:fs");
const { basename, dirname, join } = require("node:path");
const { syncBuiltinESMExports } = require("node:module");

const rename = fs.renameSync;
fs.renameSync = (from, to) => {
  rename(from, to);
  if (basename(to) !== "threads.yaml") return;
  if (process.env.UWF_TEST_KILL === "signal") {
    process.emit("SIGTERM", "SIGTERM");
    return;
  }
  const [thread, head] = /^(\w{26}): "(\w{13})"/m.exec(fs.readFileSync(to, "utf8")).slice(1);
  const ending = JSON.stringify({ head, reason: "killed", completedAt: Date.now() });
  fs.writeFileSync(join(dirname(to), "runs", thread, "ending"), `${ending}\n`);
  process.emit("SIGTERM", "SIGTERM");
};
syncBuiltinESMExports();
