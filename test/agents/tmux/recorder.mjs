// A terminal program for proofs of delivery: takes pastes as one text, records each text that is submitted as a line of
// JSON, and shows what was typed. Arguments: the file to record to.
import { appendFileSync } from "node:fs";

const [, , file] = process.argv;
const BEGIN = "\u001b[200~";
const END = "\u001b[201~";
let input = "";
let typed = "";

const show = (text) => process.stdout.write(text.replace(/[\r\n]+/g, " "));
const submit = () => {
  appendFileSync(file, `${JSON.stringify(typed)}\n`);
  typed = "";
  process.stdout.write("\r\n> ");
};
const press = (key) => {
  if (key === "\r") submit();
  else if (key === "\u0015") typed = "";
  else typed += key;
};

/** Takes whole pastes and single keys from what has come; what may be the beginning of a paste waits. */
function take() {
  for (;;) {
    const begins = input.indexOf(BEGIN);
    const keys = begins === -1 ? input : input.slice(0, begins);
    if (begins === -1 && keys.includes("\u001b")) return;
    for (const key of keys) press(key);
    if (begins === -1) return void (input = "");
    const ends = input.indexOf(END);
    if (ends === -1) return void (input = input.slice(begins));
    const text = input.slice(begins + BEGIN.length, ends);
    // A terminal sends the end of a line as Enter would be.
    typed += text.replaceAll("\r", "\n");
    show(text);
    input = input.slice(ends + END.length);
  }
}

process.stdin.setRawMode(true).setEncoding("utf8");
process.stdin.on("data", (text) => {
  input += text;
  take();
});
process.stdout.write("\u001b[?2004h> ");
