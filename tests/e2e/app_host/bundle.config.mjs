// Bundles the host for a browser; its packages are those of `scripts/install-test-tools`.
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..", "..");

export default {
  input: join(import.meta.dirname, "host.js"),
  platform: "browser",
  resolve: { modules: [join(root, ".cache", "npm-tests", "node_modules")] },
  output: { file: join(root, ".cache", "npm-tests", "app-host.js"), format: "iife" },
};
