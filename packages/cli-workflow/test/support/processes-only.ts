import { beforeEach } from "vitest";
import { isOfProcesses } from "./uwf.js";

// A setup file of the project `processes`.
beforeEach(({ skip }) => {
  if (!isOfProcesses(8)) skip("its commands are served in the project code");
});
