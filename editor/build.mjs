// Bundles the editor into one file, with the licences of all that is in it beside it.
import { build } from "esbuild";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "kg", "serve", "static", "editor");

const result = await build({
  absWorkingDir: here,
  entryPoints: ["editor.js"],
  outfile: join(out, "editor.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const found = input.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) packages.add(found[1]);
}
const notices = [];
for (const name of [...packages].sort()) {
  const folder = join(here, "node_modules", name);
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
  notices.push(`${name} ${version}\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`);
}
await mkdir(out, { recursive: true });
await writeFile(join(out, "LICENSES.txt"), notices.join("\n----\n\n"));
