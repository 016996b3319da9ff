import { defineConfig } from "vite";

// One script without imports, for pages that are files: gambol export-html writes it into them.
export default defineConfig({
  build: {
    outDir: "../src/gambol/studio/page",
    emptyOutDir: false,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    lib: { entry: "src/player.ts", formats: ["iife"], name: "gambolPlayer", fileName: () => "player.js" },
  },
});
