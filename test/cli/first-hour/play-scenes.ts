import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { layOut } from "./material.ts";
import { Normaliser } from "./normalise.ts";
import type { Scene } from "./scenes.ts";
import { Terminal } from "./terminal.ts";

const REPOSITORY = path.resolve(import.meta.dirname, "../../..");

interface Options {
  /** `registry`: as a user does it. `links`: what the package needs is linked from this checkout, which is quick. */
  readonly install: "registry" | "links";
}

/** Plays scenes one after another in one terminal, and gives what each has shown, normalised. */
export async function* playScenes(
  scenes: readonly Scene[],
  { install }: Options,
): AsyncGenerator<{ readonly scene: Scene; readonly text: string }> {
  const root = mkdtempSync(path.join(tmpdir(), "holdfast-hour-"));
  const { origin, desk } = layOut(root);
  const home = path.join(root, "home");
  const prefix = path.join(root, "node");
  for (const folder of [home, prefix, path.join(prefix, "bin")]) mkdirSync(folder);
  symlinkSync(process.execPath, path.join(prefix, "bin", "node"));
  const tarball = pack(root);
  if (install === "links") linkPackage(tarball, prefix);
  const env = {
    HOME: home,
    PATH: `${prefix}/bin:${path.dirname(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())}:/usr/bin:/bin`,
    TERM: "screen-256color",
    LANG: "C.UTF-8",
    TZ: "Europe/Berlin",
    USER: "ada",
    ...registryOfThisMachine(),
    npm_config_prefix: prefix,
    npm_config_update_notifier: "false",
    npm_config_fund: "false",
    npm_config_audit: "false",
    npm_config_loglevel: "error",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
    TARBALL: tarball,
    ORIGIN: origin,
  };
  const terminal = await Terminal.open(root, desk, env);
  try {
    for (const scene of scenes)
      yield { scene, text: new Normaliser({ [home]: "~", [root]: "…" }).of(await playOne(terminal, scene)) };
    await terminal.does("holdfast down --stop-agents");
  } finally {
    terminal.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function playOne(terminal: Terminal, { about, acts }: Scene): Promise<string> {
  const parts = [`# ${about}`];
  for (const act of acts) {
    const typed = typeof act === "string" ? act : await act(terminal);
    const { text, code } = typeof act === "string" ? await terminal.does(act) : await terminal.ends();
    if (typed === null) continue;
    parts.push(
      [`$ ${typed}`, ...(text === "" ? [] : [text]), ...(code === 0 ? [] : [`→ exit ${String(code)}`])].join(
        "\n",
      ),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

/** Where this machine fetches packages from, and how it gets there: nothing else of its environment is let in. */
function registryOfThisMachine(): Record<string, string> {
  const ask = (key: string): string =>
    execFileSync("npm", ["config", "get", key], { encoding: "utf8" }).trim();
  const passed = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && /^((https?|no)_proxy|node_extra_ca_certs)$/i.test(entry[0]),
  );
  return {
    ...Object.fromEntries(passed),
    npm_config_userconfig: ask("userconfig"),
    npm_config_registry: ask("registry"),
    npm_config_cache: ask("cache"),
  };
}

function pack(root: string): string {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", root], { cwd: REPOSITORY, stdio: "ignore" });
  const [name = ""] = readdirSync(root).filter((one) => one.endsWith(".tgz"));
  return path.join(root, name);
}

/** What `npm install --global` makes of the tarball, without the registry. */
function linkPackage(tarball: string, prefix: string): void {
  const modules = path.join(prefix, "lib", "node_modules");
  const installed = path.join(modules, "holdfast");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  symlinkSync(path.join(REPOSITORY, "node_modules"), path.join(installed, "node_modules"));
  symlinkSync(path.join(installed, "bin", "holdfast.js"), path.join(prefix, "bin", "holdfast"));
}

/** Lines that are in one text only, in order. */
export function differences(golden: string, shown: string): string[] {
  const [old, now] = [golden.split("\n"), shown.split("\n")];
  const common = old
    .map(() => new Array<number>(now.length + 1).fill(0))
    .concat([new Array<number>(now.length + 1).fill(0)]);
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const line = common[row];
      if (line !== undefined)
        line[column] =
          old[row] === now[column]
            ? at(row + 1, column + 1) + 1
            : Math.max(at(row + 1, column), at(row, column + 1));
    }
  const found: string[] = [];
  for (let row = 0, column = 0; row < old.length || column < now.length;) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      row += 1;
      column += 1;
    } else if (column >= now.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      found.push(`- ${old[row] ?? ""}`);
      row += 1;
    } else {
      found.push(`+ ${now[column] ?? ""}`);
      column += 1;
    }
  }
  return found;
}
