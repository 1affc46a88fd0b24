import type { Plugin } from "vite";
import { defineConfig } from "vite";

/** A host shows the app from its text alone: every script and style is in the one file. */
function inline(): Plugin {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const page = files.find(({ fileName }) => fileName.endsWith(".html"));
      if (page?.type !== "asset") throw new Error("there is no page");
      let html = String(page.source);
      for (const file of files) {
        if (file === page) continue;
        const name = file.fileName.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
        if (file.type === "chunk") {
          const code = file.code.trim().replaceAll("</script", "<\\/script");
          const tag = new RegExp(`<script[^>]*src="/${name}"[^>]*></script>`);
          // At the end: a module waits for the document, but not every host keeps the type.
          html = html
            .replace(tag, "")
            .replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
        } else {
          const tag = new RegExp(`<link[^>]*href="/${name}"[^>]*>`);
          html = html.replace(tag, () => `<style>${String(file.source).trim()}</style>`);
        }
        delete bundle[file.fileName];
      }
      page.source = html;
    },
  };
}

/** The studio's font is as large as everything else here; the host has fonts of its own. */
function withoutFonts(): Plugin {
  return {
    name: "without-fonts",
    enforce: "pre",
    transform: (code, id) =>
      id.endsWith("tokens.css") ? code.replaceAll(/@font-face\s*{[^}]*}/g, "") : null,
  };
}

export default defineConfig({
  plugins: [withoutFonts(), inline()],
  publicDir: false,
  resolve: {
    // The components of the studio, at a tenth of the size.
    alias: [
      { find: "react/jsx-runtime", replacement: "preact/jsx-runtime" },
      { find: "react-dom/client", replacement: "preact/compat/client" },
      { find: /^react(-dom)?$/, replacement: "preact/compat" },
    ],
  },
  build: {
    outDir: "../src/toolweave/publishing/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: { input: "run_app.html" },
  },
});
