// Programs that tests start again and again, each made one file first: loading hundreds of modules anew is most of
// what a short life costs. A test that is run without them starts the sources instead.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "./pinned-node.mjs";

const programs = [
  "test/agents/nasty/command-calls.ts",
  "test/cli/resident-cli.ts",
  "test/cli/run-cli.ts",
  "test/kill/reference-run.ts",
  "test/kill/runs/joined-run.ts",
  "test/kill/runs/kept-run.ts",
  "test/kill/runs/accepted-run.ts",
  "test/kill/runs/reissued-run.ts",
  "test/kill/runs/stopped-run.ts",
  "test/loop/life/cancel-program.ts",
  "test/loop/proof-program.ts",
  "test/workspace/life-program.ts",
  "test/workspace/remote/move-program.ts",
  "test/workspace/repositories/order-worker.ts",
];

/** Makes them and names their folder to the tests; the answer removes it. */
export async function makeTestPrograms() {
  const here = programs.filter((file) => existsSync(path.join(repository, file)));
  if (here.length === 0) return () => {};
  const { build } = await import("esbuild");
  const cache = path.join(repository, ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, "programs-"));
  await build({
    absWorkingDir: repository,
    // One name each beside the others; `builtProgram` in test/built-program.ts knows it too.
    entryPoints: here.map((file) => ({ in: file, out: file.replaceAll("/", "-").replace(/\.ts$/, "") })),
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    // One script each: finding a hundred files takes Node longer than reading one, and a script loads Node's own parts
    // when it comes to them.
    format: "cjs",
    target: "node24",
    // Less to read; names stay, for what is printed of them.
    minifyWhitespace: true,
    minifySyntax: true,
    // The schema library writes a program for each schema it is first asked for, which only a long life is worth.
    banner: { js: "globalThis.__zod_globalConfig = { jitless: true };" },
    logLevel: "error",
    plugins: [{ name: "places", setup: keepPlaces }],
  });
  process.env.TEST_PROGRAMS = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** A source finds what lies beside it where it lay itself; of the schema library it has what it uses. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
    const places = { dirname: path.dirname(file), filename: file, url: pathToFileURL(file).href };
    const contents = readFileSync(file, "utf8")
      .replace(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, word) => JSON.stringify(places[word]))
      .replace(/^import \{ z \} from "zod";/m, 'import * as z from "zod";');
    return { contents, loader: "ts" };
  });
}
