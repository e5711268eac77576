// Talks without end and does nothing.
setInterval(() => say({ type: "message", text: "I am thinking about how to think about it." }), 5);
function say(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
