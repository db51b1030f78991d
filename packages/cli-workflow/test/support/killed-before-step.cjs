// Preloaded by tests: a worker is killed when it is about to start the uwf of a step.
const childProcess = require("node:child_process");
const { syncBuiltinESMExports } = require("node:module");

const spawn = childProcess.spawn;
childProcess.spawn = (file, words, options) => {
  if (process.argv.includes("worker") && words.includes("step")) process.kill(process.pid, "SIGKILL");
  return spawn(file, words, options);
};
syncBuiltinESMExports();
