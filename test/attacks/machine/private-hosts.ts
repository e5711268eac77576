/** URLs that lead into the machine or its network, in every notation; PORT is where a canary listens on 127.0.0.1. */
export const HOSTS_THAT_LEAD_INSIDE: readonly string[] = [
  ...[
    ...["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "017700000001"],
    ...["0177.0.0.1", "0177.1", "0x7F.0x0.0x0.0x1", "127.0.0.1.", "127.000.000.001", "①②⑦.⓪.⓪.①"],
    ...[
      "127。0。0。1",
      "%31%32%37.0.0.1",
      "127.0.0.2",
      "127.255.255.254",
      "0.0.0.0",
      "0",
      "0x0",
      "00.00.00.00",
    ],
    ...["localhost", "LOCALHOST", "localhost.", "ⓛocalhost", "lOcAlHoSt"],
    ...[
      "[::1]",
      "[0:0:0:0:0:0:0:1]",
      "[::]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "[0:0:0:0:0:ffff:7f00:1]",
    ],
    ...["[::127.0.0.1]", "[::7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]"],
    ...["[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2001::7f00:1]", "[::ffff:0:127.0.0.1]", "[fe80::1]"],
    ...["[fec0::1]", "[fc00::1]", "[fd00::1]", "[fd00:ec2::254]", "[ff02::1]", "[2001:db8::1]", "[100::1]"],
    ...[
      "169.254.169.254",
      "0xa9fea9fe",
      "2852039166",
      "0251.0376.0251.0376",
      "169.254.43518",
      "[::ffff:a9fe:a9fe]",
    ],
    ...["169.254.170.2", "100.100.100.200", "192.0.0.192", "10.0.0.1", "10.1", "0x0a000001", "172.16.0.1"],
    ...[
      "172.31.255.255",
      "192.168.0.1",
      "192.168.257",
      "100.64.0.1",
      "198.18.0.1",
      "224.0.0.1",
      "255.255.255.255",
    ],
  ].map((host) => `http://${host}:PORT/`),
  ...["user:pass@127.0.0.1", "example.org@127.0.0.1", "example.org%40@127.0.0.1", ":@127.0.0.1"].map(
    (host) => `http://${host}:PORT/`,
  ),
  "http:\\\\127.0.0.1:PORT\\",
  "http:127.0.0.1:PORT",
  "http:///127.0.0.1:PORT/",
  "http://127.0.0.1:PORT#@example.org/",
  "http://127.0.0.1:PORT?@example.org/",
  "http://127.0.0.1\t:PORT/",
  "ht\ntp://127.0.0.1:PORT/",
  "https://127.0.0.1:PORT/",
  "gopher://127.0.0.1:PORT/",
  "file:///etc/passwd",
  "ftp://127.0.0.1:PORT/",
  "unix:/var/run/docker.sock",
];

/** What a name may resolve to; one address of the machine among public ones is enough to be refused. */
export const NAMES_THAT_LEAD_INSIDE: readonly (readonly string[])[] = [
  ["127.0.0.1"],
  ["::1"],
  ["::ffff:127.0.0.1"],
  ["1.1.1.1", "127.0.0.1"],
  ["2606:4700:4700::1111", "::1"],
  ["169.254.169.254"],
  ["fe80::1%lo"],
];

/** No receiver is there, no matter what a channel allows: metadata services, everybody, and nobody. */
export const NEVER_OPENED: readonly string[] = [
  "169.254.169.254",
  "169.254.170.2",
  "fe80::1",
  "fd00:ec2::254",
  "100.100.100.200",
  "::ffff:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "224.0.0.1",
  "ff02::1",
  "255.255.255.255",
];
