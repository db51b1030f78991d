// Preloaded by tests: the process is killed just before its UWF_TEST_KILL_AT-th change of the file system.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const CHANGING = [
  "mkdirSync",
  "writeSync",
  "fsyncSync",
  "linkSync",
  "renameSync",
  "unlinkSync",
  "rmSync",
  "ftruncateSync",
  "utimesSync",
  "futimesSync",
];

let left = Number(process.env.UWF_TEST_KILL_AT);
for (const name of CHANGING) {
  const real = fs[name];
  fs[name] = (...args) => {
    const isOutput = name === "writeSync" && args[0] <= 2;
    if (!isOutput && --left === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
