#!/usr/bin/env node
// The launcher. It must parse on old Nodes, so that there it can say what is needed instead of failing on syntax.
// As CommonJS, which Node begins sooner with than with modules.
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

const nodeMajorWanted = 24;
const holdfast = path.dirname(__dirname);
const entry = path.join(holdfast, "dist", "main.js");
const quick = path.join(holdfast, "dist", "quick-status.cjs");
const checkoutScript = path.join(holdfast, "scripts", "pinned-node.mjs");

launch(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

async function launch(args) {
  if (Number(process.versions.node.split(".")[0]) < nodeMajorWanted) return launchOnPinnedNode(args);
  if (args.length === 1 && args[0] === "--version") return printVersion();
  if (!existsSync(entry)) return refuse("there is no dist/ yet; run `npm run build` first");
  // Whatever is the matter with the small program, the whole one says it, or knows better.
  const code = args[0] === "status" ? await launchQuick(args).catch(() => null) : null;
  if (code !== null) return code;
  const { main } = await import(pathToFileURL(entry).href);
  return main(args);
}

async function launchOnPinnedNode(args) {
  const needed = `this is Node ${process.versions.node}, and Holdfast needs Node ${nodeMajorWanted} or newer`;
  if (!existsSync(checkoutScript)) return refuse(`${needed}; install it and repeat`);
  const { pinnedNodePath, runOnPinnedNode } = await import(pathToFileURL(checkoutScript).href);
  if (pinnedNodePath() === undefined)
    return refuse(`${needed}; run \`npm run build\`, which brings it to this checkout`);
  return runOnPinnedNode("node", [__filename, ...args]);
}

/**
 * A small program for a command that is called again and again (decision 0060); null where the whole one has to answer.
 * What Node made of its text is kept in the state folder, where there is one: to make it takes longer than to use it.
 */
async function launchQuick(args) {
  if (!existsSync(quick)) return null;
  const text = readFileSync(quick, "latin1");
  const kept = keptCode(text);
  const script = new Script(`(function (module, require, __dirname) {${text}\n})`, {
    filename: quick,
    cachedData: kept === null ? undefined : bytesOf(kept),
  });
  const program = { exports: {} };
  script.runInThisContext()(program, require, path.dirname(quick));
  const code = await program.exports.quickStatus(args);
  if (code !== null && kept !== null && script.cachedDataRejected !== false) keepCode(script, kept);
  return code;
}

/** The file for what this Node makes of that text; null where there is no state folder. */
function keptCode(text) {
  const { HOLDFAST_HOME: own, XDG_STATE_HOME: xdg = "", HOME: home = "" } = process.env;
  const state = own || path.join(path.isAbsolute(xdg) ? xdg : path.join(home, ".local", "state"), "holdfast");
  const digest = /^\/\/ ([0-9a-f]{32})\n/.exec(text)?.[1];
  if (digest === undefined || !path.isAbsolute(state) || !existsSync(state)) return null;
  return path.join(state, "cache", `status-${digest}-${process.version}-${process.arch}`);
}

function bytesOf(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whole or not at all, and what others made before is removed: a folder that cannot be written costs only time. */
function keepCode(script, file) {
  const folder = path.dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) if (name.startsWith("status-")) rmSync(path.join(folder, name));
    writeFileSync(`${file}.${process.pid}`, script.createCachedData(), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // It is made again the next time.
  }
}

/** As the command line does, which takes twice the time to load. */
function printVersion() {
  const { version } = JSON.parse(readFileSync(path.join(holdfast, "package.json"), "utf8"));
  process.stdout.write(`${version}\n`);
  return 0;
}

function refuse(reason) {
  process.stderr.write(`holdfast: ${reason}\n`);
  return 2;
}
