// Asks for leave, and waits for an answer that nobody gives.
process.stdout.write(
  '{"type":"permission","tool":"bash","command":"rm -rf build","options":["allow","deny"]}\n',
);
process.stdin.resume();
setInterval(() => undefined, 60_000);
