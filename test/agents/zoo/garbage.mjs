// Bytes that are neither text nor JSON between lines that are.
process.stdout.write('{"type":"ready"}\n');
process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x1b, 0x5b, 0x32, 0x4a, 0xc3, 0x28, 0x0a]));
process.stdout.write('{"type": oops\n\n[1,2\n{"type":"done"}\n');
setInterval(() => undefined, 60_000);
