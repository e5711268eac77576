#!/usr/bin/env node
// The launcher. It must parse on old Nodes, so that there it can say what is needed instead of failing on syntax.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const nodeMajorWanted = 24;
const entry = new URL("../dist/main.js", import.meta.url);
const checkoutScript = new URL("../scripts/pinned-node.mjs", import.meta.url);

process.exitCode = await launch(process.argv.slice(2));

async function launch(args) {
  if (Number(process.versions.node.split(".")[0]) < nodeMajorWanted) return launchOnPinnedNode(args);
  if (args.length === 1 && args[0] === "--version") return printVersion();
  if (!existsSync(entry)) return refuse("there is no dist/ yet; run `npm run build` first");
  const { main } = await import(entry.href);
  return main(args);
}

async function launchOnPinnedNode(args) {
  const needed = `this is Node ${process.versions.node}, and Holdfast needs Node ${nodeMajorWanted} or newer`;
  if (!existsSync(checkoutScript)) return refuse(`${needed}; install it and repeat`);
  const { pinnedNodePath, runOnPinnedNode } = await import(checkoutScript.href);
  if (pinnedNodePath() === undefined)
    return refuse(`${needed}; run \`npm run build\`, which brings it to this checkout`);
  return runOnPinnedNode("node", [fileURLToPath(import.meta.url), ...args]);
}

/** As the command line does, which takes twice the time to load. */
function printVersion() {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
  return 0;
}

function refuse(reason) {
  process.stderr.write(`holdfast: ${reason}\n`);
  return 2;
}
