import type { Command } from "commander";
import { defined } from "./options.js";

export function threadCommands(group: Command): void {
  defined(group, "thread start");
  defined(group, "thread fork");
  defined(group, "thread note");
  defined(group, "thread limit");
  defined(group, "thread pause");
  defined(group, "thread resume");
  defined(group, "thread kill");
  defined(group, "thread rm");
  defined(group, "thread unlock");
  defined(group, "thread step");
  defined(group, "thread run");
  defined(group, "thread next");
  defined(group, "thread submit");
  defined(group, "thread push");
  defined(group, "thread fetch");
  defined(group, "thread answer");
  defined(group, "thread show");
  defined(group, "thread list");
  defined(group, "thread ps");
  defined(group, "thread live");
  defined(group, "thread steps");
  defined(group, "thread report");
  defined(group, "thread read");
  defined(group, "thread usage");
  defined(group, "thread step-details");
}
