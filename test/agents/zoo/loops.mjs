// Calls the same tool with the same arguments, gets the same result, for ever.
let n = 0;
setInterval(() => {
  n += 1;
  say({ type: "tool_call", id: String(n), name: "bash", arguments: { command: "npm test" } });
  say({ type: "tool_result", id: String(n), ok: false, text: "1 failing" });
}, 10);
function say(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
