import { defineConfig } from "vitest/config";

// Tests run on the sources: `uwf-source` is the exports condition of every package that names them.
const conditions = ["uwf-source"];

// Where the machine-readable report goes that .ci/run counts; none without the variable.
const report = process.env.UWF_TEST_REPORT ?? "";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"],
    globalSetup: ["scripts/test/built-bins.ts"],
    reporters: report === "" ? ["default"] : ["default", ["json", { outputFile: report }]],
    // vitest leaves one of two cores idle.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
