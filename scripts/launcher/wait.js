/**
 * Stands at the end of every launcher, without this comment. uwf starts an agent's launcher before it knows the role:
 * the runtime comes up while uwf decides, and the program waits here for its word (workflow-util, process/waiting.ts).
 * The end of stdin before a line means that it is not wanted, or that uwf has died: then nothing of the agent has run.
 * With the word, `{ record, args }` as JSON, the process creates its pid file as the trampoline
 * would have done it (whoever takes the run away creates it first), with the same exit codes. In a file of its own it
 * would cost a step 0.5 ms.
 *
 * @param {typeof import("node:fs")} fs
 */
export function waitForWord(fs) {
  delete process.env.UWF_LAUNCH_WAIT;
  const bytes = Buffer.alloc(65536);
  let length = 0;
  for (let count = 1; count > 0 && bytes[length - 1] !== 10; length += count) {
    count = fs.readSync(0, bytes, length, bytes.length - length, null);
  }
  if (length < 2 || bytes[length - 1] !== 10) process.exit(0);
  // Agents read nothing: the lowest descriptor that is free is the next one to be given.
  fs.closeSync(0);
  fs.openSync("/dev/null", "r");
  const { record, args } = JSON.parse(bytes.toString("utf8", 0, length));
  let code = 125;
  try {
    const fd = fs.openSync(record, "wx");
    code = 124;
    const stat = "/proc/self/stat";
    fs.writeFileSync(fd, fs.existsSync(stat) ? fs.readFileSync(stat, "utf8") : process.pid + "\n");
    fs.closeSync(fd);
  } catch {
    process.exit(code);
  }
  process.argv.push(...args);
}
