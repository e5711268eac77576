/** The text of a module with function agents for tests; a test writes it into its working folder. */
export const AGENTS = `import { existsSync } from "node:fs";

/** Works until it is told to end. */
export async function waits({ signal, report }) {
  await report("waiting");
  await new Promise((resolve, reject) => {
    const stay = setInterval(() => undefined, 1_000);
    signal.addEventListener("abort", () => { clearInterval(stay); reject(new Error("told to end")); });
  });
}

/** Waits the first time, and is done the second. */
export async function waitsOnce(context) {
  if (context.number === 1) await waits(context);
  return { number: context.number };
}

/** Waits for a file that is named after its run, whoever supervises it meanwhile. */
export async function untilTold({ cwd, run, report }) {
  await report("waiting");
  while (!existsSync(cwd + "/" + run + ".go")) await new Promise((resolve) => setTimeout(resolve, 50));
  return "told";
}

/** Does not listen, and holds the process. */
export async function deaf({ report }) {
  setInterval(() => undefined, 1_000);
  await report("not listening");
  await new Promise(() => undefined);
}

/** Leaves behind a promise that nobody awaits and that fails. */
export async function careless({ report }) {
  await report("careless");
  setTimeout(() => void Promise.reject(new Error("nobody waits for me")), 50);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

export async function quick({ task }) { return { task }; }
export async function fails() { throw new Error("it cannot be done"); }
/** Fails until somebody has put the file "mended" beside it. */
export async function mendable({ cwd }) {
  if (!existsSync(cwd + "/mended")) throw new Error("it is broken");
  return "mended";
}

export async function hopeless() { throw Object.assign(new Error("bad credentials"), { terminal: true }); }
export async function nasty({ report }) { await report("\\u001b]0;title\\u0007\\u001b[2J\\u009b31m"); return "\\u001b[31mred"; }
`;
