import { defineConfig } from "vitest/config";

const STATEFUL = ["src/api/**/*.test.ts", "src/state/**/*.test.ts"];
// A long timeout: the tests check results, not speed, and the machine may be busy.
const test = { environment: "node", testTimeout: 120_000 };

// Pure modules keep nothing between tests, so their files share a worker, which costs a fifth.
export default defineConfig({
  test: {
    projects: [
      {
        test: { ...test, name: "pure", include: ["src/**/*.test.ts"], exclude: STATEFUL, isolate: false },
      },
      { test: { ...test, name: "stateful", include: STATEFUL } },
    ],
  },
});
