// Preloaded by tests: a worker is killed when it is about to start the uwf of its first step, or, with UWF_TEST_KILL_AFTER,
// when that of its so many-th step has ended.
const childProcess = require("node:child_process");
const { syncBuiltinESMExports } = require("node:module");

const spawn = childProcess.spawn;
const last = Number(process.env.UWF_TEST_KILL_AFTER ?? 0);
const kill = () => process.kill(process.pid, "SIGKILL");
let steps = 0;
childProcess.spawn = (file, words, options) => {
  const isStep = process.argv.includes("worker") && words.includes("step");
  if (isStep && last === 0) kill();
  const child = spawn(file, words, options);
  if (isStep) steps += 1;
  if (isStep && steps === last) child.once("exit", kill);
  return child;
};
syncBuiltinESMExports();
