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

// `FAKE=1 npm run dev` shows the page with made-up answers, without a server.
const fakeServer: Plugin = {
  name: "fake-server",
  apply: "serve",
  transformIndexHtml: (html) =>
    process.env.FAKE
      ? html.replace("<head>", '<head><script type="module" src="/dev/fake.ts"></script>')
      : html,
};

export default defineConfig({
  base: "./",
  plugins: [plainWood, fakeServer],
  server: {
    proxy: { "/api": { target: process.env.KATACHI ?? "http://127.0.0.1:8765", ws: true } },
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
