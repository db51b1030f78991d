/** What the arguments of commands are, by their names in the usage line. */
export const ARGUMENTS: Readonly<Record<string, string>> = {
  thread:
    "an id, a unique beginning or end of one, or `latest`: the newest thread that was started in this folder, of this storage root only",
  workflow:
    "a path (with / or ending in .yaml), a hash, a name in .workflows/ of this project, or a registered name",
  hash: "the hash of a node, or a unique beginning of it",
  role: "a role of the workflow",
  text: "the text; - reads it from stdin",
};
