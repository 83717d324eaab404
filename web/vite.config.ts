import { defineConfig, type Plugin } from "vite";

declare const process: { env: Record<string, string | undefined> };

const page = "../src/katachi/interfaces/web/page";

// The board's wood is a plain colour here: its picture would weigh more than the whole page.
const plainWood: Plugin = {
  name: "plain-wood",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("goban.css") ? code.replace("url('./board.png') ", "") : undefined,
};

export default defineConfig({
  base: "./",
  plugins: [plainWood],
  // `npm run dev` beside a running `katachi web`.
  server: {
    proxy: { "/api": { target: process.env.KATACHI ?? "http://127.0.0.1:8361", ws: true } },
  },
  build: {
    outDir: process.env.PAGE_OUT ?? page,
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/page.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
