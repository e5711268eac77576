// Draws like an agent with a screen, for proofs of what is typed and when. Arguments: the file to record keys to, and
// `asks` (a permission dialog is open), `swallows` (the first Enter is not taken), `late` (a dialog opens on a paste),
// `works` (for ever) or `resumes` (for ever, but when it goes on with a conversation not long).
import { appendFileSync } from "node:fs";

const [, , file, way, ...words] = process.argv;
appendFileSync(`${file}.words`, `${JSON.stringify(words)}\n`);
const RULER = "─".repeat(60);
let typed = "";
let enters = 0;
let state = way === "asks" ? "dialog" : "idle";

const dialog = [
  RULER,
  " Bash command",
  "   touch x",
  " Do you want to proceed?",
  " ❯ 1. Yes",
  "   2. No",
  " Esc to cancel",
];
let drawn = "";
function draw() {
  const input = [RULER, `❯ ${typed}`, RULER, state === "busy" ? "  esc to interrupt" : "  ? for shortcuts"];
  const lines = ["● words", ...(state === "dialog" ? dialog : input)];
  drawn += `\u001b[2J\u001b[H${lines.join("\r\n")}`;
  process.nextTick(() => {
    if (drawn !== "") process.stdout.write(drawn);
    drawn = "";
  });
}

process.stdin.setRawMode(true).setEncoding("utf8");
process.stdin.on("data", (keys) => {
  appendFileSync(file, `${JSON.stringify(keys)}\n`);
  const pasted = /\u001b\[200~(.*)\u001b\[201~/s.exec(keys)?.[1]; // eslint-disable-line no-control-regex
  if (state === "dialog") {
    if (keys === "1" || keys === "2") state = "busy";
  } else if (pasted !== undefined) {
    typed += pasted;
    if (way === "late") {
      // In one breath with the text: whoever sees the one sees the other.
      draw();
      state = "dialog";
    }
  } else if (keys === "\u001b") {
    if (state === "busy") state = "idle";
  } else if (keys === "\r") {
    enters += 1;
    if (way !== "swallows" || enters > 1) {
      typed = "";
      state = "busy";
      if (way === "resumes" && words.includes("--resume")) setTimeout(() => ((state = "idle"), draw()), 400);
    }
  }
  draw();
});
process.stdout.write("\u001b[?2004h");
draw();
