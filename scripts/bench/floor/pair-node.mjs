// Starts an empty program of the same runtime and waits for it: the floor of everything that starts an agent.
import { spawn } from "node:child_process";

spawn(process.execPath, [`${import.meta.dirname}/empty.mjs`], { stdio: "inherit" });
