// Writes as fast as anybody takes it: about 8 MB, and lives.
const line = `${JSON.stringify({ type: "message", text: "x".repeat(900) })}\n`;
let left = 8_000;
function pour() {
  while (left > 0) {
    left -= 1;
    if (!process.stdout.write(line)) return void process.stdout.once("drain", pour);
  }
}
pour();
setInterval(() => undefined, 60_000);
