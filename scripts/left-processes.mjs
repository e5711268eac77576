// After the tests nothing that they have started may still run. Whatever descends from this run inherits its mark, or
// the pinned Node's place in its PATH, and is an orphan once the tests are over. Linux only: elsewhere nothing is found.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { repository } from "./pinned-node.mjs";

const patienceMs = 15_000;
const lookEveryMs = 500;
const mark = `TEST_RUN=${process.pid}-${Date.now()}`;
const begun = startOf(process.pid);

/** To be called before the first process is started. */
export function markProcesses() {
  process.env.TEST_RUN = mark.slice("TEST_RUN=".length);
}

/** Those that are still there after a while, in words. */
export async function leftProcesses() {
  let left = orphans();
  for (let waited = 0; left.length > 0 && waited < patienceMs; waited += lookEveryMs) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    left = orphans();
  }
  return left.map((pid) => `process ${pid} is left of the tests: ${read(pid, "cmdline").slice(0, 300)}`);
}

function orphans() {
  if (!existsSync("/proc/self/environ")) return [];
  const ours = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isOurs(pid));
  return ours.filter((pid) => !ancestorsOf(pid).includes(String(process.pid)));
}

function isOurs(pid) {
  const started = startOf(pid);
  if (Number.isNaN(started) || started < begun || pid === String(process.pid)) return false;
  const environment = read(pid, "environ").split(" ");
  if (environment.includes(mark)) return true;
  const places = environment.find((entry) => entry.startsWith("PATH="))?.slice("PATH=".length) ?? "";
  const isPinned = places.split(":").some((place) => place.startsWith(path.join(repository, "toolchain")));
  return isPinned && ancestorsOf(pid).at(-2) === undefined;
}

/** Up to the first process of all. */
function ancestorsOf(pid) {
  const found = [];
  for (let parent = parentOf(pid); Number(parent) > 0; parent = parentOf(parent)) found.push(parent);
  return found;
}

const parentOf = (pid) => fieldsOf(pid)[1];
/** Ticks since the machine started. */
function startOf(pid) {
  return Number(fieldsOf(String(pid))[19]);
}

/** From its state on; a process that has ended and is not waited for yet (a zombie) is none. */
function fieldsOf(pid) {
  const text = read(pid, "stat");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? [] : fields;
}

function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}
