// Ignores every polite signal.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
process.stdout.write('{"type":"ready"}\n');
setInterval(() => undefined, 60_000);
