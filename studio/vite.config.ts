import { defineConfig } from "vite";

// The page goes into the Python package, which serves it.
export default defineConfig({
  base: "./",
  build: { outDir: "../src/gambol/studio/page", emptyOutDir: true, target: "es2022", chunkSizeWarningLimit: 1500 },
  server: { host: "127.0.0.1" },
  test: { environment: "happy-dom" },
} as object);
