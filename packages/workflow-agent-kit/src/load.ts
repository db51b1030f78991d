import type * as Extract from "./extract.js";
import type * as Files from "./files.js";
import type * as Llm from "./llm/index.js";
import type * as Resume from "./resume.js";

// The one place of lazy imports. The first two modules bring the YAML reader (10 ms); a program that gives its output as
// an object needs neither, and the chat client is needed only where a reply's header failed. The third is for agents
// whose sessions can be continued, once there is a step or a run that failed; the last for roles whose output refers to
// nodes.

export function loadExtract(): Promise<typeof Extract> {
  return import("./extract.js");
}

export function loadLlm(): Promise<typeof Llm> {
  return import("./llm/index.js");
}

export function loadResume(): Promise<typeof Resume> {
  return import("./resume.js");
}

export function loadFiles(): Promise<typeof Files> {
  return import("./files.js");
}
