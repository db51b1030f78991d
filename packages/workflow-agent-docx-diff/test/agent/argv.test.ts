import { it } from "vitest";
import { expectNoOptionFromElsewhere, recording } from "../../../cli-workflow/test/support/argv.js";
import { NEW, OLD } from "../support/documents.js";

// `uwf-office` and `uwf-agent-docx` give their programs files of a folder of their own.

it("uwf-docx-diff gives its program no text from elsewhere as an option", () =>
  expectNoOptionFromElsewhere("uwf-docx-diff", recording("--command recorded", "recorded"), [OLD, NEW]));
