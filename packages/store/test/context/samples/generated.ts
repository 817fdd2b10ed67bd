/** Samples that are made, not written: always the same ones. */

/** From 0 up to the limit. */
export function seededNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const FIRST_NAMES = [
  "Amara",
  "Bogdan",
  "Chiara",
  "Dmitri",
  "Eun-ji",
  "Farid",
  "Greta",
  "Hiro",
  "Ines",
  "Jakub",
] as const;
const CITIES = [
  "Rotterdam",
  "Nairobi",
  "São Paulo",
  "Gdańsk",
  "Kyoto",
  "Valparaíso",
  "Tromsø",
  "Lahore",
] as const;
const REMARKS = [
  "called back on Tuesday, no answer",
  "wants an invoice with the new address",
  "prefers e-mail; do not telephone before noon",
  "returned two items, one of them damaged in transit",
  "asked whether the warranty covers water",
  "",
] as const;

export function base64(bytes: number): string {
  const next = seededNumbers(5);
  return Buffer.from(Array.from({ length: bytes }, () => next(256))).toString("base64");
}

/** What an interface of some shop might answer. */
export function records(count: number): readonly unknown[] {
  const next = seededNumbers(3);
  const pick = <T>(values: readonly T[]): T | undefined => values[next(values.length)];
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1000,
    customer: { firstName: pick(FIRST_NAMES), city: pick(CITIES), vip: next(5) === 0 },
    createdAt: new Date(1_760_000_000_000 + next(30_000_000) * 1000).toISOString(),
    items: Array.from({ length: 1 + next(3) }, () => ({
      sku: `${pick(["TBL", "CHR", "LMP", "RUG"])}-${String(next(100_000)).padStart(5, "0")}`,
      quantity: 1 + next(4),
      unitPrice: next(100_000) / 100,
    })),
    remarks: pick(REMARKS),
    tags: [pick(["new", "returning", "wholesale"]), pick(["web", "shop", "phone"])],
    parentId: next(3) === 0 ? null : 1000 + next(500),
  }));
}

export function logLines(count: number): string {
  const next = seededNumbers(9);
  const pick = <T>(values: readonly T[]): T | undefined => values[next(values.length)];
  const address = (): string => `10.${next(256)}.${next(256)}.${next(256)}`;
  const hex = (length: number): string => Array.from({ length }, () => next(16).toString(16)).join("");
  const lines = Array.from({ length: count }, (_, index) => {
    const time = new Date(1_763_000_000_000 + index * 733 + next(700)).toISOString();
    switch (next(5)) {
      case 0:
        return `${address()} - - [${time}] "GET /static/app.${hex(8)}.js HTTP/1.1" 200 ${next(90_000)} "-" "curl/8.5.0"`;
      case 1:
        return `${time} INFO  [worker-${next(8)}] job ${hex(12)} finished in ${next(5000)} ms (queue=${pick(["mail", "thumbnails", "billing"])})`;
      case 2:
        return `${time} WARN  connection to ${address()}:5432 lost, retrying in ${1 + next(30)} s (attempt ${1 + next(5)})`;
      case 3:
        return `${time} ERROR Unhandled rejection: TypeError: Cannot read properties of undefined (reading '${pick(["id", "name", "length"])}')\n    at handle (/srv/app/dist/routes/orders.js:${next(400)}:${next(80)})\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`;
      default:
        return `${time} DEBUG cache ${pick(["hit", "miss"])} key=session:${hex(8)}-${hex(4)}-${hex(4)} size=${next(4096)}B`;
    }
  });
  return lines.join("\n");
}
