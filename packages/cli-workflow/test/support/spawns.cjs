// Preloaded by tests: appends the arguments of every child that Node.js is told to start to the file UWF_TEST_SPAWNS.
const { appendFileSync } = require("node:fs");
const children = require("node:child_process");
const { syncBuiltinESMExports } = require("node:module");

const { spawn } = children;
children.spawn = (command, args, options) => {
  appendFileSync(process.env.UWF_TEST_SPAWNS, `${JSON.stringify(args)}\n`);
  return spawn(command, args, options);
};
syncBuiltinESMExports();
