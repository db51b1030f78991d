// Preloaded into several processes that share the file UWF_TEST_CALLS: the one that makes the UWF_TEST_KILL_AT-th change of
// the file system among them is killed just before it, and `<file>.killed` says which program that was.
const fs = require("node:fs");
const { basename } = require("node:path");
const { syncBuiltinESMExports } = require("node:module");

const CHANGING = ["mkdirSync", "writeSync", "fsyncSync", "linkSync", "renameSync", "unlinkSync", "rmSync"];
const { appendFileSync, statSync, writeFileSync } = fs;
const file = String(process.env.UWF_TEST_CALLS);
const at = Number(process.env.UWF_TEST_KILL_AT);
const calls = /** @type {Record<string, (...args: unknown[]) => unknown>} */ (/** @type {unknown} */ (fs));

for (const name of CHANGING) {
  const real = calls[name];
  calls[name] = (...args) => {
    const isOutput = name === "writeSync" && Number(args[0]) <= 2;
    if (!isOutput && !counting) count();
    return real?.(...args);
  };
}
syncBuiltinESMExports();

let counting = false;
function count() {
  counting = true;
  appendFileSync(file, ".");
  const { size } = statSync(file);
  if (size === at) {
    writeFileSync(`${file}.killed`, basename(process.argv[1] ?? ""));
    process.kill(process.pid, "SIGKILL");
  }
  counting = false;
}
