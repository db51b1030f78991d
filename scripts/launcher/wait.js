/**
 * Stands at the end of every launcher, without this comment. uwf starts an agent's launcher before it knows whether it
 * needs it: the runtime comes up and the program is loaded while uwf works, and here it waits for its word
 * (workflow-util, process/waiting.ts). The end of stdin before a line means that uwf has died: then nothing has run.
 * The word is `{ record, outputs, args, env }` as JSON. With it the process creates its pid file as the trampoline
 * would have done it (whoever takes the run away creates it first), with the same exit codes. Before that it takes the
 * files that it shall write to for the null devices that it was started with. In a file of its own all this would cost
 * a step 0.5 ms.
 *
 * @param {typeof import("node:fs")} fs
 */
export function waitForWord(fs) {
  delete process.env.UWF_LAUNCH_WAIT;
  const stat = "/proc/self/stat";
  const own = fs.existsSync(stat) ? fs.readFileSync(stat, "utf8") : process.pid + "\n";
  let bytes = Buffer.alloc(65536);
  let length = 0;
  for (let count = 1; count > 0 && bytes[length - 1] !== 10; length += count) {
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(length)]);
    count = fs.readSync(0, bytes, length, bytes.length - length, null);
  }
  if (length < 2 || bytes[length - 1] !== 10) process.exit(1);
  const { record, outputs, args, env } = JSON.parse(bytes.toString("utf8", 0, length));
  let code = 125;
  try {
    // The lowest descriptor that is free is the next one to be given. bun 1.3 keeps these three whatever it is told:
    // without a record uwf starts the agent in turn.
    for (const [fd, path] of ["/dev/null", ...outputs].entries()) {
      fs.closeSync(fd);
      if (fs.openSync(path, fd === 0 ? "r" : "a") !== fd) process.exit(1);
    }
    const fd = fs.openSync(record, "wx");
    code = 124;
    fs.writeFileSync(fd, own);
    fs.closeSync(fd);
  } catch {
    process.exit(code);
  }
  // bun's own spawn does not pass these on unless it is given process.env; ours always is.
  Object.assign(process.env, env);
  process.argv.push(...args);
}
