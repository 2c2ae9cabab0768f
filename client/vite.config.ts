// The page is built into the Python package, which serves it. While working on it: `vite` here, with the studio
// running on its usual port, gives a page that reloads itself.
import { defineConfig } from "vite";

const studio = "http://127.0.0.1:7420";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/lissom/studio/page",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 2000,
  },
  server: {
    proxy: {
      "/socket": { target: studio, ws: true },
      "/mesh": studio,
      "/upload": studio,
      "/file": studio,
    },
  },
});
