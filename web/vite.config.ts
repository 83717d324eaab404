import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const page = "../src/katachi/interfaces/web/page";

// The board's wood is a plain colour here: its picture would weigh more than the whole page.
const plainWood: Plugin = {
  name: "plain-wood",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("goban.css") ? code.replace("url('./board.png') ", "") : undefined,
};

const others = ["index.html", "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts"];

// A digest of what the page is built from: a test tells by it that a build was forgotten.
const sourceDigest: Plugin = {
  name: "source-digest",
  apply: "build",
  generateBundle() {
    const inSrc = readdirSync("src", { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/"));
    const digest = createHash("sha256");
    for (const name of [...inSrc, ...others].sort()) {
      digest.update(`${name}\0`).update(readFileSync(name)).update("\0");
    }
    this.emitFile({ type: "asset", fileName: "sources.sha256", source: `${digest.digest("hex")}\n` });
  },
};

export default defineConfig({
  base: "./",
  plugins: [plainWood, sourceDigest],
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
