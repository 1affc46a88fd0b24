import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/toolweave/rest/static",
    emptyOutDir: true,
    // Inlined files would be data: addresses, which the page's policy refuses for scripts.
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
});
