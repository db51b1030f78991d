import { any, text as textKind } from "@uncaged/command-line";
import { asText, TOPICS } from "../help/index.js";
import { defineCommand, HELP_TOPICS, type Source } from "../line/index.js";
import { printPage } from "../main-help.js";
import { screenOf } from "../screen/index.js";
import { meantWords, misused, text } from "./output.js";

/** A topic, or the page of a command. Text in a pipe too: no program parses it. */
export const command = defineCommand({
  path: "help",
  summary: "show help for a command or a topic",
  arguments: { topic: any(textKind("topic", { candidates: "topics" satisfies Source })) },
  examples: ["uwf help thread step", "uwf help conditions"],
  notes: `Topics:\n${Object.entries(HELP_TOPICS)
    .map(([name, summary]) => `  ${name.padEnd(14)}${summary}\n`)
    .join("")}`,
  run: async ({ host, screen }, { topic: words }) => {
    const topic = words.length === 1 ? TOPICS.find(({ name }) => name === words[0]) : undefined;
    if (topic !== undefined) return text(asText(topic, screen ?? screenOf(host, "never")));
    const known = printPage(words, host.stdout);
    if (known === null) return text("");
    const topics = words.length === 1 ? Object.keys(HELP_TOPICS) : [];
    const meant = meantWords(words.at(-1) ?? "", [...known, ...topics]);
    return misused(`unknown help topic '${words.join(" ")}'${meant}`, "see `uwf --help`");
  },
});
