// A small terminal program: shows a prompt, reads a line, does its part, and shows the prompt again.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [, , part] = process.argv;
const say = (text) => process.stdout.write(`${text}\r\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const work = () => appendFileSync("work.log", `${part}\n`);
const forEver = () => new Promise(() => undefined);
const child = (detached) =>
  spawn(process.execPath, ["-e", "setInterval(() => undefined, 1e6)"], { stdio: "ignore", detached }).unref();

async function line() {
  let text = "";
  for await (const chunk of process.stdin) {
    text += chunk;
    process.stdout.write(chunk.replace(/[^ -~]/g, ""));
    if (/[\r\n]/.test(text)) return text.replace(/[^ -~]/g, "");
  }
  process.exit(0);
}

const PARTS = {
  works: (task) => {
    say(task);
    work();
  },
  counts: async () => {
    for (let count = 1; count <= 60; count += 1) {
      say(String(count));
      await pause(10);
    }
  },
  babbles: () => {
    for (let count = 1; count <= 3_000; count += 1) say(String(count));
  },
  hangs: async () => {
    work();
    await forEver();
  },
  deaf: async () => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
    work();
    await forEver();
  },
  family: async () => {
    for (const detached of [false, false, true]) child(detached);
    work();
    await forEver();
  },
  orphans: () => {
    for (const detached of [false, true]) child(detached);
    work();
    process.exit(0);
  },
  silent: () => process.exit(0),
  "exits-3": () => process.exit(3),
  crashes: () => process.kill(process.pid, "SIGSEGV"),
};

process.stdin.setRawMode(true).setEncoding("utf8");
// A terminal that is in raw mode must still hold the process while it waits.
setInterval(() => undefined, 1e6);
process.stdout.write("> ");
const lines = (async function* () {
  for (;;) yield await line();
})();
const { value: task } = await lines.next();
say("");
await PARTS[part](task);
process.stdout.write("> ");
await forEver();
